"""The names of an attempt's checks, and each settled check as the record has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reeval.grading.base import Outcome
from reeval.grading.patterns import described, is_pattern
from reeval.grading.shown import one_line, printable, shown
from reeval.protocol import messages as m
from reeval.protocol.cuts import CUT, cut

LABEL_LIMIT = 60
"""Characters of a label, ` #2` on repeats apart."""

MESSAGE_LIMIT = 1024
"""UTF-8 bytes of a message."""

_TIMED = frozenset({"toHaveFile", "toSucceed"})
"""Matchers whose answer takes a read or a command; a poll takes time with any."""


class CheckNames:
    """Names one attempt's checks: a label that is used again gets ` #2`, ` #3` and so on.

    `mask` hides secrets before a text is cut, since the part of a secret that is left after a
    cut can't be recognised any more.
    """

    def __init__(self, mask: Callable[[str], str] | None = None) -> None:
        self._mask = mask
        self._used: dict[str, int] = {}

    def assertion(self, call: m.Expect, outcome: Outcome, duration_ms: float) -> dict[str, Any]:
        """The record's `AssertionRecord` of a settled `expect`."""
        path = _path(call)
        record = self._named(call.label, path, lambda: _shown_subject(call))
        record |= {"matcher": path, "status": outcome.status, "soft": call.soft}
        if outcome.status != "pass" and outcome.message is not None:
            record["message"] = self._message(outcome.message)
        if call.poll is not None or call.matcher in _TIMED:
            record["durationMs"] = duration_ms
        return record

    def recorded(self, call: m.Record) -> dict[str, Any]:
        """The record's `AssertionRecord` of a check the eval's own language made."""
        record = self._named(call.label, call.matcher, lambda: call.subject or "")
        record |= {"matcher": call.matcher, "status": call.status, "soft": call.soft}
        if call.status == "fail" and call.message is not None:
            record["message"] = self._message(call.message)
        return record

    def _named(self, label: str | None, matcher: str, subject: Callable[[], str]) -> dict[str, Any]:
        given = self._line(label) if label is not None else ""
        text = given or self._line(f"{matcher} {subject()}")
        return {"label": self._unused(cut(text, LABEL_LIMIT)), "labelled": bool(given)}

    def _line(self, text: str) -> str:
        return one_line(printable(self._masked(text)))

    def _unused(self, label: str) -> str:
        name = label
        count = self._used.get(label, 0)
        while name in self._used or not count:
            count += 1
            if count == 1:
                break
            name = f"{label} #{count}"
        self._used[label] = count
        self._used.setdefault(name, 1)
        return name

    def _message(self, text: str) -> str:
        return _within(printable(self._masked(text)), MESSAGE_LIMIT)

    def _masked(self, text: str) -> str:
        return text if self._mask is None else self._mask(text)


def _path(call: m.Expect) -> str:
    """`toHaveFile`, `not.toBe`, `poll.toBe`, `poll.not.toBe`."""
    path = f"not.{call.matcher}" if call.negated else call.matcher
    return path if call.poll is None else f"poll.{path}"


def _shown_subject(call: m.Expect) -> str:
    """The first argument, else what the subject is named by: a command, a file, a question."""
    if call.args:
        first = call.args[0]
        if isinstance(first, str):
            return cut(first, 1000)
        return described(first) if is_pattern(first) else shown(first)
    match call.subject:
        case m.ExecSubject(command=command):
            return cut(command, 1000)
        case m.FileSubject(path=path):
            return path
        case m.ValueSubject(value={"verdict": str(), "question": str(question)}):
            return cut(question, 1000)
    return ""


def _within(text: str, limit: int) -> str:
    data = text.encode("utf-8")
    if len(data) <= limit:
        return text
    note = f"{CUT} (cut, {len(data):,} bytes in all)"
    kept = data[: limit - len(note.encode("utf-8"))].decode("utf-8", "ignore")
    return kept + note
