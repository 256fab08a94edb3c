"""A finished run's results as text: a line an eval, failed checks under it, counts at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from reeval.report.duration import took
from reeval.report.endings import Endings, doubted, doubts_line, eval_ending
from reeval.report.failures import (
    Group,
    answerable,
    flaky,
    folder_of,
    grouped,
    infra_groups,
    lift,
    not_gated,
    ratio,
    retried,
    where,
)
from reeval.report.labels import RecordLabels, short_title
from reeval.report.terminal import Terminal
from reeval.report.text import excerpt_lines, one_line, pad, plural, split, wrapped
from reeval.report.wording import OUTCOME_STYLES, OUTCOME_WORDS

if TYPE_CHECKING:
    from reeval.record.reader import RunState
    from reeval.record.schema import CellRecord, EvalEntry, RunRecord

EVALS = 200
"""Evals listed one by one. Of more, those that passed are only counted."""
DETAILED = 50
"""Failed evals whose checks are shown in full."""
_GROUPS = 8
_MESSAGE_LINES = 26
_INFRA = 8
_SAID = 160
_COLUMN = 17


def results_lines(
    record: RunRecord,
    terminal: Terminal,
    folder: Path,
    state: RunState = "recorded",
    *,
    logged: bool = False,
) -> Iterator[str]:
    """The whole results. `folder` is the run's artifact folder, best relative to where one types.

    `logged`: the logs of what failed stand above already, so an eval's first failed check is told
    in a line. Needs nothing from the disk but whether the record is there beside the folder.
    """
    yield from _Results(record, terminal, folder, state, logged).lines()


def counts_line(record: RunRecord, found: Endings) -> str:
    """`8 passed · 2 failed (1 not gated) · 1 infra error · 1 interrupted · 3 skipped · 1m 12s`.

    Skipped attempts have their reason: `3 skipped: the budget for the run was used up`.
    """
    summary = record["summary"]
    parts = [f"{summary['pass']:,} passed"]
    if summary["fail"]:
        free = f" ({summary['notGated']:,} not gated)" if summary["notGated"] else ""
        parts.append(f"{summary['fail']:,} failed{free}")
    if infra := summary["infraError"] - found.interrupted:
        parts.append(plural(infra, "infra error"))
    if found.interrupted:
        parts.append(f"{found.interrupted:,} interrupted")
    if skipped := summary["skipped"] - found.unstarted.total():
        parts.append(f"{skipped:,} skipped")
    parts += [f"{count:,} skipped: {why}" for why, count in found.unstarted.items()]
    return " · ".join([*parts, took(record["durationMs"])])


def evals_line(record: RunRecord, *, live: bool = False) -> str:
    """`12 evals: 10 pass · 2 fail`; of a live run also how many have no result yet."""
    entries = record["evals"]
    waiting = sum(_waits(entry) for entry in entries) if live else 0
    parts = []
    ended = Counter(map(eval_ending, entries))
    for outcome, word in OUTCOME_WORDS.items():
        count = ended[outcome]
        if outcome == "skipped":
            count -= waiting
        if count:
            parts.append(f"{count:,} {word}")
    if waiting:
        parts.append(f"{waiting:,} to come")
    return f"{plural(len(entries), 'eval')}: {' · '.join(parts) or 'none ran'}"


def cost_line(record: RunRecord) -> str:
    """The tokens of the run, or that no agent reported any."""
    cost = record["cost"]
    if cost["source"] == "unreported" or cost["inputTokens"] is None:
        return "not reported by the agent"
    line = f"{cost['inputTokens']:,} in · {cost['outputTokens'] or 0:,} out"
    usage = cost["usage"]
    return line + (f" · {usage['cacheRead']:,} read from cache" if usage else "")


def _to_come(entry: EvalEntry) -> int:
    """How many of the attempts that were planned have no result yet."""
    return sum(cell["runs"] for cell in entry["cells"]) - len(entry["attempts"])


def _waits(entry: EvalEntry) -> bool:
    """Whether an eval of a live run has no result yet: it only looks skipped."""
    return entry["outcome"] == "skipped" and _to_come(entry) > 0


class _Results:
    def __init__(
        self, record: RunRecord, terminal: Terminal, folder: Path, state: RunState, logged: bool
    ) -> None:
        self.logged = logged
        self.endings = Endings()
        self.first_failed: str | None = None
        self.state = state
        self.live = state == "running"
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
        most = EVALS if self.logged else DETAILED
        for stored in entries:
            # Each look at a stored eval's attempts reads them from the disk: here it is one.
            entry: EvalEntry = {**stored, "attempts": list(stored["attempts"])}
            for attempt in entry["attempts"]:
                self.endings.add(attempt)
            dull = entry["outcome"] in ("pass", "skipped") and not any(map(flaky, entry["cells"]))
            if quiet_passes and dull:
                unlisted += 1
                continue
            failing = entry["outcome"] == "fail" or bool(answerable(entry))
            if failing and detailed >= most:
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
        said = "to come" if self.live and _waits(entry) else OUTCOME_WORDS[eval_ending(entry)]
        word = self.terminal.paint(said, OUTCOME_STYLES[outcome])
        gap = 12 - len(said)
        title = one_line(short_title(entry["group"], entry["name"]))
        note = " (todo)" if entry["todo"] else ""
        if len(cells) == 1 and not_gated(cells[0]):
            note += " (not gated)"
        if self.live and (left := _to_come(entry)) and not _waits(entry):
            note += f" ({plural(left, 'attempt')} to come)"
        yield self.terminal.fit(f"{word}{' ' * gap}{pad(rate, _COLUMN - 12)}{title}{note}")
        if len(cells) > 1:
            for cell in cells:
                yield from self._cell(cell)
        yield from self._failed_checks(entry)
        yield from self._retried(entry)
        yield from (f"  {self.terminal.paint(one, 'yellow')}" for one in doubted(entry))

    def _cell(self, cell: CellRecord) -> Iterator[str]:
        counted = ratio(cell) or OUTCOME_WORDS[cell["outcome"]]
        free = " (not gated)" if not_gated(cell) else ""
        line = f"  {pad(counted, _COLUMN - 2)}{one_line(cell['key'])}{free}"
        yield self.terminal.fit(line)
        if gained := lift(cell):
            yield from wrapped(f"lift {gained}", self.terminal.width, "    ")

    def _failed_checks(self, entry: EvalEntry) -> Iterator[str]:
        groups = grouped(entry)
        if self.logged:
            yield from self._first_failed_check(entry, groups)
            return
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

    def _first_failed_check(self, entry: EvalEntry, groups: list[Group]) -> Iterator[str]:
        if not groups:
            return
        group = next((group for group in groups if group.finding.place), groups[0])
        finding = group.finding
        first = group.attempts[0]
        self.first_failed = self.first_failed or self.labels.of(entry, first["cell"], first["n"])
        about = where(entry, group, one_line(group.cell))
        said = f": {one_line(finding.message, _SAID)}" if finding.message else ""
        label = pad(one_line(finding.label), _COLUMN)
        status = self.terminal.paint(finding.status, "red")
        yield self.terminal.fit(f"  {label}{status}{about}{said}")
        if finding.place:
            yield f"    at {finding.place}"
        if len(groups) > 1:
            yield f"  … and {plural(len(groups) - 1, 'more failed check')}"

    def _group(self, entry: EvalEntry, group: Group) -> Iterator[str]:
        finding = group.finding
        about = where(entry, group, one_line(group.cell))
        label = pad(one_line(finding.label), _COLUMN)
        yield self.terminal.fit(f"  {label}{self.terminal.paint(finding.status, 'red')}{about}")
        lines = excerpt_lines(split(finding.message), _MESSAGE_LINES)
        yield from (f"    {self._side(line)}" for line in lines)
        if finding.place:
            yield f"    at {finding.place}"
        if finding.note:
            yield f"    {finding.note}"

    def _side(self, line: str) -> str:
        """A difference's lines: what was expected in green, what was received in red."""
        if line.startswith(("- ", "+ ")):
            return self.terminal.paint(line, "green" if line[0] == "-" else "red")
        return line

    def _retried(self, entry: EvalEntry) -> Iterator[str]:
        for finding in retried(entry)[:_GROUPS]:
            yield self.terminal.fit(f"  {pad(one_line(finding.label), _COLUMN)}{finding.status}")

    def _infra_errors(self) -> Iterator[str]:
        if self.record["summary"]["infraError"] == self.endings.interrupted:
            return
        groups = infra_groups(self.record["evals"])
        yield ""
        yield self.terminal.paint("infra errors", "yellow") + "     not counted in any pass rate"
        for message, attempts in groups[:_INFRA]:
            entry, first = attempts[0]
            label = self.labels.of(entry, first["cell"], first["n"])
            more = f" and {len(attempts) - 1:,} more" if len(attempts) > 1 else ""
            yield f"  [{label}]{more}"
            yield from (f"    {line}" for line in self._message(message))
        if len(groups) > _INFRA:
            yield f"  … and {plural(len(groups) - _INFRA, 'more kind')} of infra error"

    def _run_errors(self) -> Iterator[str]:
        errors = self.record.get("errors", [])
        if not errors:
            return
        yield ""
        yield self.terminal.paint("errors outside attempts", "red")
        for error in errors[:_INFRA]:
            yield from (f"  {line}" for line in self._message(error))
        if len(errors) > _INFRA:
            yield f"  … and {plural(len(errors) - _INFRA, 'more error')}"

    def _message(self, message: str) -> list[str]:
        if self.logged:
            return [one_line(message, _SAID)]
        return excerpt_lines(split(message), _MESSAGE_LINES)

    def _counts(self) -> Iterator[str]:
        record = self.record
        if self.live:
            yield f"status     {self.terminal.paint('running', 'yellow')}: what has ended so far"
        elif record["status"] != "complete":
            ended = {"interrupted": "interrupted", "budget": "the budget's time was up"}
            yield f"status     {self.terminal.paint(ended[record['status']], 'yellow')}"
        yield f"evals      {evals_line(record, live=self.live).partition(': ')[2]}"
        yield f"attempts   {counts_line(record, self.endings)}"
        if doubts := doubts_line(self.endings):
            yield f"unsure     {self.terminal.paint(doubts, 'yellow')}"
        yield f"tokens     {cost_line(record)}"
        if self.first_failed:
            yield f"details    reeval show {record['runId']} --attempt '{self.first_failed}'"
        path = self.folder.with_name(f"{self.folder.name}.json")
        if path.exists():
            yield f"record     {path}"
        elif self.state == "killed":
            yield "record     none yet, the run was killed: `reeval recover` writes it"
