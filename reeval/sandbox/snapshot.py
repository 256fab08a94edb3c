"""The workspace as it was when the agent got it, and what has changed since.

The start is kept on the host: an index of every path and the contents, outside the sandbox. A diff
lists the workspace again, reads only what has changed since the last listing, and compares that
with the start.

Limits: of a file over `FILE_LIMIT` only the sha256 is kept and compared. Such a file, and what
would make a patch longer than `PATCH_LIMIT`, is among the files of a diff but not in its patch; a
line there that begins with `#` says so, and `git apply` passes over it. So does one for a file
whose contents can't be shown without a secret, and for a folder that can't be listed.

Ignore rules, the agent's too, hide new paths. A `.gitignore` is never hidden by itself: one that is
new or changed shows, unless the folder it lies in is hidden and it so has no say.
"""

from __future__ import annotations

import errno
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial

from reeval.masking.masker import Masker
from reeval.plan.ignore import IgnoreRules
from reeval.sandbox.base import FileEntry, Sandbox, SandboxError
from reeval.sandbox.changes import ChangeStatus, FileChange, WorkspaceDiff
from reeval.sandbox.collapse import dependency_folder
from reeval.sandbox.now import Now, batches, mode_of, now_of, why_and_what
from reeval.sandbox.pack import FILE_LIMIT, Kept, Pack
from reeval.sandbox.patch import Side, masked_patch, quoted
from reeval.sandbox.worker import in_thread

__all__ = ["FILE_LIMIT", "PATCH_LIMIT", "ChangeStatus", "FileChange", "Snapshot", "WorkspaceDiff"]

PATCH_LIMIT = 16 * 1024 * 1024
"""Characters of a patch."""

