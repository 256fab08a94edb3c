"""What is known before the first attempt is in the header, and what can't be judged is refused."""

import json
from dataclasses import replace

import pytest

from reeval.config.errors import UsageError
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


def test_a_minimum_lift_over_a_pooled_suite_is_refused_and_leaves_no_run(runs, planned, cell):
    family = Family("f", "fixes $id", 0, 2)
    with pytest.raises(UsageError, match="not in this version yet") as caught:
        runs.open(planned("greets", [cell()], family=family, min_lift=0.1))
    assert caught.value.key == 'evaluate_each("fixes $id")'
    assert list(runs.folder.iterdir()) == []
