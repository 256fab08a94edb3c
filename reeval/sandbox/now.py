"""What a path of the workspace is at the moment, as far as it could be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reeval.sandbox.base import FileEntry
from reeval.sandbox.pack import FILE_LIMIT

_BATCH_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Now:
    """A path as it is: its contents (a link's target), or only their sha256, or neither."""

    mode: str
    size: int
    contents: bytes | None = None
    sha256: str = ""


def now_of(
    entry: FileEntry,
    contents: dict[bytes, bytes],
    digests: dict[bytes, str],
    unreadable: frozenset[bytes],
) -> Now | None:
    if entry.kind not in ("file", "link"):
        return None
    if entry.link is not None:
        return Now("120000", len(entry.link), entry.link)
    found = contents.get(entry.path)
    if found is not None:
        return Now(mode_of(entry), len(found), found)
    digest = digests.get(entry.path, "")
    if digest or entry.path in unreadable:
        return Now(mode_of(entry), entry.size, None, digest)
    return None


def batches(entries: list[FileEntry]) -> Iterator[list[FileEntry]]:
    """Entries in groups whose contents fit in memory together."""
    batch: list[FileEntry] = []
    size = 0
    for entry in entries:
        if size + entry.size > _BATCH_BYTES and batch:
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += min(entry.size, FILE_LIMIT)
    if batch:
        yield batch


def why_and_what(now: Now | None) -> tuple[str, str]:
    """Why contents are in no patch, and what they are, for a note."""
    why = f"contents over {FILE_LIMIT} bytes are not in a patch"
    if now is None:
        return why, ""
    if now.contents is None and not now.sha256:
        return "its contents can't be read", ""
    digest = f" with sha256 {now.sha256}" if now.sha256 else ""
    return why, f", now {now.size} bytes{digest}"


def mode_of(entry: FileEntry) -> str:
    return "100755" if entry.mode & 0o100 else "100644"
