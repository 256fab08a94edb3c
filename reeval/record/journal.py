"""A live run's journal: one writer that groups commits, and the lock that says the run is alive."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from reeval.config.errors import UsageError
from reeval.record.batches import Batches, Settle
from reeval.record.entries import line
from reeval.record.places import journal_path, sync_folder, write_all

if TYPE_CHECKING:
    import asyncio

_sync = getattr(os, "fdatasync", os.fsync)


_Item: TypeAlias = "tuple[bytes, asyncio.Future[None] | None]"
"""An entry, and the future of whoever waits for it."""


class JournalError(Exception):
    """An entry could not be kept: the disk is full or failing. What was synced before stays."""


class Journal:
    """The journal of one run. `append` and `post` are for one event loop.

    The lock is held until `close`, so fold the journal before closing it.
    """

    def __init__(self, path: Path, handle: int, size: int) -> None:
        self.path = path
        self._handle = handle
        self._size = size
        self._broken: OSError | None = None
        self._batches: Batches[_Item] = Batches("journal", self._commit)

    @classmethod
    def create(cls, runs: Path, run_id: str, plan: Iterable[bytes]) -> Journal:
        """A new journal in the runs' folder that holds `plan` (`run`, then each `eval`), synced.

        It has its name only once it is locked and holds the plan, so nobody takes it for a dead
        run's. Raises UsageError when the file can't be written or locked.
        """
        path = journal_path(runs, run_id)
        draft = path.with_name(f".{path.name}.tmp")
        handle = -1
        try:
            handle = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            size = sum(write_all(handle, line(entry)) for entry in plan)
            _sync(handle)
            draft.rename(path)
            sync_folder(runs)
        except OSError as error:
            if handle >= 0:
                os.close(handle)
                draft.unlink(missing_ok=True)
            reason = error.strerror or str(error)
            raise UsageError(
                f"a run's journal can't be written here ({reason})", file=runs
            ) from error
        return cls(path, handle, size)

    def append(self, entry: bytes) -> asyncio.Future[None]:
        """Queues an entry; the future resolves once it is synced, or fails with `JournalError`."""
        import asyncio

        done = asyncio.get_running_loop().create_future()
        self._batches.add((entry, done))
        return done

    def post(self, entry: bytes) -> None:
        """Queues an entry nobody waits for, such as `started`: synced with the next that is."""
        self._batches.add((entry, None))

    def close(self) -> None:
        """Writes what is queued and lets go of the lock. Safe to call twice."""
        self._batches.close()
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _commit(self, items: list[_Item]) -> Settle:
        waiting = [done for _, done in items if done is not None]
        failure: JournalError | None = None
        try:
            self._keep(b"".join([line(entry) for entry, _ in items]), sync=bool(waiting))
        except OSError as error:
            failure = JournalError(
                f"{self.path}: results can't be kept ({error.strerror or error}): "
                "free space, then run again"
            )
        return lambda: _resolve(waiting, failure)

    def _keep(self, data: bytes, *, sync: bool) -> None:
        if self._broken is not None:
            raise self._broken
        try:
            write_all(self._handle, data)
        except OSError:
            # A full disk may have room again later, so only the torn tail goes.
            os.ftruncate(self._handle, self._size)
            raise
        self._size += len(data)
        if sync:
            try:
                _sync(self._handle)
            except OSError as error:
                # After a failed sync nobody knows what is on the disk; a later one would lie.
                self._broken = error
                raise


def is_live(path: Path) -> bool:
    """Whether the engine that writes this journal still runs. Raises OSError when there is none."""
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _resolve(waiting: list[asyncio.Future[None]], failure: JournalError | None) -> None:
    for done in waiting:
        if done.done():
            continue
        if failure is None:
            done.set_result(None)
        else:
            done.set_exception(failure)
