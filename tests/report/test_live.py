"""The live table on a real terminal: drawn, kept within it, wiped, and safe from what it shows."""

import fcntl
import os
import re
import struct
import termios
import threading
from collections.abc import Callable, Iterator
from typing import Any, TextIO

import pytest

from reeval.engine import events as e
from reeval.report.live import LiveReporter
from reeval.report.reporter import ReportOptions, make_reporter

AT = 1_796_060_447.0


class Screen:
    """The far end of a pseudo-terminal: everything that was written to it."""

    def __init__(self, columns: int, lines: int) -> None:
        self._main, side = os.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.stream: TextIO = os.fdopen(side, "w", encoding="utf-8")
        self._read: list[bytes] = []
        self._reader = threading.Thread(target=self._drain)
        self._reader.start()

    def _drain(self) -> None:
        while True:
            try:
                data = os.read(self._main, 65536)
            except OSError:  # the other side is closed
                return
            if not data:
                return
            self._read.append(data)

    def text(self) -> str:
        """Closes the terminal and gives what it got."""
        self.stream.close()
        self._reader.join()
        os.close(self._main)
        return b"".join(self._read).decode()


@pytest.fixture
def screen() -> Iterator[Callable[..., Screen]]:
    screens: list[Screen] = []

    def make(columns: int = 80, lines: int = 24) -> Screen:
        screens.append(Screen(columns, lines))
        return screens[-1]

    yield make
    for one in screens:
        if not one.stream.closed:
            one.text()


def play(reporter: Any, planned: Any, plan: Any, attempt: Any, name: str = "adds a name") -> None:
    one = planned(name)
    reporter.on_event(e.RunStarted("r", plan(one), 4, AT))
    reporter.on_event(e.AttemptStarted("k", one, one.cells[0], 1, 1, AT))
    reporter.on_event(e.TurnStarted("k", 0, "p", 0.0))
    reporter.on_event(e.TurnActivity("k", 0, 2, 0))
    if isinstance(reporter, LiveReporter):
        reporter.redraw()
    reporter.on_event(e.Notice(f"a notice about {name}"))
    reporter.on_event(e.Output("k", "stdout", f"printed {name}"))
    reporter.on_event(e.AttemptEnded("k", one, one.cells[0], attempt()))
    reporter.on_event(e.RunEnded("r", "complete", 0, {}, "/r.json", 1.0))


def test_a_table_is_drawn_and_wiped_and_what_matters_stays(
    screen: Any, planned: Any, plan: Any, attempt: Any
) -> None:
    shown = screen()
    reporter = make_reporter(ReportOptions(), shown.stream, {"TERM": "xterm"})
    assert isinstance(reporter, LiveReporter)
    play(reporter, planned, plan, attempt)
    reporter.close()
    text = shown.text()
    assert "adds#1 cursor" in text
    assert "2 tool calls" in text
    assert "a notice about adds a name" in text
    assert "\x1b[32mpass\x1b[0m 15s  evals/hello.eval.py › adds a name  1/1" in text
    assert "│ printed adds a name" in text
    assert "\x1b[?25l" in text  # the cursor was hidden …
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")  # … and given back
    assert text.rindex("\x1b[2K") > text.rindex("attempts · ")  # the table was erased


def test_no_color_draws_without_colour(screen: Any, planned: Any, plan: Any, attempt: Any) -> None:
    shown = screen()
    reporter = make_reporter(ReportOptions(), shown.stream, {"TERM": "xterm", "NO_COLOR": "1"})
    play(reporter, planned, plan, attempt)
    text = shown.text()
    assert "adds#1 cursor" in text
    assert not re.findall("\x1b\\[[0-9;]*3[0-7]m", text)


def test_a_hostile_name_and_print_reach_the_terminal_as_text(
    screen: Any, planned: Any, plan: Any, attempt: Any
) -> None:
    shown = screen(columns=200)
    reporter = make_reporter(ReportOptions(), shown.stream, {"TERM": "xterm"})
    play(
        reporter, planned, plan, attempt, "evil \x1b]0;t\x07\x1b[2J\x1b[8mhid \u202e\ud800 [bold]x"
    )
    text = shown.text()
    assert "\x1b]0" not in text
    assert "\x1b[2J" not in text
    assert "\x1b[8m" not in text
    assert "hid <U+202E><U+D800> [bold]x" in text


@pytest.mark.parametrize("environ", [{"TERM": "dumb"}, {"TERM": "xterm", "CI": "1"}, {}])
def test_a_terminal_that_cannot_redraw_gets_plain_lines(
    screen: Any, planned: Any, plan: Any, attempt: Any, environ: dict[str, str]
) -> None:
    shown = screen()
    reporter = make_reporter(ReportOptions(), shown.stream, environ)
    play(reporter, planned, plan, attempt)
    text = shown.text()
    assert "\x1b[?25l" not in text
    assert "\x1b[2K" not in text
    assert "adds a name  1/1" in text


def test_closing_twice_or_before_a_start_is_fine(screen: Any) -> None:
    shown = screen()
    reporter = make_reporter(ReportOptions(), shown.stream, {"TERM": "xterm"})
    reporter.close()
    reporter.close()
    assert "Traceback" not in shown.text()
