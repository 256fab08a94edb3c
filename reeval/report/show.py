"""The text of `reeval show`: a recorded run, or one attempt of it from every side."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from reeval.config.errors import UsageError, nearest
from reeval.report.artifacts import beside, kept_bytes, kept_lines
from reeval.report.duration import clock, took
from reeval.report.failures import STATUS_WORDS, check_note, folder_of
from reeval.report.labels import RecordLabels, eval_title, slug_words
from reeval.report.results import results_lines
from reeval.report.terminal import Terminal
from reeval.report.text import clean, excerpt_lines, one_line, pad, plural, split
from reeval.report.transcript import transcript_lines
from reeval.report.wording import (
    OUTCOME_STYLES,
    ended_by,
    error_adds,
    error_parts,
    judged,
    outcome_word,
)

if TYPE_CHECKING:
    from reeval.record.reader import RunState
    from reeval.record.schema import AttemptRecord, EvalEntry, RunHead, RunRecord

AttemptView: TypeAlias = Literal["overview", "transcript", "diff", "checks", "timing"]

_BAR = 30
_CHANGED = 50
_PRINTED = 100
_LOG_LINES = 200
_CANDIDATES = 5
_LABEL = re.compile(r"(?P<eval>[\w-]+?)(~\d+)?#(?P<n>\d{1,9})(?P<cell>.*)")
_GUESSED = 1_000
"""Attempts whose labels a misspelt one is compared with: comparing all is slow."""


def run_lines(
    record: RunRecord, terminal: Terminal, folder: Path, state: RunState = "recorded"
) -> Iterator[str]:
    """A run: where and with what it ran, then its results. `folder` holds its artifacts."""
    yield from head_lines(record)
    yield ""
    yield from results_lines(record, terminal, folder, state)


def head_lines(head: RunHead) -> Iterator[str]:
    """What a record says of the run as a whole."""
    stack, git = head["stack"], head["git"]
    yield f"run        {head['runId']} by {head['author']}"
    yield f"started    {moment(head['startedAt'])} UTC"
    if git:
        branch = f" on {git['branch']}" if git["branch"] else ""
        dirty = ", with uncommitted changes" if git["dirty"] else ""
        yield f"commit     {git['sha'][:12]}{branch}{dirty}"
    profile = head["profile"]
    if profile:
        yield f"profile    {profile['name']}: {one_line(profile['reason'])}"
    runtime = stack.get("runtime")
    under = f" · {runtime['name']} {runtime['version']}" if runtime else ""
    yield f"reeval     {stack['reeval']}{under} · {stack['os']} {stack['arch']}"
    agents = ", ".join(one_line(harness["id"]) for harness in stack["harnesses"])
    if agents:
        yield f"agents     {agents}"


def moment(iso: str) -> str:
    """`2026-11-30 17:40:47` from an ISO time."""
    return iso[:19].replace("T", " ")


# ── which attempt ────────────────────────────────────────────────────────────────────────────


def find_attempt(record: RunRecord, wanted: str) -> tuple[EvalEntry, AttemptRecord]:
    """The attempt by its key, its id, the label the run showed, or a part that only one has.

    A label that another run showed is as good, as long as only one eval's name begins so. Raises
    `UsageError` when none or several fit.
    """
    labels = RecordLabels(record)
    every = [
        (entry, attempt, labels.of(entry, attempt["cell"], attempt["n"]))
        for entry in record["evals"]
        for attempt in entry["attempts"]
    ]
    name = wanted.strip().strip("[]")
    exact = [
        one
        for one in every
        if name in (one[1]["key"], one[1]["id"], one[2], one[2].partition(" ")[0])
    ]
    low = name.lower()
    found = exact or [one for one in every if _another_label(name, *one[:2])]
    found = found or [one for one in every if low in one[1]["key"].lower() or low in one[2].lower()]
    if len(found) == 1:
        return found[0][:2]
    if not found:
        near = nearest(name, [label for _, _, label in every[:_GUESSED]])
        hint = f"; the nearest is '{near}'" if near else ""
        raise UsageError(f"no attempt of {record['runId']} is named '{name}'{hint}")
    some = ", ".join(f"'{label}'" for _, _, label in found[:_CANDIDATES])
    more = "" if len(found) <= _CANDIDATES else f" and {len(found) - _CANDIDATES} more"
    raise UsageError(f"'{name}' fits {len(found)} attempts, say which: {some}{more}")


def _another_label(wanted: str, entry: EvalEntry, attempt: AttemptRecord) -> bool:
    """Whether a label, such as `flaky-strict#1 fake`, may be the attempt's in another run."""
    found = _LABEL.fullmatch(wanted)
    if not found or int(found["n"]) != attempt["n"]:
        return False
    if not slug_words(entry["name"]).startswith(found["eval"].lower()):
        return False
    parts = {
        part
        for cell in entry["cells"]
        if cell["key"] == attempt["cell"]
        for part in (cell["harness"], cell["harnessKind"], cell["environment"], cell["sandbox"])
    }
    return parts.issuperset(found["cell"].split())


