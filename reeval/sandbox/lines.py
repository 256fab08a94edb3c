"""Which lines two texts share: a patience diff, quick on any input.

Lines that are unique on both sides, or else runs of lines, anchor the comparison (Bram Cohen's
patience diff), so its cost grows with n log n; only small stretches between anchors are compared
line by line.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

Block = tuple[int, int, int, int]
"""Lines `old[a:b]` became `new[c:d]`."""

COMPARED_LINES = 400
"""A stretch without anchors is compared line by line up to so many a side, else replaced."""

_WINDOW = 5
"""So many lines together may be unique where no single one is."""


def changed_blocks(old: Sequence[bytes], new: Sequence[bytes]) -> list[Block]:
    """The stretches that differ, in order; what lies between them is the same."""
    blocks: list[Block] = []
    waiting = [(0, len(old), 0, len(new))]
    while waiting:
        block = _trimmed(old, new, waiting.pop())
        a, b, c, d = block
        if a == b or c == d:
            if a != b or c != d:
                blocks.append(block)
            continue
        anchors = _anchors(old, new, block, 1) or _anchors(old, new, block, _WINDOW)
        if anchors:
            waiting += reversed(list(_between(anchors, block)))
        elif max(b - a, d - c) <= COMPARED_LINES:
            blocks += _compared(old, new, block)
        else:
            blocks.append(block)
    return blocks


def _trimmed(old: Sequence[bytes], new: Sequence[bytes], block: Block) -> Block:
    a, b, c, d = block
    while a < b and c < d and old[a] == new[c]:
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
    return a, b, c, d


def _anchors(
    old: Sequence[bytes], new: Sequence[bytes], block: Block, width: int
) -> list[tuple[int, int]]:
    """Where a run of `width` lines that is unique on both sides begins, ascending on both."""
    a, b, c, d = block
    places = _unique(old, a, b, width)
    found = [(places[run], j) for run, j in _unique(new, c, d, width).items() if run in places]
    return _longest_ascending(found)


def _unique(
    lines: Sequence[bytes], start: int, end: int, width: int
) -> dict[tuple[bytes, ...], int]:
    """Each run of `width` lines that occurs once, in order, with its place."""
    runs = list(zip(*(lines[start + i : end] for i in range(width)), strict=False))
    counts = Counter(runs)
    return {run: place for place, run in enumerate(runs, start) if counts[run] == 1}


def _longest_ascending(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs (ascending in the second) that ascends in the first too."""
    ends: list[int] = []
    last: list[int] = []
    before = [-1] * len(pairs)
    for index, (place, _) in enumerate(pairs):
        at = bisect_left(ends, place)
        if at:
            before[index] = last[at - 1]
        if at == len(ends):
            ends.append(place)
            last.append(index)
        else:
            ends[at], last[at] = place, index
    run = []
    index = last[-1] if last else -1
    while index >= 0:
        run.append(pairs[index])
        index = before[index]
    return run[::-1]


def _between(anchors: list[tuple[int, int]], block: Block) -> Iterator[Block]:
    a, b, c, d = block
    for i, j in anchors:
        yield a, i, c, j
        a, c = i + 1, j + 1
    yield a, b, c, d


def _compared(old: Sequence[bytes], new: Sequence[bytes], block: Block) -> Iterator[Block]:
    a, b, c, d = block
    matcher = SequenceMatcher(None, old[a:b], new[c:d], autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag != "equal":
            yield a + i, a + j, c + k, c + m
