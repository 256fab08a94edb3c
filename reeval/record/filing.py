"""Writes attempts' files beside the event loop: making files is slow next to all else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reeval.record.artifacts import AttemptFolder
from reeval.record.batches import Batches, Settle
from reeval.record.schema import FileRef

if TYPE_CHECKING:
    import asyncio


@dataclass(slots=True)
class Filed:
    """What became of an attempt's files: the refs of those that were written, by name.

    `problems` are sentences on those the disk wouldn't take.
    """

    refs: dict[str, FileRef] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


class Filing:
    """The run's one thread that writes files."""

    def __init__(self) -> None:
        self._batches: Batches[_Order] = Batches("files", _write_all)

    async def write(self, folder: AttemptFolder, files: Sequence[tuple[str, str]]) -> Filed:
        """Writes each (name, text) into the folder, masked. Never raises for the disk."""
        import asyncio

        done: asyncio.Future[Filed] = asyncio.get_running_loop().create_future()
        self._batches.add((folder, files, done))
        return await done

    def close(self) -> None:
        self._batches.close()


_Order = tuple[AttemptFolder, Sequence[tuple[str, str]], "asyncio.Future[Filed]"]


def _write_all(orders: list[_Order]) -> Settle:
    filed = [file_now(folder, files) for folder, files, _ in orders]

    def settle() -> None:
        for (_, _, done), result in zip(orders, filed, strict=True):
            if not done.done():
                done.set_result(result)

    return settle


def file_now(folder: AttemptFolder, files: Sequence[tuple[str, str]]) -> Filed:
    """Writes each (name, text) at once, on this thread."""
    filed = Filed()
    for name, text in files:
        try:
            filed.refs[name] = folder.write(name, _bytes(text))
        except OSError as error:
            filed.problems.append(f"{name} could not be kept ({error.strerror or error})")
    return filed


def _bytes(text: str) -> bytes:
    """A file name's own bytes come back as they were; a lone surrogate becomes `?`."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")
