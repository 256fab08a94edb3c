"""Opens a run: takes its name, keeps what was changed in the worktree, and starts its journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path

from reeval.config.errors import UsageError
from reeval.masking.masker import Masker
from reeval.plan.model import Plan
from reeval.record.entries import eval_entry, run_entry
from reeval.record.git import read_worktree
from reeval.record.header import eval_entries, run_header
from reeval.record.journal import Journal
from reeval.record.machine import author
from reeval.record.names import claim, run_id
from reeval.record.redact import redact
from reeval.record.schema import ArtifactLevel
from reeval.record.worktree import PATCH_NAME, keep_patch


@dataclass(frozen=True, slots=True)
class Opened:
    """A run that may start: its folder is made, and its plan is synced in its journal."""

    run_id: str
    folder: Path
    journal: Journal


def open_run(
    plan: Plan,
    runs: Path,
    started: datetime,
    *,
    concurrency: int,
    artifacts: ArtifactLevel,
    environ: Mapping[str, str],
    masker: Masker,
) -> Opened:
    """Opens a run in the folder `ready_runs_folder` gave. Blocks while git lists the changes.

    Raises UsageError when it can't be written.
    """
    settings = plan.settings
    worktree = read_worktree(settings.root, settings.history, environ)
    who = author(settings.root, environ)
    try:
        name = claim(runs, run_id(started, worktree.info["sha"] if worktree else None, who))
    except OSError as error:
        raise UsageError(f"a run's folder can't be made here ({error})", file=runs) from error
    folder = runs / name
    try:
        git = keep_patch(worktree, folder, artifacts, masker) if worktree else None
        header = run_header(
            plan,
            run_id=name,
            started=started,
            concurrency=concurrency,
            artifacts=artifacts,
            author=who,
            git=git,
            top=worktree.top if worktree else None,
            environ=environ,
        )
        entries = (eval_entry(redact(planned, masker)) for planned in eval_entries(plan))
        first = run_entry(redact(header, masker))
        journal = Journal.create(runs, name, chain((first,), entries))
    except BaseException:
        _remove(folder)
        raise
    return Opened(name, folder, journal)


def _remove(folder: Path) -> None:
    (folder / PATCH_NAME).unlink(missing_ok=True)
    folder.rmdir()
