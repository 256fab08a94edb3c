"""`reeval run --json`: each event as one JSON object a line, a `summary` object as the last."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, get_args

from reeval.engine import events as e
from reeval.report.terminal import Out
from reeval.report.text import excerpt

OUTPUT_LIMIT = 64 * 1024
"""Characters of a command's output in its event; the whole of it is in the check's log."""


class JsonReporter:
    def __init__(self, out: Out) -> None:
        self._out = out
        self.ended = False
        """Whether the last line, the summary, is written."""

    def on_event(self, event: e.RunEvent) -> None:
        self._out.json(to_json(event))
        self.ended = isinstance(event, e.RunEnded)

    def close(self) -> None:
        pass


def to_json(event: e.RunEvent) -> dict[str, Any]:
    """The event as an object: `type` in kebab-case, then its fields in camelCase."""
    special = _SPECIAL.get(type(event))
    if special is not None:
        return special(event)
    kind, names = _SHAPES[type(event)]
    out = {"type": kind}
    for name, key in names:
        out[key] = getattr(event, name)
    return out


def _run_started(event: e.RunStarted) -> dict[str, Any]:
    plan = event.plan
    return {
        "type": "run-started",
        "runId": event.run_id,
        "at": event.at,
        "concurrency": event.concurrency,
        "plan": {
            "evals": len(plan.evals),
            "cells": plan.cells,
            "attempts": plan.attempts,
            "estimateMs": plan.estimate_ms,
        },
        "warnings": list(plan.warnings),
    }


def _attempt_started(event: e.AttemptStarted) -> dict[str, Any]:
    return {
        "type": "attempt-started",
        "attempt": event.attempt,
        "eval": event.eval.id,
        "cell": event.cell.to_wire(),
        "n": event.n,
        "seq": event.seq,
        "at": event.at,
    }


def _check_ended(event: e.CheckEnded) -> dict[str, Any]:
    kind, names = _SHAPES[e.CheckEnded]
    out: dict[str, Any] = {"type": kind, **{key: getattr(event, name) for name, key in names}}
    out["output"] = excerpt(event.output, OUTPUT_LIMIT)
    return out


def _attempt_ended(event: e.AttemptEnded) -> dict[str, Any]:
    return {
        "type": "attempt-ended",
        "attempt": event.attempt,
        "eval": event.eval.id,
        "cell": event.cell.key,
        "record": event.record,
    }


def _run_ended(event: e.RunEnded) -> dict[str, Any]:
    return {
        "type": "summary",
        "runId": event.run_id,
        "status": event.status,
        "exitCode": event.exit_code,
        "summary": event.summary,
        "record": event.record,
        "tookMs": event.took_ms,
    }


def _kebab(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


_SHAPES: Mapping[type, tuple[str, tuple[tuple[str, str], ...]]] = {
    kind: (_kebab(kind.__name__), tuple((f.name, _camel(f.name)) for f in fields(kind)))
    for kind in get_args(e.RunEvent)
}
_SPECIAL: Mapping[type, Callable[[Any], dict[str, Any]]] = {
    e.RunStarted: _run_started,
    e.AttemptStarted: _attempt_started,
    e.CheckEnded: _check_ended,
    e.AttemptEnded: _attempt_ended,
    e.RunEnded: _run_ended,
}
