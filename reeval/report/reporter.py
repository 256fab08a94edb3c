"""The subscriber to a run's events that fits what was asked for and what the stream can show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TextIO

from reeval.engine.events import RunEvent
from reeval.report.terminal import Out, Terminal


class Reporter(Protocol):
    def on_event(self, event: RunEvent) -> None:
        """Shows what the event says, or keeps it for later. Never raises for a lost stream."""
        ...

    def close(self) -> None:
        """Ends what is drawn and its thread. Safe to call twice, and without a `RunEnded`."""
        ...


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What `reeval run` was asked to show.

    `logs`: the log of every attempt, of those that didn't pass, or of none; what a body printed
    goes with its attempt unless it is `none`. `order`: an attempt's log in one piece when it ends,
    or each line as it happens. `verbose`: a line a phase, as it happens.
    """

    json: bool = False
    verbose: bool = False
    order: Literal["grouped", "stream"] = "grouped"
    logs: Literal["full", "failures", "none"] = "failures"


def make_reporter(
    options: ReportOptions,
    stream: TextIO,
    environ: Mapping[str, str],
    mask: Callable[[str], str] | None = None,
) -> Reporter:
    """JSON lines when asked for, a live table in a terminal that can redraw, else plain lines.

    `mask` hides the run's secrets in all of it.
    """
    out = Out(stream, Terminal.of(stream, environ), mask)
    # Only the module that is needed is imported: the live one needs rich.
    if options.json:
        from reeval.report.json_stream import JsonReporter

        return JsonReporter(out)
    if out.terminal.live:
        from reeval.report.live import LiveReporter

        return LiveReporter(options, out, stream, environ)
    from reeval.report.lines import LineReporter

    return LineReporter(options, out)
