"""A workspace's folders and files as last seen, brought up to date by what changed since."""

from __future__ import annotations

import os
from collections.abc import Iterable
from operator import attrgetter
from typing import NamedTuple

from reeval.sandbox.base import FileEntry
from reeval.sandbox.folders import Inner, scan, unlisted

_path = attrgetter("path")


class Record(NamedTuple):
    """A path as a search found it; a folder's entry is only kept for its inode and times."""

    is_folder: bool
    entry: FileEntry


class _Folder:
    """A folder's inode, its own files by path, and the paths of the folders directly in it."""

    __slots__ = ("files", "folders", "inode")

    def __init__(self, inode: int) -> None:
        self.inode = inode
        self.files: dict[bytes, FileEntry] = {}
        self.folders: set[bytes] = set()


class Tree:
    """Knows every folder below `root`. Paths are relative bytes, the root's own is empty."""

    def __init__(self, root: str, records: Iterable[Record]) -> None:
        """`records` are everything, each folder before what is in it."""
        self._root = os.fsencode(root)
        self._folders: dict[bytes, _Folder] = {}
        self.newest = 0
        for is_folder, entry in records:
            self.newest = max(self.newest, entry.ctime_ns)
            if is_folder:
                self._add_folder(entry.path, entry.inode)
                if _is_closed(entry):
                    self._folders[entry.path].files[entry.path] = unlisted(entry.path)
            elif (folder := self._folders.get(_parent(entry.path))) is not None:
                folder.files[entry.path] = entry
        self._sorted = sorted(self._everything(), key=_path)

    def entries(self) -> list[FileEntry]:
        """Sorted by path."""
        return list(self._sorted)

    def update(self, records: Iterable[Record]) -> None:
        """`records` are all whose ctime is newer than some moment before the last update.

        A folder that is among them is read again, since names in it came or went; one that is new
        there, or another than before, is read with all below it, since what is moved with a folder
        keeps its times.
        """
        touched: dict[bytes, FileEntry | None] = {}
        changed = []
        for is_folder, entry in records:
            self.newest = max(self.newest, entry.ctime_ns)
            if is_folder:
                changed.append(entry.path)
                continue
            folder = self._folders.get(_parent(entry.path))
            if folder is not None and folder.files.get(entry.path) != entry:
                folder.files[entry.path] = touched[entry.path] = entry
        for path in changed:
            if path in self._folders:
                self._read(path, touched)
        if touched:
            # Nearly in order already, which `sort` makes quick work of.
            kept = [entry for entry in self._sorted if entry.path not in touched]
            self._sorted = kept + [entry for entry in touched.values() if entry is not None]
            self._sorted.sort(key=_path)

    def _everything(self) -> Iterable[FileEntry]:
        for folder in self._folders.values():
            yield from folder.files.values()

    def _add_folder(self, path: bytes, inode: int) -> None:
        self._folders[path] = _Folder(inode)
        if path:
            self._folders[_parent(path)].folders.add(path)

    def _read(self, path: bytes, touched: dict[bytes, FileEntry | None]) -> None:
        """Reads a known folder again, and whole folders that are new in it."""
        waiting = [path]
        while waiting:
            path = waiting.pop()
            folder = self._folders[path]
            now: dict[bytes, FileEntry] = {}
            inner: dict[bytes, int] = {}
            for found in scan(self._root, path):
                if isinstance(found, Inner):
                    inner[found.path] = found.inode
                else:
                    now[found.path] = found
            for gone in folder.files.keys() - now.keys():
                touched[gone] = None
                del folder.files[gone]
            for name, entry in now.items():
                if folder.files.get(name) != entry:
                    folder.files[name] = touched[name] = entry
            for child in list(folder.folders):
                if inner.get(child) != self._folders[child].inode:
                    self._forget(child, touched)
            for child in inner.keys() - folder.folders:
                self._add_folder(child, inner[child])
                waiting.append(child)

    def _forget(self, path: bytes, touched: dict[bytes, FileEntry | None]) -> None:
        self._folders[_parent(path)].folders.discard(path)
        waiting = [path]
        while waiting:
            folder = self._folders.pop(waiting.pop())
            touched.update(dict.fromkeys(folder.files))
            waiting += folder.folders


def _is_closed(folder: FileEntry) -> bool:
    """Whether it can't be listed: all in a workspace is its user's own, and root may list all."""
    return folder.mode & 0o500 != 0o500 and os.geteuid() != 0


def _parent(path: bytes) -> bytes:
    return path[: max(0, path.rfind(b"/"))]
