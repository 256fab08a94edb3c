"""What a record holds before the first attempt: the run's header, and its evals as planned."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from reeval.config.durations import parse_duration
from reeval.config.model import EvalOptions, FakeJudge, Gate, JudgeSpec, Settings
from reeval.grading.judge import FAKE_JUDGE
from reeval.harness.events import iso
from reeval.plan.fingerprint import JUDGE_VERSION, SCOPE
from reeval.plan.model import Cell, Plan, PlannedEval
from reeval.record.entries import PlannedLine
from reeval.record.machine import lockfiles, package_versions, runner_info
from reeval.record.schema import (
    ArtifactLevel,
    CellGate,
    EnvironmentRecord,
    EvalCompareMeta,
    EvalSource,
    FingerprintParts,
    GitInfo,
    HashedFile,
    Language,
    PlannedCell,
    PlannedEntry,
    RunBudget,
    RunConfig,
    RunHeader,
    StackHarness,
    StackJudge,
)
from reeval.version import VERSION


def run_header(
    plan: Plan,
    *,
    run_id: str,
    started: datetime,
    concurrency: int,
    artifacts: ArtifactLevel,
    author: str,
    git: GitInfo | None,
    top: Path | None,
    environ: Mapping[str, str],
) -> RunHeader:
    """Everything known before the first attempt; `top` is the repository's folder, if any."""
    settings = plan.settings
    judge = run_judge(settings, plan.profile)
    return {
        "kind": "reeval-run",
        "schemaVersion": 1,
        "runId": run_id,
        "startedAt": iso(started.timestamp()),
        "author": author,
        "git": git,
        "runner": runner_info(environ),
        "dependencies": {"lockfiles": lockfiles(settings.root, top)},
        "stack": {
            "reeval": VERSION,
            "runtime": {"name": "python", "version": platform.python_version()},
            "language": _language(plan),
            "os": platform.system().lower(),
            "arch": platform.machine(),
            "images": [],
            "packages": package_versions(),
            "harnesses": _harnesses(plan),
            "judge": judge,
            "context": [],
            "fingerprintScope": list(SCOPE),
        },
        "environments": [cast(EnvironmentRecord, dict(e)) for e in plan.environments],
        "profile": None if plan.profile is None else dict(plan.profile),
        "plan": {
            "evals": sum(planned.skip is None for planned in plan.evals),
            "cells": plan.cells,
            "attempts": plan.attempts,
            "estimateMs": plan.estimate_ms,
            "sandboxWarnings": [],
        },
        "budget": _budget(settings),
        "config": _config(plan, judge, concurrency),
        "artifacts": artifacts,
        "redaction": {"version": 1},
    }


def eval_entries(plan: Plan) -> Iterator[PlannedLine]:
    """Each eval as its record begins, in the plan's order."""
    for planned in plan.evals:
        out: PlannedLine = {"entry": _entry(planned)}
        if planned.skip is not None:
            out["skip"] = planned.skip
        if planned.options.compare is not None and planned.options.compare.min_lift is not None:
            out["minLift"] = planned.options.compare.min_lift
        yield out


# ── the run ──────────────────────────────────────────────────────────────────────────────────


def _language(plan: Plan) -> Language:
    """What eval files are written in, and which version of it runs them."""
    version = plan.language_version
    return {"name": "python", "version": version} if version else {"name": "python"}


def _harnesses(plan: Plan) -> list[StackHarness]:
    specs = {cell.harness.id: cell.harness for planned in plan.evals for cell in planned.cells}
    return [
        {
            "id": spec.id,
            "kind": spec.kind,
            "model": spec.model,
            "effort": spec.effort,
            "resolvedModels": [],
            "resolvedEffort": [],
        }
        for spec in specs.values()
    ]


def run_judge(settings: Settings, profile: Mapping[str, Any] | None) -> StackJudge:
    """The config's judge, under what the profile in use sets."""
    judge: dict[str, Any] = {}
    for layer in _layers(settings, profile):
        own = layer.get("judge") or {}
        state = {**judge.get("state", {}), **own.get("state", {})}
        judge = {**judge, **own, **({"state": state} if state else {})}
    out: StackJudge = {
        "model": _model_name(judge.get("model")),
        "resolvedModels": [],
        "threshold": judge.get("threshold", JudgeSpec().threshold),
        "version": str(JUDGE_VERSION),
    }
    if judge.get("state"):
        out["state"] = judge["state"]
    return out


