"""A text with one kind of escape undone, and the way back to where each of its bytes stood."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

_Undo: TypeAlias = Callable[[re.Match[bytes]], bytes]

_PERCENT = re.compile(rb"%[0-9A-Fa-f]{2}")
_PLUS = re.compile(rb"%[0-9A-Fa-f]{2}|\+")
_JSON = re.compile(
    rb"\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}"
    rb"|\\u[0-9A-Fa-f]{4}|\\[\"\\/bfnrt]"
)
_BREAK = re.compile(rb"\\[rn]|[\r\n]")
_SINGLE = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_JSON_LEVELS = 3
"""JSON inside a JSON string inside another is as deep as agents' streams go."""

UNFINISHED = re.compile(rb"(?:\\{1,8}(?:u[0-9A-Fa-f]{0,4})?|%[0-9A-Fa-f]?)\Z")
"""The beginning of an escape that the next write may finish."""


class _Way:
    """From a place in a text whose escapes were undone back to the text below it."""

    def __init__(
        self, data: bytes, escape: re.Pattern[bytes], undo: _Undo, below: _Way | None
    ) -> None:
        self._read = (data, escape, undo)
        self._below = below

    def span(self, at: int) -> tuple[int, int]:
        start, end = self._own_span(at)
        if self._below is None:
            return start, end
        return self._below.span(start)[0], self._below.span(end - 1)[1]

    def _own_span(self, at: int) -> tuple[int, int]:
        begins, escapes = self._escapes
        index = bisect_right(begins, at) - 1
        if index < 0:
            return at, at + 1
        ended, start, end = escapes[index]
        if at < ended:
            return start, end
        return end + at - ended, end + at - ended + 1

    @cached_property
    def _escapes(self) -> tuple[list[int], list[tuple[int, int, int]]]:
        """Where what each escape stands for begins; its end, and the escape's own start and end.

        Made when something is found in the view, which is rare.
        """
        data, escape, undo = self._read
        begins: list[int] = []
        escapes: list[tuple[int, int, int]] = []
        shorter = 0
        for match in escape.finditer(data):
            begin = match.start() - shorter
            end = begin + len(undo(match))
            begins.append(begin)
            escapes.append((end, *match.span()))
            shorter = match.end() - end
        return begins, escapes


@dataclass(frozen=True, slots=True)
class View:
    """`way` leads back to the original; None: this is it."""

    data: bytes
    way: _Way | None = None

    def span(self, at: int) -> tuple[int, int]:
        """(start, end) in the original of the byte at `at`."""
        return (at, at + 1) if self.way is None else self.way.span(at)


def plain(data: bytes) -> View:
    return View(data)


def without_breaks(data: bytes) -> View:
    """Line breaks taken out, written as themselves or as `\\n` in JSON."""
    if b"\n" not in data and b"\r" not in data and b"\\" not in data:
        return View(data)
    return _view(View(data), _BREAK, lambda match: b"")


def percent_decoded(data: bytes) -> Iterator[View]:
    """As `unquote` reads it, and as a form does: there `+` is a space."""
    if b"%" in data:
        yield _view(View(data), _PERCENT, _from_percent)
    if b"+" in data:
        yield _view(View(data), _PLUS, _from_percent)


def json_decoded(data: bytes) -> Iterator[View]:
    """JSON's escapes undone once, twice and three times."""
    view = View(data)
    for _ in range(_JSON_LEVELS):
        if b"\\" not in view.data:
            return
        view = _view(view, _JSON, _from_json)
        yield view


def _view(below: View, escape: re.Pattern[bytes], undo: _Undo) -> View:
    return View(escape.sub(undo, below.data), _Way(below.data, escape, undo, below.way))


def _from_percent(match: re.Match[bytes]) -> bytes:
    text = match.group()
    return b" " if text == b"+" else bytes.fromhex(text[1:].decode("ascii"))


def _from_json(match: re.Match[bytes]) -> bytes:
    text = match.group()
    if text[1:2] != b"u":
        return _SINGLE.get(text[1:], text[1:])
    units = bytes.fromhex(text.replace(b"\\u", b"").decode("ascii"))
    return units.decode("utf-16-be", "surrogatepass").encode("utf-8", "surrogatepass")
