"""Copies a run to the history folder, which is committed: record and files, whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from reeval.config.ci import is_ci
from reeval.config.errors import UsageError
from reeval.record.places import record_path, write_whole
from reeval.record.reader import RunPath
from reeval.record.schema import RecordMode


def is_recorded(mode: RecordMode, environ: Mapping[str, str]) -> bool:
    """Whether `record: manual|ci|always` copies a run that ends here by itself."""
    return mode == "always" or (mode == "ci" and is_ci(environ))


def record_run(root: Path, run: RunPath, history: str) -> Path:
    """Copies a run's record and folder to the history; returns the copied record.

    A run that is there already stays as it is. Raises UsageError when it still runs, or when the
    history can't be written (nothing of the run is left there then).
    """
    folder = root / history
    record = record_path(folder, run.run_id)
    if record.exists():
        return record
    if run.journal:
        what = "still runs" if run.live else "has no record yet: `reeval recover` writes it"
        raise UsageError(f"this run {what}", file=run.path)
    try:
        _copy(run, folder, record)
    except (OSError, shutil.Error) as error:
        raise UsageError(f"the run can't be copied here ({_reason(error)})", file=folder) from error
    return record


def _copy(run: RunPath, folder: Path, record: Path) -> None:
    """The folder first, the record last: a history with the record has all of the run."""
    folder.mkdir(parents=True, exist_ok=True)
    files, draft = folder / run.run_id, folder / f".{run.run_id}.tmp"
    try:
        shutil.rmtree(draft, ignore_errors=True)
        shutil.rmtree(files, ignore_errors=True)
        if run.folder.is_dir():
            shutil.copytree(run.folder, draft, symlinks=True)
            draft.rename(files)
        write_whole(record, run.path.read_bytes())
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        shutil.rmtree(files, ignore_errors=True)
        raise


def _reason(error: OSError | shutil.Error) -> str:
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list):
        # copytree collects (source, target, reason) of each file that failed.
        return str(error.args[0][0][2])
    return getattr(error, "strerror", None) or str(error)
