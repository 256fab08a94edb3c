"""Contents of the start, kept on the host in one file without a name."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass

FILE_LIMIT = 8 * 1024 * 1024
"""Bytes of a file's contents that are kept and shown; a larger one is named and hashed."""

_IN_MEMORY = 256 * 1024


@dataclass(frozen=True, slots=True)
class Kept:
    """A file of the start: git's mode, its contents' place in the pack or only their sha256."""

    mode: str
    size: int
    offset: int
    sha256: str = ""


class Pack:
    """Small packs stay in memory. Raises OSError when the host's temporary folder is full."""

    def __init__(self) -> None:
        self._file: tempfile.SpooledTemporaryFile[bytes] | None = None
        self._end = 0

    def keep(self, mode: str, contents: bytes) -> Kept:
        if len(contents) > FILE_LIMIT:
            return Kept(mode, len(contents), -1, hashlib.sha256(contents).hexdigest())
        if self._file is None:
            self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115  # `close` does
        offset = self._end
        self._file.seek(offset)
        self._file.write(contents)
        self._end += len(contents)
        return Kept(mode, len(contents), offset)

    def contents(self, kept: Kept) -> bytes | None:
        """None when only the sha256 was kept."""
        if kept.offset < 0:
            return None
        if self._file is None or not kept.size:
            return b""
        self._file.seek(kept.offset)
        return self._file.read(kept.size)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
