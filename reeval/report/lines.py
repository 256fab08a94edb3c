"""Progress as plain lines, for a pipe, a CI log or a terminal that can't redraw."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from reeval.engine.events import RunEnded, RunEvent, RunStarted
from reeval.report.duration import took
from reeval.report.narrator import Narrator
from reeval.report.reporter import ReportOptions
from reeval.report.terminal import Out
from reeval.report.wording import counts

QUIET_S = 60.0
"""After this long without a line one says that the run lives: CI ends a job that is silent."""


class LineReporter:
    """A line when an attempt ends, its log as `ReportOptions` says, a heartbeat when quiet."""

    def __init__(
        self, options: ReportOptions, out: Out, clock: Callable[[], float] = time.time
    ) -> None:
        self._out = out
        self._clock = clock
        self._narrator = Narrator(options, out.terminal, every_end=True)
        self._closed = threading.Event()
        self._written_at_beat = 0

    def on_event(self, event: RunEvent) -> None:
        lines = self._narrator.lines_of(event)
        if lines:
            self._out.lines(lines)
        if type(event) is RunStarted:
            threading.Thread(target=self._beat_while_open, daemon=True).start()
        elif type(event) is RunEnded:
            self.close()

    def close(self) -> None:
        self._closed.set()

    def beat(self) -> None:
        """Says how far the run is, unless something was written since the last beat."""
        if self._out.written == self._written_at_beat:
            self._out.lines([self._heartbeat(self._clock())])
        self._written_at_beat = self._out.written

    def _beat_while_open(self) -> None:
        while not self._closed.wait(QUIET_S):
            self.beat()

    def _heartbeat(self, now: float) -> str:
        progress = self._narrator.progress
        flights = list(progress.flying.values())
        parts = [f"{progress.ended} of {progress.total} done", f"{len(flights)} running"]
        done = counts(progress.done)
        if done:
            parts.insert(1, done)
        if flights:
            oldest = min(flights, key=lambda flight: flight.began)
            turn = f"turn {oldest.turn}" if oldest.phase == "turn" else oldest.phase
            parts.append(f"[{oldest.label}] {turn} for {took((now - oldest.began) * 1000)}")
        return "still running: " + " · ".join(parts)
