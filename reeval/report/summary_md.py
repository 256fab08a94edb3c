"""`summary.md`: a run's record as a Markdown page, for a CI job's summary or to read as it is."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from reeval.report.endings import doubted, doubts_line, endings, interrupted
from reeval.report.failures import (
    Group,
    answerable,
    eval_order,
    flaky,
    folder_of,
    grouped,
    infra_groups,
    lift,
    not_gated,
    ratio,
    retried,
    too_low,
    where,
)
from reeval.report.labels import RecordLabels, eval_title, short_title
from reeval.report.markdown import code, cut_page, escape, fence
from reeval.report.results import cost_line, counts_line, evals_line
from reeval.report.text import excerpt_lines, plural, split
from reeval.report.wording import OUTCOME_WORDS

if TYPE_CHECKING:
    from reeval.record.schema import CellRecord, EvalEntry, RunRecord

STEP_SUMMARY_BYTES = 1024 * 1024 - 1024
"""A step's summary on GitHub may have 1 MiB; more of it and all is dropped. A little room stays."""

_ICONS = {"pass": "✅", "fail": "❌", "infra_error": "⚠️", "skipped": "⏭️"}
_ROWS = 300
_DETAILED = 50
_GROUPS = 8
_LISTED = 20
_MESSAGE_LINES = 30


def summary_markdown(record: RunRecord) -> str:
    """The whole page, from the record alone."""
    return "\n".join(_Page(record).lines()) + "\n"


def step_summary(page: str, limit: int = STEP_SUMMARY_BYTES) -> str:
    """The page cut to `limit` bytes, with a note where it was."""
    return cut_page(page, limit, "_Cut here: the whole page is `summary.md` among the artifacts._")


def append_step_summary(page: str, environ: Mapping[str, str]) -> bool:
    """Appends the page to `$GITHUB_STEP_SUMMARY`; False where there is none or no room is left.

    Raises `OSError` when the file can't be written.
    """
    path = environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return False
    there = 0
    with suppress(OSError):
        there = Path(path).stat().st_size
    room = STEP_SUMMARY_BYTES - there
    if room < 1024:
        return False
    with open(path, "a", encoding="utf-8") as file:
        file.write(("\n" if there else "") + step_summary(page, room))
    return True


