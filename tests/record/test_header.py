"""What is known before the first attempt is in the header, with what it was run by."""

import json
from dataclasses import replace

from reeval.config.model import Budget, Limit, Profile, Settings
from reeval.plan.model import Family
from reeval.record.fold import fold


def record_of(runs, valid, *evals, **fields):
    opened = runs.open(*evals, **fields)
    runs.journal(opened, runs.end())
    result = fold(opened.journal.path)
    opened.journal.close()
    return valid(json.loads(result.record.read_bytes()))


def test_config_judge_and_budget_are_the_files_under_the_profiles(runs, planned, cell, valid):
    defaults = {"runs": 5, "judge": {"threshold": 0.9, "state": {"diff": True}}}
    runs.settings = Settings(
        root=runs.root,
        hash="h" * 64,
        budget=Budget(attempts=200, duration=2700.0),
        options={
            "runs": 3,
            "timeout": "10m",
            "environment": "base",
            "judge": {"model": "acme/judge", "threshold": 0.7, "state": {"transcript": "tools"}},
        },
        profiles={"nightly": Profile("nightly", {}, defaults, Limit())},
    )
    record = record_of(
        runs, valid, planned("greets", [cell(sandbox="one"), cell(sandbox="two")]),
        profile={"name": "nightly", "reason": "asked for", "defaults": {"runs": 5}, "limit": {}},
    )  # fmt: skip
    assert record["config"] == {
        "sandbox": "one, two",
        "environment": "base",
        "runs": 5,
        "judgeModel": "acme/judge",
        "threshold": 0.9,
        "timeoutMs": 600_000,
        "concurrency": 2,
        "configHash": "h" * 64,
    }
    assert record["stack"]["judge"] == {
        "model": "acme/judge",
        "resolvedModels": [],
        "threshold": 0.9,
        "version": "1",
        "state": {"transcript": "tools", "diff": True},
    }
    assert record["budget"] == {"attempts": 200, "duration": 2700.0}


def test_a_plain_project_has_the_defaults(runs, planned, cell, valid):
    record = record_of(runs, valid, planned("greets", [cell()]))
    assert (record["budget"], record["profile"], record["git"]) == (None, None, None)
    assert record["config"]["timeoutMs"] == 900_000
    assert record["stack"]["judge"]["model"] is None
    assert record["author"] == "jane"


def test_a_dirty_repository_is_recorded_with_its_patch(runs, repository, planned, cell, valid):
    runs.root = repository.path
    runs.settings = replace(runs.settings, root=repository.path)
    repository.write("kept.txt", b"changed\n")
    repository.write("uv.lock", b"")
    record = record_of(runs, valid, planned("greets", [cell()]))
    sha = repository.git("rev-parse", "HEAD")
    assert record["git"]["sha"] == sha
    assert record["runId"] == f"20261130T174047Z_{sha[:7]}_jane-doe"
    patch = runs.folder / record["runId"] / record["git"]["worktreePatch"]["path"]
    assert b"+changed" in patch.read_bytes()
    assert [file["path"] for file in record["dependencies"]["lockfiles"]] == ["uv.lock"]


def test_gates_families_and_revisions_are_in_the_entry(runs, planned, cell, valid):
    family = Family("evals/a.eval.py › fixes $id", "fixes $id", 1, 4)
    e = planned("greets", [cell(gate=0.5)], family=family, compare_baseline={"baseline": "base"})
    (entry,) = record_of(runs, valid, e)["evals"]
    assert entry["cells"][0]["gate"] == {"passRate": 0.5}
    assert entry["family"] == {"id": family.id, "name": family.name, "case": 1, "cases": 4}
    assert entry["compare"] == {"baseline": "base"}


def test_the_language_is_that_of_the_python_that_loads_eval_files(runs, planned, cell, valid):
    record = record_of(runs, valid, planned("greets", [cell()]), language_version="3.12.4")
    assert record["stack"]["language"] == {"name": "python", "version": "3.12.4"}
    record = record_of(runs, valid, planned("greets", [cell()]))
    assert record["stack"]["language"] == {"name": "python"}
