"""What `reeval list` and `reeval run --dry-run` print: the plan as text or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from reeval.plan.model import Cell, Plan, PlannedEval
from reeval.report.duration import took
from reeval.report.labels import short_title
from reeval.report.terminal import Terminal
from reeval.report.text import one_line, plural, split

Durations = Mapping[tuple[str, str], float]
"""(eval id, cell key) → how many ms an attempt took in the last runs."""


def plan_lines(plan: Plan, terminal: Terminal, durations: Durations) -> Iterator[str]:
    """Every eval under its file with its cells, then what can't run, then the sums."""
    for file, evals in groupby(plan.evals, key=lambda planned: planned.file):
        yield terminal.paint(one_line(file), "bold")
        for planned in evals:
            yield from (terminal.fit(line) for line in _eval(planned, terminal, durations))
    for failure in plan.failures:
        yield terminal.paint("error:", "red") + f" {one_line(failure.file)}: {failure.message}"
        yield from (f"  {line}" for line in split(failure.detail))
    for warning in plan.warnings:
        yield terminal.paint("warning:", "yellow") + f" {one_line(warning)}"
    if plan.evals or plan.failures:
        yield ""
    yield _sums(plan)


def _eval(planned: PlannedEval, terminal: Terminal, durations: Durations) -> Iterator[str]:
    title = one_line(short_title(planned.group, planned.name))
    tags = "".join(f" [{one_line(tag)}]" for tag in planned.options.tags)
    if planned.skip is not None:
        kind, why = "todo" if planned.todo else "skip", one_line(planned.skip)
        why = kind if why == kind else f"{kind}: {why}"
        yield f"  {title}{tags}  {terminal.paint(f'({why})', 'dim')}"
        return
    if len(planned.cells) == 1:
        yield f"  {title}{tags}  {_cell(planned, planned.cells[0], durations)}"
        return
    yield f"  {title}{tags}"
    for cell in planned.cells:
        role = "" if cell.variant is None else "  variant"
        yield f"    {_cell(planned, cell, durations)}{role}"


def _cell(planned: PlannedEval, cell: Cell, durations: Durations) -> str:
    last = durations.get((planned.id, cell.key))
    known = "" if last is None else f"  {took(last)} each"
    return f"{cell.runs} × {one_line(cell.key)}{known}"


def _sums(plan: Plan) -> str:
    running = sum(planned.skip is None for planned in plan.evals)
    parts = [
        plural(running, "eval"),
        plural(plan.cells, "cell"),
        plural(plan.attempts, "attempt"),
    ]
    skipped = len(plan.evals) - running
    if skipped:
        parts.append(f"{skipped:,} skipped")
    if plan.failures:
        parts.append(f"{plural(len(plan.failures), 'file')} didn't load")
    if plan.profile:
        parts.append(f"profile {plan.profile['name']}")
    if plan.estimate_ms > 0:
        parts.append(f"{took(plan.estimate_ms)} of attempt time, by the last runs")
    elif plan.attempts:
        parts.append("never run so far")
    return " · ".join(parts)


def plan_json(plan: Plan, durations: Durations) -> dict[str, Any]:
    """The plan as an object for `--json`; `lastMs` is null where no run is known."""
    return {
        "evals": [_eval_json(planned, durations) for planned in plan.evals],
        "failures": [
            {"file": f.file, "message": f.message, "detail": f.detail} for f in plan.failures
        ],
        "warnings": list(plan.warnings),
        "profile": plan.profile,
        "cells": plan.cells,
        "attempts": plan.attempts,
        "estimateMs": plan.estimate_ms,
    }


def _eval_json(planned: PlannedEval, durations: Durations) -> dict[str, Any]:
    return {
        "id": planned.id,
        "file": planned.file,
        "group": list(planned.group),
        "name": planned.name,
        "tags": list(planned.options.tags),
        "skip": planned.skip,
        "todo": planned.todo,
        "cells": [
            {
                **cell.to_wire(),
                "runs": cell.runs,
                "fingerprint": cell.fingerprint,
                "lastMs": durations.get((planned.id, cell.key)),
            }
            for cell in planned.cells
        ],
    }
