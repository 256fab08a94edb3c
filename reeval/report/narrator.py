"""A run's events as the lines worth saying, in a pipe or above the live table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from reeval.engine import events as e
from reeval.report.duration import time_of_day, took
from reeval.report.failures import folder_of
from reeval.report.labels import eval_title
from reeval.report.log import FULL, SHORT, AttemptLog, LoggedEvent, closing, printed
from reeval.report.progress import Progress
from reeval.report.reporter import ReportOptions
from reeval.report.terminal import Terminal
from reeval.report.text import one_line, plural, split
from reeval.report.wording import OUTCOME_STYLES, error_parts, outcome_word

_STOPPING = {
    "interrupt": "interrupted: ending what runs; press Ctrl-C again to leave at once",
    "budget": "the budget's time is up: no new attempt starts",
    "bail": "--bail: no new attempt starts",
}


class Narrator:
    """Turns events into the lines to print now, and keeps `progress` and the logs in flight.

    `every_end`: an attempt that has nothing else to show still gets a line when it ends.
    """

    def __init__(self, options: ReportOptions, terminal: Terminal, *, every_end: bool) -> None:
        self.progress = Progress()
        self._terminal = terminal
        self._every_end = every_end
        self._verbose = options.verbose
        self._logs_wanted = options.logs
        self._streams = options.order == "stream" and options.logs == "full"
        self._keeps = options.logs != "none" and not self._streams
        self._logs: dict[str, AttemptLog] = {}
        self._run_id = ""

    def lines_of(self, event: e.RunEvent) -> Iterable[str]:
        """Folds the event and gives the lines it is worth, mostly none."""
        say = _SAY.get(type(event))
        if type(event) is e.AttemptEnded:  # its flight ends with the fold
            lines = self._attempt_ended(event)
            self.progress.on_event(event)
            return lines
        self.progress.on_event(event)
        return say(self, event) if say else ()

    # ── the run ──────────────────────────────────────────────────────────────────────────────

    def _run_started(self, event: e.RunStarted) -> Iterable[str]:
        plan = event.plan
        self._run_id = event.run_id
        parts = [
            f"run {event.run_id}",
            plural(sum(planned.skip is None for planned in plan.evals), "eval"),
            plural(plan.attempts, "attempt"),
            f"{event.concurrency} at once",
        ]
        if plan.estimate_ms > 0:
            parts.append(f"{took(plan.estimate_ms)} of attempt time, by the last runs")
        yield " · ".join(parts)
        for warning in plan.warnings:
            yield self._terminal.paint("warning:", "yellow") + f" {one_line(warning)}"

    def _run_error(self, event: e.RunError) -> Iterable[str]:
        first, *rest = split(event.message) or [""]
        yield self._terminal.paint("error:", "red") + f" {first}"
        yield from (f"  {line}" for line in rest)

    def _notice(self, event: e.Notice) -> Iterable[str]:
        return split(event.message)

    def _stopping(self, event: e.Stopping) -> Iterable[str]:
        return (_STOPPING[event.reason],)

    def _run_ended(self, event: e.RunEnded) -> Iterable[str]:
        if event.record is None:
            yield self._terminal.paint("error:", "red") + (
                f" the record of {event.run_id} could not be written; its journal holds what "
                "finished: make room, then `reeval recover`"
            )

    # ── an attempt ───────────────────────────────────────────────────────────────────────────

    def _attempt_started(self, event: e.AttemptStarted) -> Iterable[str]:
        if self._keeps or self._streams:
            lines = FULL if self._logs_wanted == "full" else SHORT
            self._logs[event.attempt] = AttemptLog(lines)
        if self._streams:
            flight = self.progress.flying[event.attempt]
            return (f"[{flight.label}] ▶ {one_line(flight.title)}",)
        return ()

    def _phase(self, event: e.Phase) -> Iterable[str]:
        if not self._verbose:
            return ()
        label = self.progress.label(event.attempt)
        at = time_of_day(event.at)
        return (f"[{label}] {at} {event.phase:<9} {one_line(event.message)}",)

    def _logged(self, event: LoggedEvent) -> Iterable[str]:
        log = self._logs.get(event.attempt or "")
        if log is None:
            return ()
        if self._streams:
            label = self.progress.label(event.attempt or "")
            return [f"[{label}] {line}" for line in log.lines_of(event)]
        log.keep(event)
        return ()

    def _output(self, event: e.Output) -> Iterable[str]:
        if event.attempt is None:
            return [f"[runner] {line}" for line in printed(event.text)]
        return self._logged(event)

    def _attempt_ended(self, event: e.AttemptEnded) -> list[str]:
        record = event.record
        log = self._logs.pop(event.attempt, None)
        flight = self.progress.flying.get(event.attempt)
        if flight is None or record["outcome"] == "skipped":
            return []
        passed = record["outcome"] == "pass"
        front = f"[{flight.label}] "
        if log is None or (passed and self._logs_wanted == "failures"):
            lines = list(log.kept_lines(printed_only=True)) if log and log.printed else []
            if lines or self._every_end:
                lines.insert(0, self._end_line(event))
        elif self._streams:
            lines = self._closing(record)
        else:
            lines = [f"▶ {one_line(flight.title)}", *log.kept_lines()]
            if not passed:
                lines += self._closing(record)
        return [front + line for line in lines]

    def _end_line(self, event: e.AttemptEnded) -> str:
        record, planned = event.record, event.eval
        title = one_line(eval_title(planned.file, planned.group, planned.name))
        word = self._terminal.paint(outcome_word(record), OUTCOME_STYLES[record["outcome"]])
        count = f"{self.progress.ended + 1}/{self.progress.total}"
        message, place = error_parts(record)
        why = f"  {record['error']['kind']}: {one_line(message, 100)}" if message else ""
        why += f" at {place}" if place else ""
        return f"{word} {took(record['durationMs'])}  {title}  {count}{why}"

    def _closing(self, record: Mapping[str, Any]) -> list[str]:
        first, *rest = closing(record)
        place = None if record["outcome"] == "pass" else folder_of(record)
        kept = [f" files  .reeval/runs/{self._run_id}/{place}/"] if place else []
        return [self._terminal.paint(first, OUTCOME_STYLES[record["outcome"]]), *rest, *kept]


_SAY: Mapping[type, Callable[[Narrator, Any], Iterable[str]]] = {
    e.RunStarted: Narrator._run_started,
    e.RunError: Narrator._run_error,
    e.Notice: Narrator._notice,
    e.Stopping: Narrator._stopping,
    e.RunEnded: Narrator._run_ended,
    e.AttemptStarted: Narrator._attempt_started,
    e.Phase: Narrator._phase,
    e.SandboxReady: Narrator._logged,
    e.TurnStarted: Narrator._logged,
    e.TurnEnded: Narrator._logged,
    e.CheckEnded: Narrator._logged,
    e.Asserted: Narrator._logged,
    e.Judged: Narrator._logged,
    e.Output: Narrator._output,
}
