"""Dependency folders shown as one entry with a count, so that a record stays readable."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NotRequired, TypedDict

from reeval.sandbox.changes import ChangeStatus, FileChange

DEPENDENCY_FOLDERS = frozenset(
    {
        "node_modules",
        "bower_components",
        ".pnpm-store",
        ".venv",
        "venv",
        "site-packages",
        "__pycache__",
        ".tox",
        ".nox",
        "vendor",
        "target",
        ".gradle",
        ".m2",
        ".bundle",
        ".dart_tool",
        "elm-stuff",
    }
)
"""Folders that package managers and compilers fill: JavaScript's, Python's, PHP's and Go's, Rust's
and Maven's, Gradle's, Ruby's, Dart's and Elm's."""


class CollapsedChange(TypedDict):
    """A changed file, or with `count` a dependency folder and how many files changed below it."""

    path: str
    status: ChangeStatus
    count: NotRequired[int]


def collapse(files: Iterable[FileChange]) -> list[CollapsedChange]:
    """The changes in order, those below a dependency folder counted under the outermost one.

    A folder whose files changed in different ways is `modified`.
    """
    shown: list[CollapsedChange] = []
    folders: dict[str, CollapsedChange] = {}
    for change in files:
        folder = dependency_folder(change.path)
        if folder is None:
            shown.append({"path": change.path, "status": change.status})
        elif (entry := folders.get(folder)) is None:
            entry = folders[folder] = {"path": folder, "status": change.status, "count": 1}
            shown.append(entry)
        else:
            entry["count"] += 1
            if entry["status"] != change.status:
                entry["status"] = "modified"
    return shown


def dependency_folder(path: str) -> str | None:
    """The outermost dependency folder a path is in."""
    folders = path.split("/")[:-1]
    for depth, name in enumerate(folders, 1):
        if name in DEPENDENCY_FOLDERS:
            return "/".join(folders[:depth])
    return None
