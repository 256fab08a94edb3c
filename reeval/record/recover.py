"""Runs that died before their record was written: each journal nobody holds becomes a record."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from reeval.record.fold import fold
from reeval.record.index import NoRun
from reeval.record.places import JOURNAL, record_path, runs_folder
from reeval.record.schema import RunSummary

_DRAFT_AGE_S = 60.0


@dataclass(frozen=True, slots=True)
class Recovered:
    """A dead run. `record` and `summary` are None when it couldn't be written; `notes` say why."""

    run_id: str
    record: Path | None
    summary: RunSummary | None
    notes: tuple[str, ...] = ()


def recover(root: Path) -> list[Recovered]:
    """Folds every dead run's journal into its record, oldest first, and leaves live ones alone.

    What can't be recovered stays on disk and is reported, never raised.
    """
    runs = runs_folder(root)
    if not runs.is_dir():
        return []
    _drop_old_drafts(runs)
    found: list[Recovered] = []
    for journal in sorted(runs.glob(f"*{JOURNAL}")):
        try:
            with _locked(journal) as held:
                recovered = _recover(journal) if held else None
        except OSError as error:
            note = f"{journal}: not recovered ({error.strerror or error}); its journal stays"
            recovered = Recovered(journal.stem, None, None, (note,))
        if recovered is not None:
            found.append(recovered)
    return found


def _recover(journal: Path) -> Recovered | None:
    run_id = journal.stem
    if record_path(journal.parent, run_id).is_file():
        # It died between its record, which is written whole, and the journal's removal.
        journal.unlink()
        return None
    try:
        folded = fold(journal, check_files=True)
    except NoRun as error:
        aside = journal.with_suffix(".damaged")
        journal.rename(aside)
        return Recovered(run_id, None, None, (f"{error}; it was set aside as {aside.name}",))
    return Recovered(run_id, folded.record, folded.summary, folded.notes)


@contextmanager
def _locked(journal: Path) -> Iterator[bool]:
    """Takes a dead journal's lock; False when its engine lives, or another start took it over."""
    try:
        handle = os.open(journal, os.O_RDWR)
    except FileNotFoundError:
        yield False
        return
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield _is_still(journal, handle)
    finally:
        os.close(handle)


def _is_still(journal: Path, handle: int) -> bool:
    """Whether the path still names the file that was locked: its holder may just have folded it."""
    try:
        return os.path.samestat(journal.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


def _drop_old_drafts(runs: Path) -> None:
    """Files that a killed process left half written, once nobody can be writing them any more."""
    for draft in runs.glob(".*.tmp"):
        try:
            if time.time() - draft.stat().st_mtime > _DRAFT_AGE_S:
                draft.unlink()
        except FileNotFoundError:
            continue