def attempt_lines(
    record: RunRecord,
    entry: EvalEntry,
    attempt: AttemptRecord,
    terminal: Terminal,
    folder: Path,
    view: AttemptView = "overview",
) -> Iterator[str]:
    """One attempt. `folder` holds the run's artifacts, which some views read."""
    label = RecordLabels(record).of(entry, attempt["cell"], attempt["n"])
    return _VIEWS[view](_Attempt(record, entry, attempt, label, terminal, folder))


class _Attempt:
    def __init__(
        self,
        record: RunRecord,
        entry: EvalEntry,
        attempt: AttemptRecord,
        label: str,
        terminal: Terminal,
        folder: Path,
    ) -> None:
        self.record = record
        self.entry = entry
        self.attempt = attempt
        self.label = label
        self.terminal = terminal
        self.folder = folder

    # ── overview ─────────────────────────────────────────────────────────────────────────────

    def overview(self) -> Iterator[str]:
        yield from self._headline()
        yield from self._error()
        yield from self._turns()
        yield from self._assertions()
        yield from self._commands()
        yield from self._judgements()
        yield from self._changes()
        yield from self._printed()
        yield from self._kept()

    def _headline(self) -> Iterator[str]:
        attempt, entry = self.attempt, self.entry
        word = self.terminal.paint(outcome_word(attempt), OUTCOME_STYLES[attempt["outcome"]])
        yield one_line(eval_title(entry["file"], entry["group"], entry["name"]))
        yield f"[{self.label}] {word} in {took(attempt['durationMs'])} · {attempt['id']}"

    def _error(self) -> Iterator[str]:
        error = self.attempt["error"]
        if error and error_adds(self.attempt):
            yield ""
            message, place = error_parts(self.attempt)
            yield self.terminal.paint(error["kind"], "red")
            yield from (f"  {line}" for line in split(message))
            if place:
                yield f"  at {place}"

    def _turns(self) -> Iterator[str]:
        turns = self.attempt["turns"]
        if turns:
            yield ""
            yield "turns"
        for number, turn in enumerate(turns, 1):
            usage = turn["usage"]
            tokens = f"{usage['input']:,} in, {usage['output']:,} out" if usage else ""
            facts = " · ".join(filter(None, (turn["model"] or "", tokens)))
            state = f"{turn['status']} {took(turn['durationMs'])}"
            yield f"  {number}  {pad(state, 16)}{one_line(turn['prompt'], 70)}"
            if facts:
                yield f"     {facts}"
            if turn["error"]:
                yield f"     {one_line(turn['error'])}"
        activity = self.attempt["activity"]
        if turns:
            tools = plural(activity["tools"], "tool call")
            yield f"     {tools}, {plural(activity['fileEdits'], 'file edit')} in all"

    def _assertions(self) -> Iterator[str]:
        assertions = self.attempt.get("assertions", [])
        if assertions:
            yield ""
            yield "checks"
        last, (_, place) = ended_by(self.attempt), error_parts(self.attempt)
        for index, assertion in enumerate(assertions):
            status = assertion["status"]
            word = pad(STATUS_WORDS[status], 8)
            style = OUTCOME_STYLES["pass" if status == "pass" else "fail"]
            soft = " (soft)" if assertion["soft"] else ""
            yield f"  {self.terminal.paint(word, style)}{one_line(assertion['label'])}{soft}"
            if status != "pass":
                yield from (f"      {line}" for line in split(assertion.get("message", "")))
            if index == last and place:
                yield f"      at {place}"

    def _commands(self) -> Iterator[str]:
        if self.attempt["checks"]:
            yield ""
            yield "commands"
        for check in self.attempt["checks"]:
            note = check_note(check)
            end = f"exit {check['exitCode']} {took(check['durationMs'])}"
            yield f"  $ {one_line(check['command'], 90)}  {end}" + (f" · {note}" if note else "")

    def _judgements(self) -> Iterator[str]:
        if self.attempt["judgements"]:
            yield ""
            yield "judge"
        for one in self.attempt["judgements"]:
            yield "  " + judged(one["verdict"], one["score"], one["threshold"], one["question"])

    def _changes(self) -> Iterator[str]:
        changed = self.attempt["changedFiles"]
        if changed:
            yield ""
            yield "changed files"
        rows = []
        for change in changed:
            count = change.get("count")
            many = f" ({plural(count, 'file')})" if count else ""
            rows.append(f"  {pad(change['status'], 10)}{one_line(change['path'])}{many}")
        yield from excerpt_lines(rows, _CHANGED)

    def _printed(self) -> Iterator[str]:
        lines = list(beside(self.folder, folder_of(self.attempt), "output.log"))
        if lines:
            yield ""
            yield "printed by the eval"
            yield from (f"  │ {clean(line)}" for line in excerpt_lines(lines, _PRINTED))

    def _kept(self) -> Iterator[str]:
        yield ""
        place = folder_of(self.attempt)
        if place is None:
            yield f"no files were kept (artifacts: {self.record['artifacts']})"
            return
        yield f"files      {self.folder / place}/"
        yield "more       --transcript, --diff, --checks or --timing"

    # ── the other views ──────────────────────────────────────────────────────────────────────

    def transcript(self) -> Iterator[str]:
        yield from self._headline()
        yield from transcript_lines(
            kept_lines(self.folder, self.attempt["files"].get("transcript"), "transcript")
        )

    def diff(self) -> Iterator[str]:
        ref = self.attempt["files"].get("diff")
        if ref is None and not self.attempt["changedFiles"]:
            yield "nothing changed"
            return
        for line in kept_lines(self.folder, ref, "diff"):
            yield self._diff_line(line)

    def _diff_line(self, line: str) -> str:
        if line.startswith(("+++", "---", "diff ", "index ")):
            return self.terminal.paint(line, "bold")
        if line.startswith("@@"):
            return self.terminal.paint(line, "cyan")
        if line.startswith(("+", "-")):
            return self.terminal.paint(line, "green" if line[0] == "+" else "red")
        return line

    def checks(self) -> Iterator[str]:
        yield from self._headline()
        yield from self._assertions()
        for check in self.attempt["checks"]:
            yield ""
            note = check_note(check)
            yield f"$ {one_line(check['command'])}"
            end = f"exit {check['exitCode']} in {took(check['durationMs'])}"
            yield f"  {end}" + (f" · {note}" if note else "")
            log = check.get("log")
            if log is not None:
                text = kept_bytes(self.folder, log, "log").decode(errors="replace")
                where = f" ({self.folder / log['path']} has them)"
                yield from (f"  {line}" for line in excerpt_lines(split(text), _LOG_LINES, where))
        yield from self._judgements()

    def timing(self) -> Iterator[str]:
        yield from self._headline()
        timings = self.attempt["timings"]
        rows: list[tuple[str, float]] = [
            ("setup", timings["setupMs"]),
            ("agent", timings["agentMs"]),
            ("diff", timings["diffMs"]),
            ("checks", timings["checksMs"]),
            ("judge", timings["judgeMs"]),
        ]
        rows += [(f"turn {n}", t["durationMs"]) for n, t in enumerate(self.attempt["turns"], 1)]
        longest = max((ms for _, ms in rows), default=0.0) or 1.0
        for name, ms in rows:
            bar = "█" * round(ms / longest * _BAR)
            yield f"  {pad(name, 10)}{took(ms):>8}  {bar}".rstrip()
        longest_tool = self.attempt["activity"]["maxToolMs"]
        if longest_tool is not None:
            yield f"  {pad('longest tool call', 18)}{took(longest_tool)}"
        yield from self._phases()

    def _phases(self) -> Iterator[str]:
        phases = list(beside(self.folder, folder_of(self.attempt), "debug.jsonl"))
        if phases:
            yield ""
            yield "phases"
        for line in phases:
            try:
                phase = json.loads(line)
                at, name, message = clock(phase["atMs"]), phase["phase"], phase["message"]
            except (ValueError, KeyError, TypeError):
                yield "  … a line that can't be read …"
                continue
            yield f"  {'+' + at:>7} {name:<9} {one_line(message)}"


_VIEWS: Mapping[AttemptView, Callable[[_Attempt], Iterator[str]]] = {
    "overview": _Attempt.overview,
    "transcript": _Attempt.transcript,
    "diff": _Attempt.diff,
    "checks": _Attempt.checks,
    "timing": _Attempt.timing,
}
