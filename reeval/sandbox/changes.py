"""What changed in a workspace, as the record and the checks see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ChangeStatus = Literal["added", "modified", "deleted"]


@dataclass(frozen=True, slots=True)
class FileChange:
    """A path's change since the start. Bytes of a name that aren't UTF-8 are surrogate escapes."""

    path: str
    status: ChangeStatus


@dataclass(frozen=True, slots=True)
class WorkspaceDiff:
    """The changed files by path, and the patch that `git apply --binary` takes."""

    files: tuple[FileChange, ...] = ()
    patch: str = ""