_SETTLING_NS = 20_000_000
"""A file's times move in steps of up to 10 ms, so one that was written this shortly before the
newest may have been written again without showing it: its contents are compared each time."""
_INLINE_BYTES = 128 * 1024
"""Patches of so much are made on the event loop, larger ones in a thread."""
_LINKS = 40
_IGNORE_FILE = b".gitignore"
_RULES_BYTES = 256 * 1024
"""A larger `.gitignore` hides nothing."""
_NO_SECRETS = Masker({})
_UNSEEN = FileEntry(b"", "other", 0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class _Change:
    """`patch` is None where contents are too large or the whole patch would be; `note` says so."""

    status: ChangeStatus
    patch: str | None
    note: str = ""


class Snapshot:
    """The start of one workspace. One call at a time."""

    def __init__(self, sandbox: Sandbox, masker: Masker) -> None:
        """Of an empty workspace; `take` is for others."""
        self._sandbox = sandbox
        self._masker = masker
        self._pack = Pack()
        self._start: dict[bytes, Kept] = {}
        self._seen: dict[bytes, FileEntry] = {}
        self._unsettled: set[bytes] = set()
        self._newest = 0
        self._changes: dict[bytes, _Change] = {}
        self._patch_size = 0
        self._ignore_files: dict[bytes, bytes] = {}
        self._rules = IgnoreRules({})
        self._last = WorkspaceDiff()

    @classmethod
    async def take(cls, sandbox: Sandbox, masker: Masker = _NO_SECRETS) -> Snapshot:
        """The workspace as it is now. What `masker` masks isn't in the diffs' patches.

        Raises `SandboxError`.
        """
        snapshot = cls(sandbox, masker)
        listing = await sandbox.list_files()
        if listing:
            await snapshot._keep(listing)
        return snapshot

    def note_written(self, path: str, contents: bytes) -> None:
        """A file that was just placed there: from now on that is its start, ignored or not.

        One in the home folder (`~/…`) isn't in the workspace, and nothing comes of it.
        """
        if path.startswith("~/"):
            return
        raw = self._resolved(path)
        seen = self._seen.get(raw)
        mode = mode_of(seen) if seen is not None and seen.kind == "file" else "100644"
        self._start[raw] = self._kept(mode, contents)
        self._seen[raw] = _UNSEEN
        self._unsettled.discard(raw)
        self._drop(raw)

    async def diff(self) -> WorkspaceDiff:
        """What differs from the start, as of now. Raises `SandboxError`."""
        listing = await self._sandbox.list_files()
        suspects, gone = self._compare(listing)
        if not suspects and not gone:
            return self._last
        for path in gone:
            await self._note_gone(path)
        suspects += await self._reread_rules(listing, suspects, gone)
        await self._examine(suspects)
        self._settle(suspects)
        self._last = self._assembled()
        return self._last

    def close(self) -> None:
        self._pack.close()

    # ── the start ────────────────────────────────────────────────────────────────────────────

    async def _keep(self, listing: list[FileEntry]) -> None:
        async for entry, now in self._read(listing):
            self._seen[entry.path] = entry
            if now is None:
                continue
            if now.contents is None:
                self._start[entry.path] = Kept(now.mode, now.size, -1, now.sha256)
                continue
            self._start[entry.path] = self._kept(now.mode, now.contents)
            if entry.kind == "file" and _is_rules(entry):
                self._ignore_files[_folder(entry.path)] = now.contents
        self._rules = IgnoreRules(self._ignore_files)
        self._settle(listing)

    def _kept(self, mode: str, contents: bytes) -> Kept:
        try:
            return self._pack.keep(mode, contents)
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            raise SandboxError(
                f"the workspace's start can't be kept in the temporary folder: {error.strerror}",
                cause="enospc" if full else None,
            ) from error

    # ── what differs from the last look ──────────────────────────────────────────────────────

    def _compare(self, listing: list[FileEntry]) -> tuple[list[FileEntry], list[bytes]]:
        """The entries to look at again, and the paths that are gone."""
        seen, unsettled = self._seen, self._unsettled
        # A provider that keeps its listing gives the same objects again, which is quick to see.
        others = [entry for entry in listing if seen.get(entry.path) is not entry]
        suspects = [entry for entry in others if seen.get(entry.path) != entry]
        already = {entry.path for entry in suspects}
        suspects += [seen[path] for path in unsettled if path not in already and path in seen]
        if len(listing) - sum(entry.path not in seen for entry in others) == len(seen):
            return suspects, []
        now = {entry.path for entry in listing}
        suspects = [entry for entry in suspects if entry.path in now]
        return suspects, [path for path in seen if path not in now]

    def _settle(self, examined: list[FileEntry]) -> None:
        self._newest = max([self._newest, *(entry.ctime_ns for entry in examined)])
        for entry in examined:
            if entry.ctime_ns >= self._newest - _SETTLING_NS:
                self._unsettled.add(entry.path)
            else:
                self._unsettled.discard(entry.path)

    async def _reread_rules(
        self, listing: list[FileEntry], suspects: list[FileEntry], gone: list[bytes]
    ) -> list[FileEntry]:
        """Takes changed ignore files into account. Answers what else must be looked at for that."""
        changed = [e for e in suspects if _named(e.path, _IGNORE_FILE)]
        affected = [e.path for e in changed] + [p for p in gone if _named(p, _IGNORE_FILE)]
        if not affected:
            return []
        contents = await self._sandbox.fetch([e.path for e in changed if _is_rules(e)])
        before = dict(self._ignore_files)
        for path in affected:
            self._ignore_files.pop(_folder(path), None)
        self._ignore_files |= {_folder(path): text for path, text in contents.items()}
        if self._ignore_files == before:
            return []
        self._rules = IgnoreRules(self._ignore_files)
        already = {entry.path for entry in suspects}
        return [e for e in listing if e.path not in self._start and e.path not in already]

    # ── what differs from the start ──────────────────────────────────────────────────────────

    async def _examine(self, suspects: list[FileEntry]) -> None:
        wanted = []
        for entry in suspects:
            if entry.path in self._start:
                wanted.append(entry)
            elif entry.kind == "other" or self._is_hidden(entry.path):
                self._seen[entry.path] = entry
                self._drop(entry.path)
            elif entry.kind == "unlisted":
                self._seen[entry.path] = entry
                note = self._note_line(
                    entry.path, "added", "what is in this folder can't be listed"
                )
                self._changes[entry.path] = _Change("added", None, note)
            else:
                wanted.append(entry)
        # Dependency folders last, so that they don't use up the patch.
        wanted.sort(key=lambda entry: (_in_dependencies(entry.path), entry.path))
        async for entry, now in self._read(wanted):
            self._seen[entry.path] = entry
            if now is None:
                await self._note_gone(entry.path)
            else:
                await self._note(entry.path, now)

    def _is_hidden(self, path: bytes) -> bool:
        if not _named(path, _IGNORE_FILE):
            return self._rules.ignored(path)
        folder = _folder(path)
        return bool(folder) and self._rules.ignored(folder, True)

    async def _read(self, entries: list[FileEntry]) -> AsyncIterator[tuple[FileEntry, Now | None]]:
        """Each entry with its contents; None for one that is gone or is no file."""
        large = [e.path for e in entries if e.kind == "file" and e.size > FILE_LIMIT]
        digests = await self._sandbox.digest(large) if large else {}
        for batch in batches(entries):
            small = [e.path for e in batch if e.kind == "file" and e.size <= FILE_LIMIT]
            contents = await self._sandbox.fetch(small) if small else {}
            missing = len(contents) < len(small) or len(digests) < len(large)
            unreadable = await self._still_there() if missing else frozenset[bytes]()
            for entry in batch:
                yield entry, now_of(entry, contents, digests, unreadable)

    async def _still_there(self) -> frozenset[bytes]:
        return frozenset(entry.path for entry in await self._sandbox.list_files())

    async def _note(self, path: bytes, now: Now) -> None:
        start = self._start.get(path)
        if start is None:
            await self._change(path, "added", None, now)
        elif self._same(start, now):
            self._drop(path)
        else:
            await self._change(path, "modified", start, now)

    def _same(self, start: Kept, now: Now) -> bool:
        if (start.mode, start.size) != (now.mode, now.size):
            return False
        if now.contents is None:
            return bool(now.sha256) and now.sha256 == start.sha256
        return now.contents == self._pack.contents(start)

    async def _note_gone(self, path: bytes) -> None:
        self._seen.pop(path, None)
        self._unsettled.discard(path)
        start = self._start.get(path)
        if start is None:
            self._drop(path)
        else:
            await self._change(path, "deleted", start, None)

    async def _change(
        self, path: bytes, status: ChangeStatus, start: Kept | None, now: Now | None
    ) -> None:
        self._drop(path)
        old = self._side(start)
        new = None if now is None or now.contents is None else Side(now.mode, now.contents)
        if (start and not old) or (now and not new):
            note = self._note_line(path, status, *why_and_what(now))
            self._changes[path] = _Change(status, None, note)
            return
        size = (start.size if start else 0) + (now.size if now else 0)
        note = ""
        if self._patch_size >= PATCH_LIMIT:
            patch = None
        else:
            make = partial(masked_patch, self._masker, path, old, new)
            patch = make() if size <= _INLINE_BYTES else await in_thread(make)
            if patch is None:
                note = self._note_line(path, status, "its contents hold a secret")
        if patch is not None and self._patch_size + len(patch) > PATCH_LIMIT:
            patch = None
        self._patch_size += len(patch or "")
        self._changes[path] = _Change(status, patch, note)

    def _note_line(self, path: bytes, status: ChangeStatus, why: str, what: str = "") -> str:
        """The line that stands in a patch for a file that isn't in it."""
        return f"# reeval: {quoted(self._masker.data(path))} {status}{what}; {why}\n"

    def _side(self, start: Kept | None) -> Side | None:
        contents = None if start is None else self._pack.contents(start)
        return None if start is None or contents is None else Side(start.mode, contents)

    def _drop(self, path: bytes) -> None:
        change = self._changes.pop(path, None)
        if change is not None:
            self._patch_size -= len(change.patch or "")

    def _assembled(self) -> WorkspaceDiff:
        changes = sorted(self._changes.items())
        pieces = [change.note if change.patch is None else change.patch for _, change in changes]
        left_out = sum(1 for piece in pieces if not piece)
        if left_out:
            pieces.append(
                f"# reeval: {left_out} more changed files are not in this patch: "
                f"it ends at {PATCH_LIMIT} characters\n"
            )
        files = (FileChange(_text(path), change.status) for path, change in changes)
        return WorkspaceDiff(tuple(files), "".join(pieces))

    def _resolved(self, path: str) -> bytes:
        """Where a path of the workspace that was written really is."""
        todo = path.encode("utf-8", "surrogateescape").split(b"/")[::-1]
        done: list[bytes] = []
        links = 0
        while todo:
            part = todo.pop()
            if part == b"..":
                del done[-1:]
            elif part not in (b"", b"."):
                done.append(part)
            seen = self._seen.get(b"/".join(done))
            if seen is not None and seen.link is not None and links < _LINKS:
                links += 1
                done = [] if seen.link.startswith(b"/") else done[:-1]
                todo += seen.link.split(b"/")[::-1]
        return b"/".join(done)


def _is_rules(entry: FileEntry) -> bool:
    return _named(entry.path, _IGNORE_FILE) and entry.size <= _RULES_BYTES


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


def _folder(path: bytes) -> bytes:
    return path[: max(0, path.rfind(b"/"))]


def _named(path: bytes, name: bytes) -> bool:
    return path.endswith(name) and (path == name or path[-len(name) - 1 : -len(name)] == b"/")


def _in_dependencies(path: bytes) -> bool:
    return dependency_folder(_text(path)) is not None
