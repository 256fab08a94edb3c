"""Ending what the local sandboxes of a dead run left behind."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from reeval.sandbox import processes
from reeval.sandbox.folders import removal
from reeval.sandbox.local import FOLDER_PREFIX, MARKER_FORM

_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Leftovers:
    """How many processes were ended and folders removed."""

    processes: int
    folders: int


def end_leftovers(marker_prefix: str, directory: Path | None = None) -> Leftovers:
    """Ends the processes of every local sandbox whose marker begins so, and removes their folders.

    Only for a run that is known to be dead. The prefix must end where no other run's marker can go
    on: `20261130T174047Z_442ac2d_jane` would also take in the run `…_jane-2`. `directory` is where
    the sandboxes were made, by default the temporary one. Raises ValueError for a prefix that no
    marker can have.
    """
    if not MARKER_FORM.fullmatch(marker_prefix):
        raise ValueError(f"no sandbox's marker begins with {marker_prefix!r}")
    parent = Path(directory or tempfile.gettempdir()).resolve()
    wanted = processes.of_dead_run(marker_prefix, f"{parent}/{FOLDER_PREFIX}{marker_prefix}")
    ended = processes.end_processes_now(wanted, _SECONDS)
    folders = [
        folder
        for folder in parent.glob(f"{FOLDER_PREFIX}{marker_prefix}*")
        if folder.is_dir() and not folder.is_symlink() and folder.stat().st_uid == os.getuid()
    ]
    for folder in folders:
        for _ in removal(str(folder)):
            pass
    return Leftovers(ended, len(folders))
