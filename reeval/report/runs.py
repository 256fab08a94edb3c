"""The table of `reeval runs`: a line a stored run, from the records' heads alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from reeval.report.duration import took
from reeval.report.show import moment
from reeval.report.terminal import Terminal
from reeval.report.text import one_line, pad, width_of

if TYPE_CHECKING:
    from reeval.record.reader import Listed, RunState
    from reeval.record.schema import RunHead

_TITLES = ("run", "started (UTC)", "took", "evals", "pass", "fail", "infra", "status", "branch")
_NUMBERS = frozenset({"took", "evals", "pass", "fail", "infra"})
_FIRST_TO_GO = ("branch", "started (UTC)", "took", "evals", "status")
"""Columns that a narrow terminal does without, in this order; the others always stay."""


def runs_lines(runs: Iterable[Listed], terminal: Terminal) -> Iterator[str]:
    """The runs in the order given, under a line of titles; a sentence when there are none.

    One whose record can't be read has a sentence instead of its numbers.
    """
    rows = [_row(run) for run in runs]
    if not rows:
        yield "no runs yet: `reeval run` makes one"
        return
    widths = {
        title: max(width_of(title), *(width_of(row.get(title, "")) for row, _ in rows))
        for title in _TITLES
    }
    columns = list(_TITLES)
    for title in _FIRST_TO_GO:
        if terminal.width is None or _total(columns, widths) <= terminal.width:
            break
        columns.remove(title)
    yield terminal.paint(_line(dict(zip(_TITLES, _TITLES, strict=True)), columns, widths), "dim")
    for row, problem in rows:
        if problem:
            yield terminal.fit(f"{pad(row['run'], widths['run'] + 2)}{problem}")
        else:
            line = _line(row, columns, widths)
            yield terminal.paint(line, "red") if row["fail"] != "0" else line


def _row(run: Listed) -> tuple[dict[str, str], str]:
    """The run's cells by title, or only its name and what is wrong with its record."""
    problem = run.problem
    if run.head is not None:
        try:
            return _cells(run.head, run.state), ""
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            # It is JSON, but none that reeval wrote: a damaged byte may be in a name.
            problem = f"this record is damaged ({type(error).__name__}: {error})"
    return {"run": one_line(run.run_id)}, one_line(problem)


def _cells(head: RunHead, state: RunState) -> dict[str, str]:
    summary, git = head["summary"], head["git"]
    return {
        "run": one_line(head["runId"]),
        "started (UTC)": moment(head["startedAt"])[:16],
        "took": took(head["durationMs"]),
        "evals": str(summary["evals"]),
        "pass": str(summary["pass"]),
        "fail": str(summary["fail"]),
        "infra": str(summary["infraError"]),
        "status": "running" if state == "running" else head["status"],
        "branch": one_line((git["branch"] if git else None) or "", 30),
    }


def _total(columns: list[str], widths: dict[str, int]) -> int:
    return sum(widths[title] + 2 for title in columns) - 2


def _line(row: dict[str, str], columns: list[str], widths: dict[str, int]) -> str:
    cells = []
    for title in columns:
        gap = " " * (widths[title] - width_of(row[title]))
        cells.append(gap + row[title] if title in _NUMBERS else row[title] + gap)
    return "  ".join(cells).rstrip()