class _Page:
    def __init__(self, record: RunRecord) -> None:
        self.record = record
        self.labels = RecordLabels(record)
        self.endings = endings(record)
        self.folder = f".reeval/runs/{record['runId']}"

    def lines(self) -> Iterator[str]:
        yield from self._headline()
        yield from self._run_errors()
        yield from self._table()
        yield from self._failed_checks()
        yield from self._infra_errors()
        yield from self._flaky()
        yield from self._retried()
        yield from self._doubted()
        yield from self._reproduce()

    def _headline(self) -> Iterator[str]:
        record = self.record
        yield f"## {self._verdict()}"
        yield ""
        yield f"**Evals:** {evals_line(record).partition(': ')[2]}  "
        yield f"**Attempts:** {counts_line(record, self.endings)}  "
        if doubts := doubts_line(self.endings):
            yield f"**Unsure:** {doubts}  "
        yield f"**Tokens:** {cost_line(record)}  "
        if record["status"] == "interrupted":
            yield "**Interrupted:** attempts that had not started are skipped.  "
        elif record["status"] == "budget":
            yield "**Budget:** its time was up, attempts that had not started are skipped.  "
        yield f"**Run:** {code(record['runId'])}{self._commit()}{self._profile()}"
        yield ""

    def _verdict(self) -> str:
        record, total = self.record, len(self.record["evals"])
        count = Counter(entry["outcome"] for entry in record["evals"])
        if count["fail"]:
            return f"{_ICONS['fail']} reeval: {count['fail']:,} of {plural(total, 'eval')} failed"
        if errors := record.get("errors"):
            return f"{_ICONS['fail']} reeval: {plural(len(errors), 'error')} outside attempts"
        if infra := record["summary"]["infraError"] - self.endings.interrupted:
            return f"{_ICONS['infra_error']} reeval: {plural(infra, 'infra error')}, no failure"
        if why := self._stopped():
            passed = f", {plural(count['pass'], 'eval')} passed" if count["pass"] else ""
            return f"⏹️ reeval: {why}{passed}"
        if not count["pass"]:
            return f"{_ICONS['skipped']} reeval: no eval ran"
        return f"{_ICONS['pass']} reeval: {plural(count['pass'], 'eval')} passed"

    def _stopped(self) -> str:
        """Why attempts were left, of a run that didn't get to its end."""
        if self.record["status"] == "interrupted" or self.endings.interrupted:
            return "the run was interrupted"
        if self.endings.unstarted:
            return next(iter(self.endings.unstarted))
        return "the budget for the run was used up" if self.record["status"] == "budget" else ""

    def _commit(self) -> str:
        git = self.record["git"]
        if git is None:
            return ""
        branch = f" on {code(git['branch'])}" if git["branch"] else ""
        dirty = " with uncommitted changes" if git["dirty"] else ""
        return f" · commit {code(git['sha'][:12])}{branch}{dirty}"

    def _profile(self) -> str:
        profile = self.record["profile"]
        return f" · profile {code(profile['name'])}" if profile else ""

    def _run_errors(self) -> Iterator[str]:
        errors = self.record.get("errors", [])
        if not errors:
            return
        yield from _heading("Errors outside attempts")
        for error in errors[:_LISTED]:
            yield from fence(excerpt_lines(split(error), _MESSAGE_LINES))
            yield ""
        yield from _more(len(errors) - _LISTED, "error")

    def _table(self) -> Iterator[str]:
        rows = [
            (entry, cell) for entry in eval_order(self.record["evals"]) for cell in entry["cells"]
        ]
        if not rows:
            return
        lifted = any("lift" in cell for _, cell in rows)
        yield f"| | Eval | File | Cell | Passed |{' Lift |' if lifted else ''}"
        yield f"|---|---|---|---|---|{'---|' if lifted else ''}"
        for entry, cell in rows[:_ROWS]:
            last = f" {lift(cell)} |" if lifted else ""
            title = escape(short_title(entry["group"], entry["name"]), 120)
            icon = "➖" if not_gated(cell) else _ICONS[cell["outcome"]]
            key = code(cell["key"], 60, in_table=True)
            file = code(entry["file"], 60, in_table=True)
            yield f"| {icon} | {title} | {file} | {key} | {_passed(entry, cell)} |{last}"
        yield ""
        yield from _more(len(rows) - _ROWS, "row")

    def _failed_checks(self) -> Iterator[str]:
        failing = [e for e in self.record["evals"] if e["outcome"] == "fail" or answerable(e)]
        if not failing:
            return
        yield from _heading("Failed checks")
        for entry in failing[:_DETAILED]:
            yield from self._failing_eval(entry)
        yield from _more(len(failing) - _DETAILED, "eval with failed attempts",
                         "evals with failed attempts")  # fmt: skip

    def _failing_eval(self, entry: EvalEntry) -> Iterator[str]:
        groups = grouped(entry)
        yield from _heading(escape(eval_title(entry["file"], entry["group"], entry["name"])), 4)
        for cell in filter(too_low, entry["cells"]):
            yield from (f"- **lift** of {code(cell['key'])}: {lift(cell)}", "")
        for group in groups[:_GROUPS]:
            yield from self._group(entry, group)
        yield from _more(len(groups) - _GROUPS, "failed check")
        first = groups[0].attempts[0] if groups else None
        place = folder_of(first) if first else None
        if place:
            yield f"Artifacts: {code(f'{self.folder}/{place}/')}"
            yield ""

    def _group(self, entry: EvalEntry, group: Group) -> Iterator[str]:
        finding = group.finding
        about = where(entry, group, code(group.cell))
        note = f" ({finding.note})" if finding.note else ""
        yield f"- **{escape(finding.label)}** {finding.status}{about}{note}"
        message = excerpt_lines(split(finding.message), _MESSAGE_LINES)
        if message:
            yield ""
            yield from fence(message, indent="  ")
        if finding.place:
            yield from ("", f"  at {code(finding.place)}")
        yield ""

    def _infra_errors(self) -> Iterator[str]:
        groups = infra_groups(self.record["evals"])
        if not groups:
            return
        yield from _heading("Infra errors")
        yield "These attempts got no fair try, so they count in no pass rate."
        yield ""
        for message, attempts in groups[:_LISTED]:
            entry, first = attempts[0]
            label = self.labels.of(entry, first["cell"], first["n"])
            more = f" and {len(attempts) - 1:,} more" if len(attempts) > 1 else ""
            yield f"- {code(label)}{more}"
            yield ""
            yield from fence(excerpt_lines(split(message), _MESSAGE_LINES), indent="  ")
            yield ""
        yield from _more(len(groups) - _LISTED, "kind of infra error", "kinds of infra error")

    def _flaky(self) -> Iterator[str]:
        found = [(e, cell) for e in self.record["evals"] for cell in e["cells"] if flaky(cell)]
        if not found:
            return
        yield from _heading("Flaky")
        for entry, cell in found[:_LISTED]:
            title = escape(short_title(entry["group"], entry["name"]), 120)
            rate = ratio(cell).removeprefix("flaky ")
            yield f"- {rate} {title} ({code(cell['key'], 60)})"
        yield ""
        yield from _more(len(found) - _LISTED, "flaky cell")

    def _retried(self) -> Iterator[str]:
        found = [(entry["name"], one) for entry in self.record["evals"] for one in retried(entry)]
        if not found:
            return
        yield from _heading("Passed only when tried again")
        for name, finding in found[:_LISTED]:
            yield f"- {escape(name, 120)}: **{escape(finding.label, 90)}** {finding.status}"
        yield ""
        yield from _more(len(found) - _LISTED, "check")

    def _doubted(self) -> Iterator[str]:
        if not self.endings.doubts:
            return
        yield from _heading("Passed, but look again")
        found = [(entry["name"], one) for entry in self.record["evals"] for one in doubted(entry)]
        for name, doubt in found[:_LISTED]:
            yield f"- {escape(name, 120)}: {doubt}"
        yield ""
        yield from _more(len(found) - _LISTED, "eval")

    def _reproduce(self) -> Iterator[str]:
        record, git = self.record, self.record["git"]
        steps = []
        if git:
            steps.append(f"git checkout {shlex.quote(git['sha'])}")
            if git["worktreePatch"]:
                patch = f"{self.folder}/{git['worktreePatch']['path']}"
                steps.append(f"git apply --binary {shlex.quote(patch)}")
        steps.append(f"reeval run{self._selection()}")
        steps.append(f"reeval show {shlex.quote(record['runId'])}")
        yield from _heading("Again, and in detail")
        yield from fence([line for step in steps for line in split(step)], "sh")
        if git and git["worktreePatchNote"]:
            yield ""
            yield f"The uncommitted changes weren't kept: {escape(git['worktreePatchNote'])}."

    def _selection(self) -> str:
        """The failed evals' files where only some failed, else nothing, which runs everything."""
        failed = {e["file"] for e in self.record["evals"] if e["outcome"] == "fail"}
        every = {e["file"] for e in self.record["evals"]}
        if not failed or failed == every or len(failed) > 5:
            return ""
        return "".join(f" {shlex.quote(file)}" for file in sorted(failed))


def _passed(entry: EvalEntry, cell: CellRecord) -> str:
    counted = cell["pass"] + cell["fail"]
    rest = ["not gated"] if not_gated(cell) else []
    if cell["infraError"]:
        own = (a for a in entry["attempts"] if a["cell"] == cell["key"])
        stopped = sum(map(interrupted, own))
        if infra := cell["infraError"] - stopped:
            rest.append(plural(infra, "infra error"))
        if stopped:
            rest.append(f"{stopped:,} interrupted")
    if cell["skipped"]:
        rest.append(f"{cell['skipped']} skipped")
    rate = f"{cell['pass']}/{counted}" if counted else OUTCOME_WORDS[cell["outcome"]]
    return " · ".join([rate, *rest]) if counted or not rest else " · ".join(rest)


def _heading(text: str, level: int = 3) -> Iterator[str]:
    yield from (f"{'#' * level} {text}", "")


def _more(count: int, word: str, many: str | None = None) -> Iterator[str]:
    if count > 0:
        yield from (f"… and {count:,} more {word if count == 1 else many or word + 's'}", "")
