"""Progress in a terminal: a table drawn in place by rich, and the lines worth keeping above it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import TextIO, cast

from rich.console import Console, ConsoleDimensions
from rich.live import Live
from rich.text import Text

from reeval.engine.events import RunEnded, RunEvent
from reeval.report.frame import frame
from reeval.report.narrator import Narrator
from reeval.report.reporter import ReportOptions
from reeval.report.terminal import Out, size

REDRAWS_PER_SECOND = 5
"""Often enough for a clock that ticks, rarely enough to cost a run of no-op attempts nothing."""


class LiveReporter:
    """Draws on a timer of its own: an event only changes what the next drawing shows."""

    def __init__(
        self,
        options: ReportOptions,
        out: Out,
        stream: TextIO,
        environ: Mapping[str, str],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._out = out
        self._stream = stream
        self._environ = environ
        self._clock = clock
        self._narrator = Narrator(options, out.terminal, every_end=False)
        self._pending: deque[str] = deque()
        self._drawing = threading.Lock()
        self._closed = threading.Event()
        self._live: Live | None = None

    def on_event(self, event: RunEvent) -> None:
        self._pending.extend(self._narrator.lines_of(event))
        if type(event) is RunEnded:
            self.close()
        elif self._live is None and not self._closed.is_set():
            self._open()

    def redraw(self) -> None:
        """Prints what there is to say above the table, and draws the table anew."""
        with self._drawing:
            if self._live is not None:
                self._print_pending(self._live)
                self._live.refresh()

    def close(self) -> None:
        """Wipes the table, so that what comes next stands in its place."""
        self._closed.set()
        with self._drawing:
            if self._live is not None:
                self._live.stop()
                self._print_pending(self._live)
                self._live = None

    def _open(self) -> None:
        terminal = self._out.terminal
        console = Console(
            file=cast(TextIO, _Guarded(self._out, self._stream)),
            force_terminal=True,
            color_system="standard" if terminal.color else None,
            no_color=not terminal.color,
            highlight=False,
            markup=False,
            emoji=False,
            width=terminal.width,
            height=terminal.height,
        )
        self._live = Live(
            console=console,
            get_renderable=self._draw,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._live.start()
        threading.Thread(target=self._redraw_while_open, daemon=True).start()

    def _redraw_while_open(self) -> None:
        while not self._closed.wait(1 / REDRAWS_PER_SECOND):
            self.redraw()

    def _print_pending(self, live: Live) -> None:
        safe: list[str] = []
        while self._pending:  # the engine's thread may add to it meanwhile
            safe += self._out.safe([self._pending.popleft()])
        if safe:
            live.console.print(Text.from_ansi("\n".join(safe)), soft_wrap=True)

    def _draw(self) -> Text:
        width, height = size(self._stream, self._environ)
        if self._live is not None:  # the window may have changed its size
            self._live.console.size = ConsoleDimensions(width, height)
        lines = frame(self._narrator.progress, self._clock(), width, height)
        safe = self._out.safe(lines, styled=False)
        text = Text("\n".join(safe), no_wrap=True, overflow="ellipsis")
        text.stylize("bold", 0, len(safe[0]))
        return text


class _Guarded:
    """The stream as rich writes to it: a reader that went away ends the output quietly."""

    def __init__(self, out: Out, stream: TextIO) -> None:
        self._out = out
        self._stream = stream
        self.encoding = getattr(stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        self._out.write(text)
        return len(text)

    def flush(self) -> None:
        """`Out` flushes what it writes."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._stream.fileno()
