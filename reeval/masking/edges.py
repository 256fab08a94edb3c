"""What a cut left of a secret: its beginning before a cut mark, its end after one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from reeval.masking.forms import Form, is_word
from reeval.masking.views import UNFINISHED
from reeval.protocol.cuts import CUT

LEAST = 5
"""Bytes of a form that are hidden beside a mark; fewer tell little, and are too often a word."""

_UTF8 = CUT.encode()
_MARK = re.compile(rb"%b|\\{1,8}u2026" % _UTF8)
_GAP = rb"(?:\s|\\[nrt]|\xef\xbf\xbd){1,16}"
"""What may lie between a mark and what was kept: blanks, and what half a character decodes to."""
_GAP_AFTER = re.compile(_GAP)
_GAP_BEFORE = re.compile(_GAP + rb"\Z")
_MARK_BEGUN = re.compile(rb"(?:\xe2\x80?|\xef\xbf?|\\{1,8}(?:u[0-9A-Fa-f]{0,4})?)\Z")
_REMNANT = re.compile(rb"u?[0-9A-Fa-f]{0,4}|[\"\\/bfnrt]")
"""The end of an escape whose beginning was cut off."""
_REACH = 64
"""Bytes that no gap and no beginning of a mark is longer than."""

Edge = tuple[int, int, str]
"""(start, end, name) of what is left of a secret."""


def is_marked(data: bytes) -> bool:
    """Whether a part of the data may have been cut."""
    return _UTF8 in data or b"u2026" in data


class Edges:
    """Finds what cuts left of a group of forms."""

    def __init__(self, forms: Sequence[Form]) -> None:
        self._forms = forms
        self._all = b"\n".join(form.literal for form in forms)
        self._least = min((_least(form.literal) for form in forms), default=LEAST)

    def find(self, data: bytes) -> Iterator[Edge]:
        """What stands beside the marks in `data`, and what fills the space between two."""
        marks = [mark.span() for mark in _MARK.finditer(data)]
        starts = [0, *(end for _, end in marks)]
        ends = [*(start for start, _ in marks), len(data)]
        for start, end in zip(starts, ends, strict=True):
            if end - start >= self._least:
                for first, last, name in self._in_piece(
                    data[start:end], start > 0, end < len(data)
                ):
                    yield start + first, start + last, name

    def pending(self, data: bytes) -> int:
        """From where on the next write may make an edge of the end of `data`; else its length."""
        begun = _MARK_BEGUN.search(data, max(0, len(data) - _REACH))
        kept = data if begun is None else data[: begun.start()]
        edges = [start for end in _ends(kept) for start, _, _ in self._beginning(kept, end)]
        marks = [mark.end() for mark in _MARK.finditer(data)]
        if marks and self._may_grow(kept[marks[-1] :]):
            edges.append(marks[-1])
        return min(edges, default=len(data))

    def _may_grow(self, piece: bytes) -> bool:
        """Whether what stands after a mark can still become the end of a form."""
        ends = _ends(piece)
        return any(self._holds(piece[start:end]) for start in _starts(piece) for end in ends)

    @cached_property
    def _grams(self) -> frozenset[bytes]:
        """All that may stand right beside a mark. Made when the first mark is seen."""
        text, size = self._all, self._least
        return frozenset(text[at : at + size] for at in range(len(text) - size + 1))

    def _holds(self, part: bytes) -> bool:
        if len(part) >= self._least and part[: self._least] not in self._grams:
            return False
        return part in self._all

    def _in_piece(self, piece: bytes, after: bool, before: bool) -> Iterator[Edge]:
        """`after` and `before`: whether a mark stands at the piece's start and at its end."""
        starts = _starts(piece) if after else []
        ends = _ends(piece) if before else []
        for start in starts:
            yield from self._inside(piece, start, ends)
            yield from self._ending(piece, start)
        for end in ends:
            yield from self._beginning(piece, end)

    def _inside(self, piece: bytes, start: int, ends: list[int]) -> Iterator[Edge]:
        for end in ends:
            if end - start >= LEAST and self._holds(piece[start:end]):
                owners = (form for form in self._forms if piece[start:end] in form.literal)
                yield from ((start, end, form.name) for form in owners)

    def _ending(self, piece: bytes, start: int) -> Iterator[Edge]:
        if piece[start : start + self._least] in self._grams:
            for form in self._forms:
                length = _ending(piece[start:], form)
                if length is not None:
                    yield start, start + length, form.name

    def _beginning(self, piece: bytes, end: int) -> Iterator[Edge]:
        if piece[max(0, end - self._least) : end] in self._grams:
            for form in self._forms:
                start = _beginning(piece[:end], form)
                if start is not None:
                    yield start, end, form.name


def _least(literal: bytes) -> int:
    return min(LEAST, len(literal))


def _beginning(data: bytes, form: Form) -> int | None:
    """Where the longest end of `data` starts that the form begins with."""
    literal, head = form.literal, form.literal[:LEAST]
    at = data.find(head, max(0, len(data) - len(literal)))
    while at >= 0:
        if literal.startswith(data[at:]) and not (form.whole and is_word(data, at - 1)):
            return at
        at = data.find(head, at + 1)
    return None


def _ending(data: bytes, form: Form) -> int | None:
    """How long the longest start of `data` is that the form ends with."""
    literal = form.literal
    head = data[: _least(literal)]
    at = literal.find(head)
    while at >= 0:
        length = len(literal) - at
        if data.startswith(literal[at:]) and not (form.whole and is_word(data, length)):
            return length
        at = literal.find(head, at + 1)
    return None


def _starts(piece: bytes) -> list[int]:
    """Where what was kept may begin: at once, after a gap, after the rest of an escape."""
    gap = _GAP_AFTER.match(piece)
    after = 0 if gap is None else gap.end()
    remnant = _REMNANT.match(piece, after)
    rest = after if remnant is None else remnant.end()
    return sorted({0, *range(after, rest + 1)})


def _ends(piece: bytes) -> list[int]:
    """Where what was kept may end: at the end, before a gap, before the beginning of an escape."""
    gap = _GAP_BEFORE.search(piece, max(0, len(piece) - _REACH))
    before = len(piece) if gap is None else gap.start()
    escape = UNFINISHED.search(piece, max(0, before - 16), before)
    cut = before if escape is None else escape.start()
    return sorted({len(piece), before, cut}, reverse=True)
