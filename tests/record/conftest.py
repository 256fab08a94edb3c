"""Plans, attempts and runs to write, and the schema that every record must fit."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from reeval.config.model import (
    Compare,
    EnvironmentSpec,
    EvalOptions,
    HarnessSpec,
    SandboxSpec,
    Settings,
)
from reeval.masking.masker import Masker
from reeval.plan.model import Cell, Plan, PlannedEval
from reeval.record.entries import end_entry, ended_entry, error_entry, started_entry
from reeval.record.opening import Opened, open_run
from reeval.record.places import ready_runs_folder

SCHEMA = json.loads(Path(__file__).parents[1].joinpath("record.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
STARTED = datetime(2026, 11, 30, 17, 40, 47, 250_000, tzinfo=UTC)
HASH = "a" * 64
NO_GIT_CONFIG = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def check(record: Any) -> Any:
    """The record, once it fits the schema."""
    errors = [f"{e.json_path}: {e.message}" for e in VALIDATOR.iter_errors(record)]
    assert errors == []
    return record


def make_cell(
    environment: str | None = None,
    *,
    harness: str = "fake",
    role: str = "control",
    gate: Any = "all",
    runs: int = 1,
    sandbox: str = "fake",
) -> Cell:
    name = environment or "-"
    return Cell(
        key=f"{harness}/{name}/{sandbox}",
        harness=HarnessSpec(kind="fake", id=harness, effort="high"),
        environment=EnvironmentSpec(name) if environment else None,
        sandbox=SandboxSpec(kind="fake", id=sandbox),
        role=role,
        variant=environment if role == "variant" else None,
        gate=gate,
        runs=runs,
        env={},
        egress="proxy",
        overrides=("rules",) if role == "variant" else (),
        environment_digest=HASH if environment else None,
        fingerprint=HASH,
        fingerprint_parts={
            "sources": HASH,
            "harness": HASH,
            "environment": None,
            "image": None,
            "agentCli": None,
            "judge": HASH,
            "context": HASH,
        },
    )


def make_eval(
    name: str,
    cells: Iterable[Cell] = (),
    *,
    skip: str | None = None,
    min_lift: float | None = None,
    **fields: Any,
) -> PlannedEval:
    compare = Compare(variants=(), min_lift=min_lift) if min_lift is not None else None
    return PlannedEval(
        id=f"evals/a.eval.py › {name}",
        slug=f"{name}-slug",
        file="evals/a.eval.py",
        group=(),
        name=name,
        body="0",
        options=EvalOptions(compare=compare, tags=("smoke",), revision=3),
        cells=tuple(cells),
        fingerprint=HASH,
        sources=({"path": "evals/a.eval.py", "sha256": HASH},),
        source={"body": HASH, "case": None, "options": HASH},
        skip=skip,
        **fields,
    )


def make_attempt(planned: PlannedEval, cell: Cell, n: int, **fields: Any) -> Any:
    """An attempt that passed, with `fields` over it."""
    attempt = {
        "key": f"{planned.id} # {cell.key}#{n}",
        "id": f"{cell.key}#{n}",
        "cell": cell.key,
        "n": n,
        "seq": n,
        "startedAt": "2026-11-30T17:40:48.000Z",
        "imageId": None,
        "env": {"vars": [], "secrets": [], "brokered": []},
        "context": [],
        "egress": None,
        "servedModels": None,
        "effort": "high",
        "servedEffort": None,
        "outcome": "pass",
        "error": None,
        "durationMs": 12,
        "turns": [],
        "usage": None,
        "timings": {"setupMs": 1, "agentMs": 2, "diffMs": 3, "checksMs": 4, "judgeMs": 0},
        "activity": {
            "tools": 0,
            "fileEdits": 0,
            "webSearches": None,
            "webFetches": None,
            "reasoningMs": 0,
            "stalledTools": 0,
            "maxToolMs": None,
        },
        "judgements": [],
        "checks": [],
        "changedFiles": [],
        "files": {},
    }
    return attempt | fields


def make_assertion(label: str, status: str = "pass") -> dict[str, Any]:
    return {"label": label, "labelled": True, "matcher": "toBe", "status": status, "soft": False}


class Runs:
    """A project whose runs are opened and journaled without an engine."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environ = {**os.environ, **NO_GIT_CONFIG, "CI": "false", "USER": "jane"}
        self.masker = Masker({})
        self.settings = Settings(root=root, hash="c" * 64)
        self.artifacts: Any = "all"
        self.start = STARTED

    @property
    def folder(self) -> Path:
        return self.root / ".reeval" / "runs"

    def open(self, *evals: PlannedEval, at: datetime = STARTED, **fields: Any) -> Opened:
        plan = Plan(settings=self.settings, evals=evals, **fields)
        return open_run(
            plan,
            ready_runs_folder(self.root),
            at,
            concurrency=2,
            artifacts=self.artifacts,
            environ=self.environ,
            masker=self.masker,
        )

    @staticmethod
    def journal(opened: Opened, *entries: bytes) -> None:
        """Appends the entries, and returns once they are synced."""

        async def append() -> None:
            await asyncio.gather(*[opened.journal.append(entry) for entry in entries])

        asyncio.run(append())

    @staticmethod
    def ended(*attempts: Any) -> list[bytes]:
        return [ended_entry(attempt) for attempt in attempts]

    @staticmethod
    def started(attempt: Any) -> bytes:
        return started_entry({k: attempt[k] for k in ("key", "cell", "n", "seq", "startedAt")})

    @staticmethod
    def error(message: str) -> bytes:
        return error_entry(message)

    @staticmethod
    def end(status: str = "complete", stopped: str | None = None) -> bytes:
        end = {"status": status, "endedAt": "2026-11-30T17:41:47.250Z", "durationMs": 60_000}
        return end_entry(end | ({"stopped": stopped} if stopped else {}))


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


@pytest.fixture
def valid() -> Callable[[Any], Any]:
    return check


@pytest.fixture
def cell() -> Callable[..., Cell]:
    return make_cell


@pytest.fixture
def planned() -> Callable[..., PlannedEval]:
    return make_eval


@pytest.fixture
def attempt() -> Callable[..., Any]:
    return make_attempt


@pytest.fixture
def assertion() -> Callable[..., dict[str, Any]]:
    return make_assertion


class Repository:
    """A git repository with one commit."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "Jane Döe")
        self.git("config", "user.email", "jane@example.com")
        self.write("kept.txt", b"one\ntwo\nthree\n")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message=first")

    def git(self, *arguments: str) -> str:
        clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | NO_GIT_CONFIG
        done = subprocess.run(
            ("git", *arguments), cwd=self.path, env=clean, check=True, capture_output=True
        )
        return done.stdout.decode().strip()

    def write(self, name: str, data: bytes) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    path = tmp_path / "repository"
    path.mkdir()
    return Repository(path)


@pytest.fixture
def valid_def() -> Callable[[str, Any], Any]:
    """The value, once it fits the schema's definition of that name."""

    def fits(name: str, value: Any) -> Any:
        jsonschema.validate(value, {**SCHEMA, "$ref": f"#/$defs/{name}"})
        return value

    return fits


@pytest.fixture
def no_git_config() -> dict[str, str]:
    """The environment without the machine's own git settings or CI."""
    ours = {k: v for k, v in os.environ.items() if k not in ("CI", "GITHUB_ACTIONS", "GITLAB_CI")}
    return ours | NO_GIT_CONFIG
