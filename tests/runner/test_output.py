"""What bodies print: whose it is, in order, and bounded."""

from __future__ import annotations

from typing import Any

import pytest

from reeval.protocol import messages as m
from reeval.runner.output import LINE_LIMIT, Lines

HEAD = "from reeval import evaluate\nimport os, subprocess, sys, threading\n"


def body(lines: str) -> str:
    return f"{HEAD}\n@evaluate('x')\ndef body(c):\n" + "".join(
        f"    {line}\n" for line in lines.splitlines()
    )


@pytest.mark.parametrize(
    ("source", "logs"),
    [
        ("print('one\\ntwo')", [("stdout", "one"), ("stdout", "two")]),
        ("print('a', end='')\nprint('b')", [("stdout", "ab")]),
        ("print('no newline', end='')", [("stdout", "no newline")]),
        ("print()", [("stdout", "")]),
        ("print('dos\\r')", [("stdout", "dos")]),
        ("print('oops', file=sys.stderr)", [("stderr", "oops")]),
        ("sys.stdout.buffer.write(b'\\xff\\xc3')\nsys.stdout.buffer.write(b'\\xa9\\n')",
         [("stdout", "\\xffé")]),
        ("print('\\ud800 \\0 \\x1b[2J')", [("stdout", "\ud800 \0 \x1b[2J")]),
        ("t = threading.Thread(target=print, args=('from a thread',)); t.start(); t.join()",
         [("stdout", "from a thread")]),
        ("import concurrent.futures as f\nf.ThreadPoolExecutor().submit(print, 'pooled').result()",
         [("stdout", "pooled")]),
    ],
)  # fmt: skip
def test_what_a_body_prints_goes_to_its_attempt(
    engine: Any, source: str, logs: list[tuple[str, str]]
) -> None:
    ended = engine.run(body(source))
    assert ended.error is None, ended.error
    assert ended.logs == logs


def test_prints_and_checks_keep_their_order(engine: Any) -> None:
    engine.collect(body("print('one')\nassert 1\nprint('two')\nc.send('go')\nprint('three')"))
    engine.start()
    said = []
    while not isinstance(message := engine.receive(), m.Done):
        said.append(message.text if isinstance(message, m.Log) else message.call.op)
        if said[-1] == "send":
            turn = {"prompt": "go", "text": "", "status": "completed"}
            engine.send(m.Reply(message.id, "k1", "send", {"turn": turn}))
    assert said == ["one", "record", "two", "send", "three"]


def test_a_child_process_and_its_stdin_can_t_reach_the_messages(engine: Any) -> None:
    ended = engine.run(
        body(
            "subprocess.run(['sh', '-c', 'echo from a child; cat'], check=True)\n"
            "os.write(1, b'raw\\n')\n"
            "try: input()\nexcept EOFError: print('end')"
        )
    )
    assert ended.error is None
    assert ended.logs == [("stdout", "end")]
    engine.close()
    assert engine.stderr == b"from a child\nraw\n"


def test_a_line_printed_while_a_file_loads_goes_to_stderr(engine: Any) -> None:
    engine.collect("print('loading')")
    engine.close()
    assert engine.stderr == b"loading\n"


def test_what_a_body_prints_shows_while_it_still_runs(engine: Any) -> None:
    engine.collect(body("print('on')\nc.signal.wait(600)"))
    engine.start()
    assert engine.receive() == m.Log("k1", "stdout", "on")
    engine.abort()
    assert engine.follow().error is None


def test_a_body_that_prints_100_mb_in_lines_doesn_t_fill_memory(engine: Any) -> None:
    engine.collect(
        body(
            "for _ in range(100): print(('x' * 1023 + '\\n') * 1024, end='')\n"
            # Not ru_maxrss, which counts what the parent had when it forked.
            "status = open('/proc/self/status').read().split()\n"
            "print('peak', status[status.index('VmHWM:') + 1])"
        )
    )
    engine.start()
    lines = 0
    while (message := engine.receive()).text == "x" * 1023:
        lines += 1
    assert lines == 100 * 1024
    peak_kib = int(message.text.removeprefix("peak "))
    assert peak_kib < 64 * 1024


def test_a_line_that_never_ends_is_cut_with_the_count_of_what_is_left_out(engine: Any) -> None:
    ended = engine.run(body("for _ in range(100): print('x' * 1024 * 1024, end='')\nprint('y')"))
    left_out = 100 * 1024 * 1024 + 1 - LINE_LIMIT
    assert ended.logs == [
        ("stdout", f"{'x' * LINE_LIMIT} … (line cut: {left_out:,} more characters)")
    ]


def test_lines_come_out_the_same_however_the_text_is_split() -> None:
    text = "one\n\ntwo\r\nthree"
    for size in range(1, len(text) + 1):
        out: list[str] = []
        lines = Lines(out.append)
        for start in range(0, len(text), size):
            lines.write(text[start : start + size])
        lines.finish()
        assert out == ["one", "", "two", "three"]
