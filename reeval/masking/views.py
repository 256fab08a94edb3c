"""A text with one kind of escape undone, and the way back to where each of its bytes stood."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class View:
    """`spans` are (start, end) in the original of each of `data`'s bytes; None: the same."""

    data: bytes
    spans: Callable[[], list[tuple[int, int]]] | None = None


def plain(data: bytes) -> View:
    return View(data)


def without_breaks(data: bytes) -> View:
    """Line breaks taken out, written as themselves or as `\\n` in JSON."""
    if b"\n" not in data and b"\r" not in data and b"\\" not in data:
        return View(data)
    return View(_BREAK.sub(b"", data), lambda: _spans(data, _BREAK, lambda match: b""))


def percent_decoded(data: bytes) -> Iterator[View]:
    """As `unquote` reads it, and as a form does: there `+` is a space."""
    if b"%" in data:
        yield _view(data, _PERCENT, _from_percent)
    if b"+" in data:
        yield _view(data, _PLUS, _from_percent)


def json_decoded(data: bytes) -> Iterator[View]:
    """JSON's escapes undone once, twice and three times."""
    view = View(data)
    for _ in range(_JSON_LEVELS):
        if b"\\" not in view.data:
            return
        deeper = _view(view.data, _JSON, _from_json)
        view = View(deeper.data, _composed(view.spans, deeper.spans))
        yield view


def _composed(
    outer: Callable[[], list[tuple[int, int]]] | None,
    inner: Callable[[], list[tuple[int, int]]] | None,
) -> Callable[[], list[tuple[int, int]]] | None:
    if outer is None or inner is None:
        return outer or inner

    def spans() -> list[tuple[int, int]]:
        below = outer()
        return [(below[start][0], below[end - 1][1]) for start, end in inner()]

    return spans


def _view(data: bytes, escape: re.Pattern[bytes], undo: Callable[[re.Match[bytes]], bytes]) -> View:
    return View(escape.sub(undo, data), lambda: _spans(data, escape, undo))


def _spans(
    data: bytes, escape: re.Pattern[bytes], undo: Callable[[re.Match[bytes]], bytes]
) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    done = 0
    for match in escape.finditer(data):
        found.extend((at, at + 1) for at in range(done, match.start()))
        found.extend([match.span()] * len(undo(match)))
        done = match.end()
    found.extend((at, at + 1) for at in range(done, len(data)))
    return found


def _from_percent(match: re.Match[bytes]) -> bytes:
    text = match.group()
    return b" " if text == b"+" else bytes.fromhex(text[1:].decode("ascii"))


def _from_json(match: re.Match[bytes]) -> bytes:
    text = match.group()
    if text[1:2] != b"u":
        return _SINGLE.get(text[1:], text[1:])
    units = bytes.fromhex(text.replace(b"\\u", b"").decode("ascii"))
    return units.decode("utf-16-be", "surrogatepass").encode("utf-8", "surrogatepass")
