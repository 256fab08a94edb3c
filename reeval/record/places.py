"""Where a run's files lie under the project's `.reeval` folder, and how a file gets there whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from reeval.config.errors import UsageError

STATE = ".reeval"
RECORD = ".json"
JOURNAL = ".journal"

EVALS = b'\n"evals":['
"""What parts a record's head from its evals. A raw newline stands nowhere before it."""


def runs_folder(root: Path) -> Path:
    """The folder of a project's records, journals and runs' own folders. It may not exist."""
    return root / STATE / "runs"


def record_path(runs: Path, run_id: str) -> Path:
    return runs / f"{run_id}{RECORD}"


def journal_path(runs: Path, run_id: str) -> Path:
    return runs / f"{run_id}{JOURNAL}"


def ready_runs_folder(root: Path) -> Path:
    """The runs' folder, made where it is missing and proved writable.

    Raises UsageError when nothing can be written there.
    """
    runs = runs_folder(root)
    probe = runs / f".probe-{os.getpid()}"
    try:
        runs.mkdir(parents=True, exist_ok=True)
        probe.write_bytes(b"reeval")
        probe.unlink()
    except OSError as error:
        with suppress(OSError):
            probe.unlink()
        raise UsageError(_why_unwritable(runs, error), file=_blocker(runs)) from error
    return runs


def _blocker(runs: Path) -> Path:
    """The part of the path that is in the way: a file where a folder belongs, else the folder."""
    # Not by the paths' own methods, which raise where a folder above may not be looked into.
    for part in (runs.parent, runs):
        if os.path.lexists(part) and not os.path.isdir(part):
            return part
    return runs


def _why_unwritable(runs: Path, error: OSError) -> str:
    blocker = _blocker(runs)
    if os.path.islink(blocker) and not os.path.exists(blocker):
        return f"this is a symlink to {os.readlink(blocker)}, which is not there: remove it"
    if os.path.exists(blocker) and not os.path.isdir(blocker):
        return "this is a file, and reeval keeps its runs in a folder of that name: move it away"
    reason = error.strerror or str(error)
    return f"runs can't be written here ({reason}): free space, or make the folder writable"


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file that appears at `path` only whole, and synced; on an error nothing is left.

    Raises OSError as writing does.
    """
    draft = path.with_name(f".{path.name}.tmp")
    try:
        with draft.open("wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_whole(path: Path, data: bytes) -> None:
    """Writes `data` to `path` whole or not at all. Raises OSError."""
    with whole_file(path) as out:
        out.write(data)


def sync_folder(folder: Path) -> None:
    """Makes the names in `folder` outlive a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_all(handle: int, data: bytes) -> int:
    """Writes all of `data`, however often the system takes only a part, and returns its length."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]
    return len(data)
