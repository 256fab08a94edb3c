"""What a stream can show, and that writing to it never hurts the run."""

import io
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import TextIO

import pytest

from reeval.report.terminal import Out, Terminal


@pytest.fixture
def tty() -> Iterator[TextIO]:
    main, side = os.openpty()
    with open(side, "w", encoding="utf-8") as stream:
        yield stream
    os.close(main)


@pytest.mark.parametrize(
    ("environ", "color", "live"),
    [
        ({"TERM": "xterm"}, True, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False, True),
        ({"TERM": "xterm", "NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, False, False),
        ({}, False, False),
        ({"TERM": "xterm", "CI": "true"}, True, False),
        ({"TERM": "xterm", "CI": "false"}, True, True),
    ],
)
def test_a_terminal_is_drawn_on_as_its_environment_allows(
    tty: TextIO, environ: dict[str, str], color: bool, live: bool
) -> None:
    found = Terminal.of(tty, environ)
    assert (found.color, found.live, found.width) == (color, live, 80)


def test_a_pipe_gets_no_codes_and_no_cut_lines() -> None:
    found = Terminal.of(io.StringIO(), {"TERM": "xterm", "COLUMNS": "40"})
    assert found == Terminal(color=False, live=False, width=None)
    assert found.paint("x", "red") == "x"
    assert found.fit("x" * 500) == "x" * 500


def test_columns_are_the_terminals_or_what_was_asked_for(tty: TextIO) -> None:
    assert Terminal.of(tty, {"TERM": "xterm"}).width == 80
    assert Terminal.of(tty, {"TERM": "xterm", "COLUMNS": "40"}).width == 40
    assert Terminal.of(tty, {"TERM": "xterm", "COLUMNS": "wide"}).width == 80


def test_a_closed_stream_is_no_terminal() -> None:
    stream = io.StringIO()
    stream.close()
    assert Terminal.of(stream, {"TERM": "xterm"}) == Terminal()


def test_fitting_keeps_what_is_painted_and_cuts_the_rest() -> None:
    terminal = Terminal(color=True, width=10)
    assert terminal.fit(terminal.paint("fail", "red") + " a long name") == (
        "\x1b[31mfail\x1b[0m a lo…"
    )
    assert terminal.fit(terminal.paint("much too long", "red")) == "much too …"


def test_a_written_line_has_only_reevals_own_codes() -> None:
    stream = io.StringIO()
    out = Out(stream, Terminal(color=True))
    out.lines(["\x1b[31mred\x1b[0m \x1b[2Jwiped \x1b]0;t\x07", "::error::x"])
    assert stream.getvalue() == "\x1b[31mred\x1b[0m wiped \n: :error::x\n"


def test_a_line_with_a_newline_in_it_cannot_start_a_command() -> None:
    stream = io.StringIO()
    Out(stream, Terminal()).lines(["a\n::error::b"])
    assert stream.getvalue() == "a\n: :error::b\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_stream_that_knows_few_characters_gets_the_nearest(encoding: str) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    Out(stream, Terminal()).lines(["a › b · c ≥ 0.8 … 日"])
    assert raw.getvalue().decode(encoding) == "a > b - c >= 0.8 ... ?\n"


PIPE = """
import sys
from reeval.report.terminal import Out, Terminal
out = Out(sys.stdout, Terminal())
while not out.gone:
    out.lines(["x" * 1000])
out.lines(["more"])
out.stream_lines(["and", "more"])
"""


def test_a_reader_that_left_ends_the_output_quietly() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PIPE], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.read(10)
        process.stdout.close()
        assert (process.stderr.read(), process.wait(20)) == (b"", 0)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_said_once_and_ends_nothing() -> None:
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [sys.executable, "-c", PIPE], stdout=full, stderr=subprocess.PIPE, timeout=20
        )
    assert (ended.stderr, ended.returncode) == (
        b"reeval: output stopped: No space left on device\n", 0,
    )  # fmt: skip


def test_threads_never_tear_a_line() -> None:
    stream = io.StringIO()
    out = Out(stream, Terminal())
    threads = [
        threading.Thread(target=lambda c=c: [out.lines([c * 50]) for _ in range(200)])
        for c in "abcd"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = stream.getvalue().splitlines()
    assert len(lines) == 800
    assert all(len(line) == 50 and len(set(line)) == 1 for line in lines)


def test_every_line_and_text_passes_the_mask() -> None:
    stream = io.StringIO()
    out = Out(stream, Terminal(color=True), mask=lambda text: text.replace("hunter2", "[secret P]"))
    out.lines(["\x1b[31mevals/hunter2.eval.py\x1b[0m"])
    out.stream_lines(iter(["name hunter2"]))
    out.raw("hunter2\n")
    out.json({"hunter2": ["hunter2", {"n": 1, "t": ("hunter2",)}]})
    assert stream.getvalue() == (
        "\x1b[31mevals/[secret P].eval.py\x1b[0m\nname [secret P]\n[secret P]\n"
        '{"hunter2":["[secret P]",{"n":1,"t":["[secret P]"]}]}\n'
    )
    assert out.safe(["hunter2"], styled=False) == ["[secret P]"]
