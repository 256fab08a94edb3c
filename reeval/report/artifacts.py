"""Reading what a run kept of an attempt, by the references in its record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from reeval.config.errors import UsageError

if TYPE_CHECKING:
    from reeval.record.schema import FileRef


def kept_path(folder: Path, ref: FileRef | None, what: str) -> Path:
    """Where the file is. Raises `UsageError` when none was kept or it isn't in `folder`."""
    if ref is None:
        raise UsageError(f"no {what} of this attempt was kept")
    path = folder / ref["path"]
    # A record may come from somebody else: what it names outside its own folder isn't read.
    if not path.resolve().is_relative_to(folder.resolve()):
        raise UsageError(f"the record names a {what} outside its folder: {ref['path']}")
    if not path.is_file():
        raise UsageError(f"the {what} is gone: {path}")
    return path


def kept_bytes(folder: Path, ref: FileRef | None, what: str) -> bytes:
    """The file, whole. Raises `UsageError` when it isn't there."""
    return kept_path(folder, ref, what).read_bytes()


def kept_lines(folder: Path, ref: FileRef | None, what: str) -> Iterator[str]:
    """The file's lines as they are read. Raises `UsageError` at the first when it isn't there."""
    path = kept_path(folder, ref, what)
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        for line in file:
            yield line.removesuffix("\n")


def beside(folder: Path, place: str | None, name: str) -> Iterator[str]:
    """The lines of a file in an attempt's folder that the record doesn't name; none without it."""
    if place is None:
        return
    path = folder / place / name
    if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
        with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
            yield from (line.removesuffix("\n") for line in file)
