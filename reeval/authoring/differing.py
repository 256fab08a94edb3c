"""Where two long values first differ, for a message that can't show them whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reeval.authoring.shown import LIMIT, shown
from reeval.protocol.cuts import CUT, cut

_SIDE = 60
"""Characters of a side once the place of the difference is shown beside it."""

_BEFORE, _AFTER = 15, 30
"""Characters of text around the first that differs."""

_DEPTH = 10

_NOTHING = object()


def comparison(left: object, op: str, right: object) -> str:
    """`left op right`; two long values that should be equal say where they first differ."""
    sides = shown(left), shown(right)
    if op == "==" and any(len(side) > LIMIT for side in sides):
        where = first_difference(left, right)
        if where is not None:
            return f"{cut(sides[0], _SIDE)} == {cut(sides[1], _SIDE)} ({where})"
    return f"{sides[0]} {op} {sides[1]}"


def first_difference(left: object, right: object) -> str | None:
    """Where two texts, lists or dicts first differ and how; None when that can't be told."""
    try:
        found = _find(left, right)
    except Exception:  # the values' own code
        return None
    if found is None or not found.path:
        return None
    return f"they first differ at {found.path}: {found.left} and {found.right}"


@dataclass(frozen=True, slots=True)
class _Difference:
    path: str
    left: str
    right: str


def _find(left: Any, right: Any, path: str = "", depth: int = _DEPTH) -> _Difference | None:
    if depth:
        if isinstance(left, str) and isinstance(right, str):
            return _in_text(left, right, path)
        if isinstance(left, bytes) and isinstance(right, bytes):
            return _in_text(left, right, path)
        if isinstance(left, list | tuple) and isinstance(right, list | tuple):
            return _in_items(dict(enumerate(left)), dict(enumerate(right)), path, depth)
        if isinstance(left, dict) and isinstance(right, dict):
            return _in_items(left, right, path, depth)
    return _Difference(path, _item(left), _item(right))


def _in_items(
    left: dict[Any, Any], right: dict[Any, Any], path: str, depth: int
) -> _Difference | None:
    for key in (*left, *(key for key in right if key not in left)):
        ours, theirs = left.get(key, _NOTHING), right.get(key, _NOTHING)
        if ours is theirs or ours == theirs:
            continue
        return _find(ours, theirs, f"{path}[{_item(key)}]", depth - 1)
    return None


def _in_text(left: str | bytes, right: str | bytes, path: str) -> _Difference | None:
    shorter = min(len(left), len(right))
    at = next((i for i in range(shorter) if left[i] != right[i]), shorter)
    if at == len(left) == len(right):
        return None
    where = f"index {at:,}"
    windows = (slice(max(0, at - _BEFORE), at + _AFTER),) * 2
    if isinstance(left, str) and isinstance(right, str) and "\n" in left + right:
        where = f"line {left.count(chr(10), 0, at) + 1:,}"
        windows = _in_line(left, at), _in_line(right, at)
    return _Difference(
        f"{path}, {where}" if path else where,
        _window(left, windows[0]),
        _window(right, windows[1]),
    )


def _in_line(text: str, at: int) -> slice:
    """What is shown of the line that `at` is in, its end included."""
    begins, ends = text.rfind("\n", 0, at) + 1, text.find("\n", at) + 1
    return slice(max(begins, at - _BEFORE), min(ends or len(text), at + _AFTER))


def _window(text: str | bytes, part: slice) -> str:
    piece, opening = repr(text[part]), 1 if isinstance(text, str) else 2
    before, after = CUT if part.start else "", CUT if part.stop < len(text) else ""
    return f"{piece[:opening]}{before}{piece[opening:-1]}{after}{piece[-1]}"


def _item(value: object) -> str:
    return "nothing" if value is _NOTHING else cut(shown(value), _SIDE)
