"""Walking and removing a folder, however deep it is and however long the paths in it."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from reeval.sandbox.base import FileEntry

DEPTH_LIMIT = 4000
"""So many folders deep is listed. Paths grow with the depth, and so all paths with its square."""

_SHORT = 1024 - 256 - 1 if os.uname().sysname == "Darwin" else 4096 - 256 - 1
"""Bytes of a folder's path with which every name in it can be reached."""
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_NEAR = 400
"""A folder whose path is this much longer than the root's is moved to the root to be removed."""


class Inner(NamedTuple):
    """A folder that was found in another."""

    path: bytes
    inode: int


def walk(root: str) -> Iterator[FileEntry | None]:
    """Every file, symlink and special file below `root`, `.git` left out at any depth.

    None is a step that found nothing: a folder is entered. One that can't be listed is given as
    `unlisted`; one that goes away meanwhile is passed over.
    """
    base = os.fsencode(root)
    waiting = [b""]
    while waiting:
        yield None
        for found in scan(base, waiting.pop()):
            if isinstance(found, Inner):
                waiting.append(found.path)
            else:
                yield found


def scan(base: bytes, path: bytes) -> Iterator[FileEntry | Inner]:
    """What is directly in a folder below `base`, `.git` left out.

    When the folder itself can't be listed, it is the one entry, as `unlisted`.
    """
    prefix = path + b"/" if path else b""
    deepest = prefix.count(b"/") >= DEPTH_LIMIT
    try:
        with _reachable(base + b"/" + path if path else base) as folder:
            with os.scandir(folder) as items:
                for item in items:
                    if item.name == b".git":
                        continue
                    with suppress(FileNotFoundError):
                        if not item.is_dir(follow_symlinks=False):
                            yield entry(prefix + item.name, item)
                        elif deepest:
                            yield unlisted(prefix + item.name, item.inode())
                        else:
                            yield Inner(prefix + item.name, item.inode())
    except OSError as error:
        if path and error.errno not in _GONE:
            yield unlisted(path)


def unlisted(path: bytes, inode: int = 0) -> FileEntry:
    """A folder whose contents aren't in the listing."""
    return FileEntry(path, "unlisted", 0, 0, 0, 0, inode)


def entry(path: bytes, item: os.DirEntry[bytes]) -> FileEntry:
    """What a folder's item is. Raises FileNotFoundError when it is gone meanwhile."""
    found = item.stat(follow_symlinks=False)
    link = None
    if stat.S_ISREG(found.st_mode):
        kind = "file"
    elif stat.S_ISLNK(found.st_mode):
        kind, link = "link", os.readlink(item.path)
    else:
        kind = "other"
    return FileEntry(
        path,
        kind,  # type: ignore[arg-type]  # one of the three words above
        stat.S_IMODE(found.st_mode),
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
        found.st_ino,
        link,
    )


@contextmanager
def _reachable(folder: bytes) -> Iterator[bytes]:
    """A path by which the system takes a folder whose own is too long for it."""
    if len(folder) <= _SHORT:
        yield folder
        return
    descriptor = -1
    try:
        while folder:
            cut = len(folder) if len(folder) <= _SHORT else folder.rfind(b"/", 1, _SHORT)
            within = None if descriptor < 0 else descriptor
            inner = os.open(folder[:cut], _OPEN, dir_fd=within)
            if descriptor >= 0:
                os.close(descriptor)
            descriptor, folder = inner, folder[cut + 1 :]
        yield b"/proc/self/fd/%d" % descriptor
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def removal(root: str) -> Iterator[None]:
    """Removes a folder and what can be removed in it, a step for each entry.

    Read-only folders don't stop it. What is immutable or mounted stays, with the folders it is in.
    """
    far = len(root) + _NEAR
    moved = 0
    waiting = [(root, False)]
    while waiting:
        folder, emptied = waiting.pop()
        yield
        if emptied:
            with suppress(OSError):
                os.rmdir(folder)
            continue
        waiting.append((folder, True))
        for item in _opened(folder):
            yield
            with suppress(OSError):
                if not item.is_dir(follow_symlinks=False):
                    os.unlink(item.path)
                elif len(item.path) <= far:
                    waiting.append((item.path, False))
                else:
                    # No path gets longer than the system takes, nor slower to follow.
                    moved += 1
                    nearer = f"{root}/moved-{moved}"
                    _make_open(item.path)
                    os.rename(item.path, nearer)
                    waiting.append((nearer, False))


def _opened(folder: str) -> list[os.DirEntry[str]]:
    with suppress(OSError):
        _make_open(folder)
        with os.scandir(folder) as items:
            return list(items)
    return []


def _make_open(folder: str) -> None:
    if os.lstat(folder).st_mode & 0o700 != 0o700:
        os.chmod(folder, 0o700)
