"""The listing of a local workspace, quick however large it is and quicker the second time.

A small one is read here and now. A large one is listed by GNU `find`, which looks at files several
times faster than Python can: first all of it, then only what has changed since. Where there is no
such `find`, a thread walks the folders.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from collections.abc import Iterable

from reeval.sandbox.base import FileEntry, SandboxError
from reeval.sandbox.folders import DEPTH_LIMIT, unlisted, walk
from reeval.sandbox.running import RunningCommand
from reeval.sandbox.tree import Record, Tree
from reeval.sandbox.worker import in_thread

_INLINE_ENTRIES = 300
_FIND_LIMIT = 256 * 1024 * 1024
"""Bytes of a listing: two million files, or fewer whose paths are very long."""
_STEP_NS = 20_000_000
"""A file's times move in steps of up to 10 ms."""

# A path has no `//`, so the first one separates it from a link's target.
_PRINT = ("-printf", r"%y %m %s %T@ %C@ %i %P//%l\0")


class Listing:
    """What is in one workspace, kept between looks."""

    def __init__(self, workspace: str) -> None:
        self._workspace = workspace
        self._one_at_a_time = asyncio.Lock()
        self._can_find = True
        self._tree: Tree | None = None
        self._looked_at = 0
        self._clock_offset = 0

    async def take(self) -> list[FileEntry]:
        """Every file, symlink and special file, `.git` left out at any depth, sorted by path."""
        if self._tree is None:
            steps = list(itertools.islice(walk(self._workspace), _INLINE_ENTRIES))
            if len(steps) < _INLINE_ENTRIES:
                return _sorted(steps)
        async with self._one_at_a_time:
            tree = await self._current_tree()
        if tree is not None:
            return tree.entries()
        return await in_thread(lambda: _sorted(walk(self._workspace)))

    async def _current_tree(self) -> Tree | None:
        """The tree as it is now; None when `find` can't say."""
        tree = self._tree
        since = self._since(tree)
        if tree is not None and since is not None:
            changed = await self._find("-newerct", since)
            if changed is not None:
                await in_thread(lambda: tree.update(map(_record, changed)))
                return tree
        if self._can_find:
            everything = await self._find() or []
            self._can_find = bool(everything)
            self._tree = await in_thread(lambda: Tree(self._workspace, map(_record, everything)))
        return self._tree if self._can_find else None

    def _since(self, tree: Tree | None) -> str | None:
        """From when on files may have changed since the last look; None to look at everything.

        A file's ctime can't be set. But it may be another machine's time, so the newest one counts,
        and where the clock was set back in between it says nothing.
        """
        now = time.time_ns()
        offset = now - time.monotonic_ns()
        newest = min(tree.newest if tree is not None else 0, self._looked_at) - _STEP_NS
        set_back = offset < self._clock_offset - _STEP_NS // 2
        self._looked_at, self._clock_offset = now, offset
        if tree is None or set_back:
            return None
        return f"@{newest // 10**9}.{newest % 10**9:09}"

    async def _find(self, *which: str) -> list[bytes] | None:
        """A line for each path found; None when there is no such `find`, or it met an error."""
        env = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
        # It doesn't go into the folders that it finds one below the limit.
        depth = ("-maxdepth", str(DEPTH_LIMIT + 1))
        argv = ("find", ".", *depth, "-name", ".git", "-prune", "-o", *which, *_PRINT)
        try:
            running = RunningCommand(
                argv, cwd=self._workspace, env=env, stdin=b"", limit=_FIND_LIMIT
            )
        except OSError:
            return None
        try:
            await running.ended.wait()
            if running.stdout.total > _FIND_LIMIT:
                raise SandboxError(
                    "the workspace can't be listed: the paths in it have over "
                    f"{_FIND_LIMIT >> 20} MiB together"
                )
            lines = running.stdout.kept_bytes().split(b"\0")[:-1]
            # Looking at everything it may meet a folder that can't be read: that is left out.
            return lines if running.exit_code == 0 or not which else None
        except asyncio.CancelledError:
            running.kill_group()
            raise
        finally:
            running.close_streams()
            running.reap()


def _record(line: bytes) -> Record:
    kind, mode, size, mtime, ctime, inode, rest = line.split(b" ", 6)
    path, _, target = rest.partition(b"//")
    if kind == b"d" and path.count(b"/") >= DEPTH_LIMIT:
        return Record(False, unlisted(path, int(inode)))
    return Record(
        kind == b"d",
        FileEntry(
            path,
            "file" if kind == b"f" else "link" if kind == b"l" else "other",
            int(mode, 8),
            int(size),
            _nanoseconds(mtime),
            _nanoseconds(ctime),
            int(inode),
            target if kind == b"l" else None,
        ),
    )


def _nanoseconds(seconds: bytes) -> int:
    whole, _, fraction = seconds.partition(b".")
    return int(whole) * 1_000_000_000 + int(fraction[:9] or b"0")


def _sorted(steps: Iterable[FileEntry | None]) -> list[FileEntry]:
    return sorted((found for found in steps if found is not None), key=lambda found: found.path)
