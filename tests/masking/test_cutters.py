"""Whatever of ours cuts a text, and wherever: no telling part of a secret survives masking."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reeval.authoring.shown import name_of
from reeval.authoring.shown import shown as authoring_shown
from reeval.grading.base import Outcome
from reeval.grading.check import check
from reeval.grading.difference import difference
from reeval.grading.naming import CheckNames
from reeval.grading.shown import shown as grading_shown
from reeval.launcher.stderr import Stderr
from reeval.masking.masker import Masker
from reeval.protocol import messages as m
from reeval.protocol.codec import ProtocolError, decode_from_runner
from reeval.protocol.cuts import cut, tail
from reeval.runner.outcome import MESSAGE_LIMIT, wire_error
from reeval.runner.output import LINE_LIMIT, Lines
from reeval.runner.traces import LIMIT, stack_of
from reeval.sandbox.output import CappedOutput

KIB = 1024


def said(limit: int) -> Callable[[str], str]:
    def keep(text: str) -> str:
        output = CappedOutput(limit)
        output.add(text.encode())
        return output.text()

    return keep


def printed(text: str) -> str:
    """What a body prints."""
    out: list[str] = []
    lines = Lines(out.append)
    lines.write(text)
    lines.finish()
    return "\n".join(out)


def stray(text: str) -> str:
    """What a runner writes to stderr, as a pipe gives it, then the tail that errors show."""
    out: list[str] = []
    stderr = Stderr(out.append)
    data = text.encode()
    for at in range(0, len(data), 32 * KIB + 1):
        stderr.feed(data[at : at + 32 * KIB + 1])
    stderr.end()
    return "\n".join([*out, stderr.tail])


class Ended(RuntimeError):
    pass


class _Body:
    aborted = None
    strays: tuple[Any, ...] = ()

    def record(self, failure: object) -> None:
        """No check failed with it."""


def error_of(text: str) -> str:
    error = wire_error(_Body(), Ended(text))  # type: ignore[arg-type]
    assert error is not None
    return f"{error.message}\n{error.stack}"


class _Workspace:
    def __init__(self, contents: str) -> None:
        self._contents = contents

    async def read_file(self, path: str) -> bytes:
        return self._contents.encode()


def file_of(text: str) -> str:
    call = m.Expect(m.AttemptSubject(), "toHaveFile", ("a", "not in it"))
    return str(asyncio.run(check(call, _Workspace(text))).message)  # type: ignore[arg-type,union-attr]


def failed(text: str) -> str:
    call = m.Expect(m.ExecSubject("make", m.ExecResult(1, "", text)), "toSucceed", ())
    return str(asyncio.run(check(call, None)).message)  # type: ignore[arg-type,union-attr]


def label(text: str) -> str:
    call = m.Expect(m.ValueSubject(1), "toBe", (text,))
    return str(CheckNames().assertion(call, Outcome("pass"), 1.0)["label"])


def line_of_protocol(text: str) -> str:
    with pytest.raises(ProtocolError) as raised:
        decode_from_runner(text)
    return str(raised.value).partition(" (")[0]


CUTTERS: dict[str, tuple[Callable[[str], str], int]] = {
    "cut": (lambda text: cut(text, 40), 40),
    "tail": (lambda text: tail(text, 40), 40),
    "both": (lambda text: cut(tail(text, 40), 20), 20),
    "sandbox": (said(100), 50),
    "body's output": (printed, LINE_LIMIT),
    "runner's stderr": (stray, 64 * KIB + 2),
    "error message": (error_of, MESSAGE_LIMIT),
    "traceback": (lambda text: stack_of(Ended(text)), LIMIT),
    "authoring shown": (authoring_shown, 200),
    "check's name": (name_of, 200),
    "grading shown": (grading_shown, 200),
    "grading shown, deep": (lambda text: grading_shown({"a": [text]}), 200),
    "difference": (lambda text: difference("a\nb", text + "\nb"), 160),
    "excerpt": (file_of, 160),
    "excerpt's end": (lambda text: file_of("1" * 8100 + "\n" + text), 91),
    "command's output": (failed, 160),
    "check's label": (label, 60),
    "protocol line": (line_of_protocol, 200),
}  # fmt: skip

_SECRETS = st.text(st.sampled_from('STUVWXYZ-_+/%"\\Ää'), min_size=8, max_size=40)


def _form(value: str, kind: str) -> str:
    if kind == "base64":
        return base64.b64encode(value.encode()).decode()
    return json.dumps(value)[1:-1] if kind == "json" else value


def _telling(value: str) -> list[str]:
    """Every 5 letters of a secret or its base64, which no message of ours has by chance."""
    forms = (value, base64.b64encode(value.encode()).decode())
    grams = {form[at : at + 5] for form in forms for at in range(len(form) - 4)}
    return [gram for gram in grams if gram.isascii() and gram.isalpha()]


@pytest.mark.parametrize("name", CUTTERS)
@settings(deadline=None, max_examples=60)
@given(value=_SECRETS, kind=st.sampled_from(["raw", "json", "base64"]), data=st.data())
def test_no_part_of_a_secret_survives_a_cut(name: str, value: str, kind: str, data: Any) -> None:
    cutter, limit = CUTTERS[name]
    form = _form(value, kind)
    back = data.draw(st.integers(-8, len(form) + 12))
    fill = data.draw(st.sampled_from(["1", "é", "1 "]))
    before = (fill * limit)[: max(0, limit - back)]
    after = fill * data.draw(st.sampled_from([0, 3, limit, limit - back, 2 * limit]))
    shown = Masker({"T": value}).text(cutter(before + form + after))
    assert [gram for gram in _telling(value) if gram in shown] == []
