"""How many lines an edit added and removed."""

from __future__ import annotations

import difflib

EXACT_LINES = 2000
"""Above this many differing lines on a side, the changed stretch counts as replaced whole."""


def edit_counts(before: str, after: str) -> tuple[int, int]:
    """Lines added and removed between two texts, as a line diff counts them."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    old, new = _differing(old, new)
    if max(len(old), len(new)) > EXACT_LINES:
        return len(new), len(old)
    added = removed = 0
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag != "equal":
            removed += old_to - old_from
            added += new_to - new_from
    return added, removed


def _differing(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Both without the lines they share at the start and at the end."""
    shorter = min(len(old), len(new))
    head = 0
    while head < shorter and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return old[head : len(old) - tail], new[head : len(new) - tail]
