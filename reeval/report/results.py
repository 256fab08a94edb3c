"""A finished run's results as text: a line an eval, failed checks under it, counts at the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from reeval.report.duration import took
from reeval.report.failures import (
    Finding,
    Group,
    flaky,
    folder_of,
    grouped,
    infra_groups,
    ratio,
    retried_passes,
)
from reeval.report.labels import RecordLabels
from reeval.report.terminal import Terminal
from reeval.report.text import cut, excerpt_lines, one_line, pad, plural, split
from reeval.report.wording import OUTCOME_STYLES, OUTCOME_WORDS

if TYPE_CHECKING:
    from reeval.record.schema import CellRecord, EvalEntry, RunRecord

EVALS = 200
"""Evals listed one by one. Of more, those that passed are only counted."""
DETAILED = 50
"""Failed evals whose checks are shown."""
_GROUPS = 8
_MESSAGE_LINES = 26
_INFRA = 8
_COLUMN = 17


def results_lines(record: RunRecord, terminal: Terminal, folder: Path) -> Iterator[str]:
    """The whole results. `folder` is the run's artifact folder, best relative to where one types.

    Needs nothing from the disk but whether the record is there beside the folder.
    """
    yield from _Results(record, terminal, folder).lines()


def counts_line(record: RunRecord) -> str:
    """`attempts: 8 passed · 2 failed (1 not gated) · 1 infra error · 3 skipped · 1m 12s`."""
    summary = record["summary"]
    parts = [f"{summary['pass']:,} passed"]
    if summary["fail"]:
        free = f" ({summary['notGated']:,} not gated)" if summary["notGated"] else ""
        parts.append(f"{summary['fail']:,} failed{free}")
    if summary["infraError"]:
        parts.append(plural(summary["infraError"], "infra error"))
    if summary["skipped"]:
        parts.append(f"{summary['skipped']:,} skipped")
    return " · ".join([*parts, took(record["durationMs"])])


def evals_line(record: RunRecord) -> str:
    """`12 evals: 10 pass · 2 fail`."""
    entries = record["evals"]
    parts = []
    for outcome, word in OUTCOME_WORDS.items():
        count = sum(entry["outcome"] == outcome for entry in entries)
        if count:
            parts.append(f"{count:,} {word}")
    return f"{plural(len(entries), 'eval')}: {' · '.join(parts) or 'none ran'}"


def cost_line(record: RunRecord) -> str:
    """The tokens of the run, or that no agent reported any."""
    cost = record["cost"]
    if cost["source"] == "unreported" or cost["inputTokens"] is None:
        return "not reported by the agent"
    line = f"{cost['inputTokens']:,} in · {cost['outputTokens'] or 0:,} out"
    usage = cost["usage"]
    return line + (f" · {usage['cacheRead']:,} read from cache" if usage else "")


class _Results:
    def __init__(self, record: RunRecord, terminal: Terminal, folder: Path) -> None:
        self.record = record
        self.terminal = terminal
        self.folder = folder
        self.labels = RecordLabels(record)

    def lines(self) -> Iterator[str]:
        yield from self._evals()
        yield from self._infra_errors()
        yield from self._run_errors()
        yield ""
        yield from self._counts()

    def _evals(self) -> Iterator[str]:
        entries = self.record["evals"]
        quiet_passes = len(entries) > EVALS
        detailed = unlisted = undetailed = 0
        for entry in entries:
            dull = entry["outcome"] in ("pass", "skipped") and not any(map(flaky, entry["cells"]))
            if quiet_passes and dull:
                unlisted += 1
                continue
            failing = entry["outcome"] == "fail" or any(cell["fail"] for cell in entry["cells"])
            if failing and detailed >= DETAILED:
                undetailed += 1
                continue
            detailed += failing
            yield from self._eval(entry)
        if undetailed:
            yield f"… and {plural(undetailed, 'more eval')} with failed attempts"
        if unlisted:
            yield f"… and {plural(unlisted, 'more eval')} that passed or were skipped"

    def _eval(self, entry: EvalEntry) -> Iterator[str]:
        outcome = entry["outcome"]
        cells = entry["cells"]
        rate = ratio(cells[0]) if len(cells) == 1 else ""
        word = self.terminal.paint(OUTCOME_WORDS[outcome], OUTCOME_STYLES[outcome])
        gap = 12 - len(OUTCOME_WORDS[outcome])
        title = one_line(" › ".join((*entry["group"], entry["name"])))
        note = " (todo)" if entry["todo"] else ""
        yield self.terminal.fit(f"{word}{' ' * gap}{pad(rate, _COLUMN - 12)}{title}{note}")
        if len(cells) > 1:
            for cell in cells:
                yield self.terminal.fit(self._cell(cell))
        yield from self._failed_checks(entry)
        yield from self._retried(entry)

    def _cell(self, cell: CellRecord) -> str:
        counted = ratio(cell) or OUTCOME_WORDS[cell["outcome"]]
        line = f"  {pad(cut(one_line(cell['key']), 40), 42)}{counted}"
        lift = cell.get("lift")
        if not lift:
            return line
        low, high = lift["interval"]["lo"], lift["interval"]["hi"]
        noise = ", within noise" if lift["withinNoise"] else ""
        return f"{line}  lift {lift['points']:+.2f} (95% {low:+.2f} to {high:+.2f}{noise})"

    def _failed_checks(self, entry: EvalEntry) -> Iterator[str]:
        groups = grouped(entry, "fail")
        for group in groups[:_GROUPS]:
            yield from self._group(entry, group)
        if len(groups) > _GROUPS:
            yield f"  … and {plural(len(groups) - _GROUPS, 'more failed check')}"
        if groups:
            first = groups[0].attempts[0]
            kept = folder_of(first)
            if kept:
                yield self.terminal.paint(f"    {self.folder}/{kept}/", "dim")
            label = self.labels.of(entry, first["cell"], first["n"])
            yield self.terminal.paint(
                f"    reeval show {self.record['runId']} --attempt '{label}'", "dim"
            )

    def _group(self, entry: EvalEntry, group: Group) -> Iterator[str]:
        finding = group.finding
        where = self._where(entry, group)
        label = pad(one_line(finding.label), _COLUMN)
        yield self.terminal.fit(f"  {label}{self.terminal.paint(finding.status, 'red')}{where}")
        lines = excerpt_lines(split(finding.message), _MESSAGE_LINES)
        yield from (f"    {self._side(line)}" for line in lines)
        if finding.note:
            yield f"    {finding.note}"

    def _where(self, entry: EvalEntry, group: Group) -> str:
        """Which attempts a finding is about, where that isn't all there is."""
        if len(entry["attempts"]) == 1:
            return ""
        ns = [f"#{attempt['n']}" for attempt in group.attempts[:5]]
        if len(group.attempts) > 5:
            ns.append("…")
        where = f" in {', '.join(ns)}"
        return where + (f" of {one_line(group.cell)}" if len(entry["cells"]) > 1 else "")

    def _side(self, line: str) -> str:
        """A difference's lines: what was expected in green, what was received in red."""
        if line.startswith(("- ", "+ ")):
            return self.terminal.paint(line, "green" if line[0] == "-" else "red")
        return line

    def _retried(self, entry: EvalEntry) -> Iterator[str]:
        seen: dict[Finding, None] = {}
        for attempt in entry["attempts"]:
            if attempt["checks"]:
                seen.update(dict.fromkeys(retried_passes(attempt)))
        for finding in list(seen)[:_GROUPS]:
            yield self.terminal.fit(f"  {pad(one_line(finding.label), _COLUMN)}{finding.status}")

    def _infra_errors(self) -> Iterator[str]:
        if not self.record["summary"]["infraError"]:
            return
        groups = infra_groups(self.record["evals"])
        yield ""
        yield self.terminal.paint("infra errors", "yellow") + "     not counted in any pass rate"
        for message, attempts in groups[:_INFRA]:
            entry, first = attempts[0]
            label = self.labels.of(entry, first["cell"], first["n"])
            more = f" and {len(attempts) - 1:,} more" if len(attempts) > 1 else ""
            yield f"  [{label}]{more}"
            for line in excerpt_lines(split(message), _MESSAGE_LINES):
                yield f"    {line}"
        if len(groups) > _INFRA:
            yield f"  … and {plural(len(groups) - _INFRA, 'more kind')} of infra error"

    def _run_errors(self) -> Iterator[str]:
        errors = self.record.get("errors", [])
        if not errors:
            return
        yield ""
        yield self.terminal.paint("errors outside attempts", "red")
        for error in errors[:_INFRA]:
            for line in excerpt_lines(split(error), _MESSAGE_LINES):
                yield f"  {line}"
        if len(errors) > _INFRA:
            yield f"  … and {plural(len(errors) - _INFRA, 'more error')}"

    def _counts(self) -> Iterator[str]:
        record = self.record
        if record["status"] != "complete":
            ended = {"interrupted": "interrupted", "budget": "the budget's time was up"}
            yield f"status     {self.terminal.paint(ended[record['status']], 'yellow')}"
        yield f"evals      {evals_line(record).partition(': ')[2]}"
        yield f"attempts   {counts_line(record)}"
        yield f"tokens     {cost_line(record)}"
        path = self.folder.with_name(f"{self.folder.name}.json")
        if path.exists():  # not yet, where the results were read from a journal
            yield f"record     {path}"
