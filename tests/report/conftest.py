"""Plans and records that the report's tests read, the records valid by their schema."""

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from reeval.config.model import EnvironmentSpec, EvalOptions, HarnessSpec, SandboxSpec, Settings
from reeval.plan.model import Cell, Plan, PlannedEval

SCHEMA = json.loads((Path(__file__).parents[1] / "record.schema.json").read_text())
VALID = jsonschema.Draft202012Validator(SCHEMA)
RUN = "20261130T174047Z_442ac2d_jane"


@pytest.fixture(autouse=True)
def _utc() -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


# ── plans ────────────────────────────────────────────────────────────────────────────────────


def make_cell(
    environment: str = "-", kind: str = "cursor", runs: int = 1, variant: str | None = None
) -> Cell:
    harness = HarnessSpec(kind=kind, id=kind)
    return Cell(
        key=f"{kind}/{environment}/docker",
        harness=harness,
        environment=None if environment == "-" else EnvironmentSpec(environment),
        sandbox=SandboxSpec(kind="docker", id="docker"),
        role="variant" if variant else "control",
        variant=variant,
        gate="all",
        runs=runs,
        env={},
        egress="proxy",
        overrides=(),
        environment_digest=None,
        fingerprint="f",
        fingerprint_parts={},
    )


def make_eval(
    name: str,
    *cells: Cell,
    group: tuple[str, ...] = (),
    skip: str | None = None,
    todo: bool = False,
    tags: tuple[str, ...] = (),
) -> PlannedEval:
    file = "evals/hello.eval.py"
    return PlannedEval(
        id=" › ".join((file, *group, name)),
        slug="s",
        file=file,
        group=group,
        name=name,
        body="b",
        options=EvalOptions(tags=tags),
        cells=cells or (make_cell(),),
        fingerprint="f",
        sources=(),
        source={},
        skip=skip,
        todo=todo,
    )


def make_plan(*evals: PlannedEval, **more: Any) -> Plan:
    return Plan(settings=Settings(root=Path("/project")), evals=evals, **more)


@pytest.fixture
def cell() -> Callable[..., Cell]:
    return make_cell


@pytest.fixture
def planned() -> Callable[..., PlannedEval]:
    return make_eval


@pytest.fixture
def plan() -> Callable[..., Plan]:
    return make_plan


# ── records ──────────────────────────────────────────────────────────────────────────────────


