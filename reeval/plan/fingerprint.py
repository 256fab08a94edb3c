"""Fingerprints: which results may be compared, and which input changed when they may not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reeval.config.model import EvalOptions, Gate, JudgeSpec
from reeval.plan.declarations import DeclaredEval
from reeval.plan.digest import digest
from reeval.plan.matrix import Arm
from reeval.plan.source import SourceFile

SCOPE = ("body", "module", "case", "options", "revision")
"""What the `sources` part hashes: the record's `fingerprintScope`."""

JUDGE_VERSION = 1
"""Another one says that the same answers of a judge are graded otherwise."""

# Left out of an eval's own options: what has a part of its own, and what only says how often or
# when an attempt runs.
_ELSEWHERE = frozenset(
    ("harness", "environment", "compare", "gate", "judge", "revision", "runs", "tags", "pin")
)


def source_record(declared: DeclaredEval, source: SourceFile) -> dict[str, str | None]:
    """The record's `EvalSource`. Case data isn't on the wire: a case counts by place and name."""
    family = declared.family
    options = [
        {key: value for key, value in level.options.items() if key not in _ELSEWHERE}
        for level in declared.levels
    ]
    return {
        "body": source.body(declared),
        "case": None if family is None else digest([family.name, family.case, declared.name]),
        "options": digest([level for level in options if level]),
    }


def sources_part(source: Mapping[str, str | None], revision: str | int | None) -> str:
    return digest({**source, "revision": revision})


def arm_parts(
    arm: Arm, options: EvalOptions, environment: str | None, context: str, gateway: str | None
) -> dict[str, str | None]:
    """The record's `FingerprintParts` but `sources`; `environment` and `context` are hashes.

    A fake agent has neither image nor CLI.
    """
    parts: dict[str, str | None] = {
        "harness": digest(replace(arm.harness, max_concurrent=None, gateway=None)),
        "environment": environment,
        "image": None,
        "agentCli": None,
        "judge": _judge(options.judge),
        "context": context,
    }
    if gateway is not None and gateway != "direct":
        parts["gateway"] = gateway
    if arm.gate != "all":
        parts["gate"] = _gate(arm.gate)
    return parts


def eval_fingerprint(cells: Mapping[str, str], sources: str) -> str:
    """An eval's: its sources and its cells' fingerprints by key."""
    return digest({"sources": sources, "cells": cells})


def _judge(judge: JudgeSpec) -> str:
    described: dict[str, Any] = {
        "version": JUDGE_VERSION,
        "judge": replace(judge, max_concurrent=None, gateway=None),
    }
    return digest(described)


def _gate(gate: Gate) -> str:
    return gate if isinstance(gate, str) else f"passRate {gate:g}"