def _model_name(model: object) -> str | None:
    if model is None or isinstance(model, str):
        return model
    return FAKE_JUDGE if isinstance(model, FakeJudge | Mapping) else str(model)


def _layers(settings: Settings, profile: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """The raw options that hold for every eval: the config's, then the profile's defaults."""
    used = settings.profiles.get(profile["name"]) if profile is not None else None
    return [settings.options, *([used.defaults] if used is not None else [])]


def _budget(settings: Settings) -> RunBudget | None:
    out: RunBudget = {}
    if settings.budget.attempts is not None:
        out["attempts"] = settings.budget.attempts
    if settings.budget.duration is not None:
        out["duration"] = settings.budget.duration
    return out or None


def _config(plan: Plan, judge: StackJudge, concurrency: int) -> RunConfig:
    settings = plan.settings
    options: dict[str, Any] = {}
    for layer in _layers(settings, plan.profile):
        options |= layer
    sandboxes = dict.fromkeys(
        cell.sandbox.id for e in plan.evals if e.skip is None for cell in e.cells
    )
    return {
        "sandbox": ", ".join(sandboxes),
        "environment": _name(options.get("environment")),
        "runs": options.get("runs", EvalOptions().runs),
        "judgeModel": judge["model"],
        "threshold": judge["threshold"],
        "timeoutMs": _milliseconds(options.get("timeout", EvalOptions().timeout)),
        "concurrency": concurrency,
        "configHash": settings.hash,
    }


def _name(environment: object) -> str | None:
    if isinstance(environment, Mapping):
        environment = environment.get("name")
    return environment if isinstance(environment, str) else getattr(environment, "name", None)


def _milliseconds(duration: str | float) -> float:
    seconds = parse_duration(duration) if isinstance(duration, str) else duration
    return round((seconds or 0.0) * 1000, 3)


# ── an eval ──────────────────────────────────────────────────────────────────────────────────


def _entry(planned: PlannedEval) -> PlannedEntry:
    entry: PlannedEntry = {
        "id": planned.id,
        "key": planned.id,
        "slug": planned.slug,
        "file": planned.file,
        "group": list(planned.group),
        "name": planned.name,
        "fingerprint": planned.fingerprint,
        "sources": [cast(HashedFile, dict(source)) for source in planned.sources],
        "source": cast(EvalSource, dict(planned.source)),
        "tags": list(planned.options.tags),
        "todo": planned.todo,
        "cells": [_cell(cell) for cell in planned.cells],
    }
    if planned.options.revision is not None:
        entry["revision"] = planned.options.revision
    if planned.compare_baseline is not None:
        entry["compare"] = cast(EvalCompareMeta, dict(planned.compare_baseline))
    if planned.family is not None:
        family = planned.family
        entry["family"] = {
            "id": family.id,
            "name": family.name,
            "case": family.case,
            "cases": family.cases,
        }
    return entry


def _cell(cell: Cell) -> PlannedCell:
    out: PlannedCell = {
        "key": cell.key,
        "harness": cell.harness.id,
        "environment": cell.environment_name,
        "sandbox": cell.sandbox.id,
        "role": cell.role,
        "fingerprint": cell.fingerprint,
        "fingerprintParts": cast(FingerprintParts, dict(cell.fingerprint_parts)),
        "environmentDigest": cell.environment_digest,
        "harnessKind": cell.harness.kind,
        "model": cell.harness.model,
        "effort": cell.harness.effort,
        "gate": _gate(cell.gate),
        "overrides": list(cell.overrides),
        "runs": cell.runs,
    }
    if cell.variant is not None:
        out["variant"] = cell.variant
    if cell.gateway is not None:
        out["gateway"] = cell.gateway
    return out


def _gate(gate: Gate) -> CellGate:
    if isinstance(gate, float):
        return {"passRate": gate}
    return gate
