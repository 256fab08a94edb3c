"""The files of a folder on this machine, reached only by paths that stay inside it."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO

from reeval.sandbox.base import READ_LIMIT, PathError, SandboxError, TooLarge

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: opening a FIFO that nobody writes to would wait for ever.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NOT_THERE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES, errno.ENAMETOOLONG}
# What the eval or the agent made so; never the machine's fault.
_CANT_BE_WRITTEN = _NOT_THERE | {errno.EISDIR, errno.EPERM, errno.ENXIO, errno.ETXTBSY}
_PATH_BYTES = 4095
"""The system takes no longer path at once, so no command could use such a file."""


def checked(path: str) -> list[bytes]:
    """The components of a relative path that stays inside, `.` and `..` worked out.

    Raises `PathError` when it is absolute, climbs out, or can't be a path.
    """
    if "\0" in path:
        raise PathError(f"{path!r} isn't a path: it has a NUL byte")
    if path.startswith("/"):
        raise PathError(f"{path!r} is absolute: write it relative to the workspace, or ~/…")
    parts: list[bytes] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                raise PathError(f"{path!r} leads out of the workspace")
            parts.pop()
        elif part not in ("", "."):
            parts.append(_encoded(part, path))
    return parts


def _encoded(part: str, path: str) -> bytes:
    try:
        return os.fsencode(part)
    except UnicodeEncodeError:
        raise PathError(f"{path!r} isn't a path: it has a lone surrogate") from None


class Folder:
    """A folder and what is below it. Symlinks are followed only while they stay inside.

    A path is resolved first and then opened component by component without following links, so a
    link put in its place meanwhile is refused, not followed.
    """

    def __init__(self, root: str) -> None:
        self.root = os.fsencode(root)

    def read(self, path: str, limit: int = READ_LIMIT) -> bytes | None:
        """A regular file's contents; None when there is none or it may not be read.

        Raises `TooLarge` when it has more than `limit` bytes.
        """
        parts = self._resolved(path)
        try:
            with self._opened_folder(parts[:-1]) as folder:
                return _read_at(folder, parts[-1], limit) if parts else None
        except _Larger as larger:
            raise TooLarge(
                f"{path!r} has {_bytes_said(larger.size)} and read_file reads up to "
                f"{_bytes_said(READ_LIMIT)}: read a part of it with c.exec('head -c …')"
            ) from None
        except OSError as error:
            if error.errno in _NOT_THERE:
                return None
            raise failed(f"reading {path!r}", error) from error

    def write(self, path: str, contents: bytes) -> None:
        parts = self._resolved(path)
        if not parts:
            raise PathError(f"{path!r} is a folder")
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            with self._opened_folder(parts[:-1], create=True) as folder:
                descriptor = os.open(parts[-1], flags | os.O_TRUNC, 0o666, dir_fd=folder)
                with os.fdopen(descriptor, "wb", buffering=0) as file:
                    _write_all(file, contents)
        except OSError as error:
            if error.errno in _CANT_BE_WRITTEN:
                raise PathError(f"{path!r} can't be written: {why(error)}") from None
            raise failed(f"writing {path!r}", error) from error

    def folder_path(self, path: str) -> str:
        """Where a folder inside really is. Raises `PathError`."""
        return os.fsdecode(b"/".join([self.root, *self._resolved(path)]))

    def fetch(self, paths: Iterable[bytes], limit: int = READ_LIMIT) -> dict[bytes, bytes]:
        """Contents by raw path; what is gone, no regular file, or larger is left out."""
        found: dict[bytes, bytes] = {}
        for folder, names in _by_folder(paths).items():
            with suppress(OSError), self._opened_folder(folder.split(b"/") if folder else []) as at:
                for name in names:
                    with suppress(OSError, _Larger):
                        contents = _read_at(at, name, limit)
                        if contents is not None:
                            found[folder + b"/" + name if folder else name] = contents
        return found

    def digest(self, paths: Iterable[bytes]) -> dict[bytes, str]:
        """The sha256 of each file in hex, read in pieces; what is gone is left out."""
        found: dict[bytes, str] = {}
        for path in paths:
            *folder, name = path.split(b"/")
            with suppress(OSError), self._opened_folder(folder) as at:
                with os.fdopen(os.open(name, _FILE, dir_fd=at), "rb") as file:
                    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                        found[path] = hashlib.file_digest(file, "sha256").hexdigest()
        return found

    def _resolved(self, path: str) -> list[bytes]:
        parts = checked(path)
        asked = b"/".join([self.root, *parts])
        if len(asked) > _PATH_BYTES:
            raise PathError(f"{path[:40]!r}… isn't a path: it has {len(path)} characters")
        real = os.path.realpath(asked)
        if real == asked:
            return parts
        inside = self.root + b"/"
        if real != self.root and not real.startswith(inside):
            raise PathError(f"{path!r} leads out of the workspace through a symlink")
        return real[len(inside) :].split(b"/") if real != self.root else []

    @contextmanager
    def _opened_folder(self, parts: list[bytes], *, create: bool = False) -> Iterator[int]:
        descriptor = os.open(self.root, _FOLDER)
        try:
            for part in parts:
                if create:
                    with suppress(FileExistsError):
                        os.mkdir(part, dir_fd=descriptor)
                inner = os.open(part, _FOLDER, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = inner
            yield descriptor
        finally:
            os.close(descriptor)


class _Larger(Exception):
    """A file has more bytes than were asked for."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.size = size


def _bytes_said(count: int) -> str:
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} bytes"


def _read_at(folder: int, name: bytes, limit: int) -> bytes | None:
    descriptor = os.open(name, _FILE, dir_fd=folder)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return None
        if found.st_size > limit:
            raise _Larger(found.st_size)
        # One read takes a small file whole, its end included.
        contents = os.read(descriptor, found.st_size + 1)
        if len(contents) == found.st_size:
            return contents
        pieces, size = [contents], len(contents)
        while piece := os.read(descriptor, 1 << 20):
            pieces.append(piece)
            size += len(piece)
            if size > limit:  # it grows while it is read
                raise _Larger(size)
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def _write_all(file: IO[bytes], contents: bytes) -> None:
    rest = memoryview(contents)
    while rest:
        rest = rest[file.write(rest) :]


def _by_folder(paths: Iterable[bytes]) -> dict[bytes, list[bytes]]:
    grouped: dict[bytes, list[bytes]] = {}
    for path in paths:
        folder, _, name = path.rpartition(b"/")
        grouped.setdefault(folder, []).append(name)
    return grouped


def failed(doing: str, error: OSError) -> SandboxError:
    """The machine's fault as an infra error."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return SandboxError(
        f"{doing} in the sandbox failed: {why(error)}", cause="enospc" if full else None
    )


def why(error: OSError) -> str:
    """The system's words for it."""
    return (error.strerror or str(error)).lower()