def make_attempt(
    outcome: str = "pass",
    n: int = 1,
    *,
    cell: str = "cursor/-/docker",
    error: dict[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """An attempt; `make_entry` sets its key. One that passed has a check, unless given others."""
    checked = {"assertions": [check("is fine")]} if outcome == "pass" else {}
    return {
        "key": f"? # {cell}#{n}",
        "id": f"{cell}#{n}",
        "cell": cell,
        "n": n,
        "seq": None if outcome == "skipped" else n,
        "startedAt": "2026-11-30T17:40:47.000Z",
        "imageId": None,
        "env": {"vars": [], "secrets": [], "brokered": []},
        "context": [],
        "egress": None,
        "servedModels": None,
        "effort": None,
        "servedEffort": None,
        "outcome": outcome,
        "error": error,
        "durationMs": 15_000,
        "turns": [],
        "usage": None,
        "timings": {"setupMs": 1808, "agentMs": 7166, "diffMs": 80, "checksMs": 139, "judgeMs": 0},
        "activity": {
            "tools": 3, "fileEdits": 1, "webSearches": None, "webFetches": None,
            "reasoningMs": 0, "stalledTools": 0, "maxToolMs": None,
        },
        "judgements": [],
        "checks": [],
        "changedFiles": [],
        "files": {},
        **checked,
        **more,
    }  # fmt: skip


def check(label: str, status: str = "pass", message: str | None = None, **more: Any) -> Any:
    out = {
        "label": label, "labelled": True, "matcher": "toSucceed", "status": status, "soft": False,
    }  # fmt: skip
    return {**out, **({} if message is None else {"message": message}), **more}


def make_entry(name: str, *attempts: dict[str, Any], group: tuple[str, ...] = ()) -> dict[str, Any]:
    """An eval with a cell for each that its attempts name, counted from them."""
    file = "evals/hello.eval.ts"
    key = " › ".join((file, *group, name))
    for attempt in attempts:
        attempt["key"] = f"{key} # {attempt['id']}"
    cells = [
        _count(cell, [a for a in attempts if a["cell"] == cell])
        for cell in dict.fromkeys(a["cell"] for a in attempts)
    ]
    outcomes = [cell["outcome"] for cell in cells]
    outcome = next((o for o in ("fail", "infra_error", "pass") if o in outcomes), "skipped")
    return {
        "id": key, "key": key, "slug": "hello-0123456789ab", "file": file, "group": list(group),
        "name": name, "fingerprint": "f", "sources": [], "tags": [], "outcome": outcome,
        "todo": False, "passRate": None, "cells": cells, "attempts": list(attempts),
    }  # fmt: skip


def _count(key: str, attempts: list[dict[str, Any]]) -> dict[str, Any]:
    count = {o: sum(a["outcome"] == o for a in attempts) for o in OUTCOMES}
    counted = count["pass"] + count["fail"]
    if count["fail"]:
        outcome = "fail"
    elif count["pass"]:
        outcome = "pass"
    else:
        outcome = "infra_error" if count["infra_error"] else "skipped"
    harness, environment, sandbox = key.split("/")
    parts = dict.fromkeys(("sources", "harness", "judge", "context"), "x")
    return {
        "key": key, "harness": harness, "environment": environment, "sandbox": sandbox,
        "role": "control", "fingerprint": "f",
        "fingerprintParts": {**parts, "environment": None, "image": None, "agentCli": None},
        "environmentDigest": None, "harnessKind": harness, "model": None, "effort": None,
        "gate": "all", "overrides": [], "runs": len(attempts), "pass": count["pass"],
        "fail": count["fail"], "infraError": count["infra_error"], "skipped": count["skipped"],
        "passRate": count["pass"] / counted if counted else None, "outcome": outcome,
    }  # fmt: skip


OUTCOMES = ("pass", "fail", "infra_error", "skipped")


def make_record(*entries: dict[str, Any], **more: Any) -> dict[str, Any]:
    attempts = [a for entry in entries for a in entry["attempts"]]
    count = {o: sum(a["outcome"] == o for a in attempts) for o in OUTCOMES}
    record = {
        "kind": "reeval-run", "schemaVersion": 1, "runId": RUN, "status": "complete",
        "startedAt": "2026-11-30T17:40:47.000Z", "endedAt": "2026-11-30T17:41:59.000Z",
        "durationMs": 72_000, "author": "jane",
        "git": {
            "sha": "442ac2d4e235aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "branch": "main", "dirty": False,
            "diffHash": None, "worktreePatch": None, "worktreePatchNote": None,
            "commitTime": "2026-11-30T17:00:00Z", "shallow": False, "remote": None,
        },
        "runner": {"kind": "local", "hostHash": "h"}, "dependencies": {"lockfiles": []},
        "stack": {
            "reeval": "0.1.0", "runtime": {"name": "python", "version": "3.12.3"},
            "os": "linux", "arch": "x86_64", "images": [], "packages": {},
            "harnesses": [
                {"id": "cursor", "kind": "cursor", "model": None, "effort": None,
                 "resolvedModels": [], "resolvedEffort": []}
            ],
            "judge": {"model": None, "resolvedModels": [], "threshold": 0.8, "version": "1"},
            "context": [], "fingerprintScope": [],
        },
        "environments": [], "profile": None,
        "plan": {
            "evals": len(entries), "cells": sum(len(e["cells"]) for e in entries),
            "attempts": len(attempts), "estimateMs": 0, "sandboxWarnings": [],
        },
        "budget": None,
        "config": {
            "sandbox": "docker", "environment": None, "runs": 1, "judgeModel": None,
            "threshold": 0.8, "timeoutMs": 900_000, "concurrency": 4, "configHash": "c",
        },
        "cost": {"inputTokens": None, "outputTokens": None, "usage": None, "source": "unreported"},
        "artifacts": "all", "redaction": {"version": 1},
        "summary": {
            "evals": len(entries), "attempts": len(attempts), "pass": count["pass"],
            "fail": count["fail"], "notGated": 0, "infraError": count["infra_error"],
            "skipped": count["skipped"],
        },
        "evals": list(entries), **more,
    }  # fmt: skip
    if len(attempts) < 100:
        VALID.validate(record)
    return record


@pytest.fixture
def record() -> Callable[..., Any]:
    return make_record


@pytest.fixture
def entry() -> Callable[..., Any]:
    return make_entry


@pytest.fixture
def attempt() -> Callable[..., Any]:
    return make_attempt


@pytest.fixture
def assertion() -> Callable[..., Any]:
    return check
