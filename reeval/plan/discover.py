"""Finds the eval files of a project."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

SKIPPED = frozenset({".git", ".venv", "node_modules", ".reeval", "__pycache__"})
"""Folders that are never looked into."""


def discover(root: Path, patterns: Sequence[str]) -> tuple[str, ...]:
    """The files below `root` that match one of the globs: relative, with `/`, sorted.

    `**` stands for any number of folders, also none. Links to folders are followed, but never
    into a folder that is being looked into already.
    """
    found: set[str] = set()
    for pattern in patterns:
        parts = tuple(part for part in pattern.split("/") if part not in ("", "."))
        fixed = _fixed(parts)
        start = root.joinpath(*fixed)
        for path in _files(start, (*fixed,), frozenset()):
            if _matches(path, parts):
                found.add("/".join(path))
    return tuple(sorted(found))


def _fixed(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The leading folders of a pattern that hold no wildcard, so that nothing else is walked."""
    fixed = []
    for part in parts[:-1]:
        if any(char in part for char in "*?["):
            break
        fixed.append(part)
    return tuple(fixed)


def _files(
    folder: Path, names: tuple[str, ...], above: frozenset[tuple[int, int]]
) -> Iterator[tuple[str, ...]]:
    try:
        status = os.stat(folder)
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return  # gone, unreadable, or no folder: it holds no eval file for us
    identity = (status.st_dev, status.st_ino)
    if identity in above:
        return
    for entry in entries:
        path = (*names, entry.name)
        if _is(entry.is_file):
            yield path
        elif entry.name not in SKIPPED and _is(entry.is_dir):
            yield from _files(Path(entry.path), path, above | {identity})


def _is(test: Callable[[], bool]) -> bool:
    try:
        return test()
    except OSError:  # a link to itself
        return False


def _matches(path: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_matches(path[start:], pattern[1:]) for start in range(len(path) + 1))
    if not path:
        return False
    return fnmatchcase(path[0], pattern[0]) and _matches(path[1:], pattern[1:])
