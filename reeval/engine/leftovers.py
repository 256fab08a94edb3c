"""The mark of a run's local sandboxes, and ending what a dead run left of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from reeval.sandbox.leftovers import end_leftovers


def run_marker(root: Path, run_id: str) -> str:
    """Marks every sandbox of the run; two projects' runs may share a run id."""
    project = hashlib.sha256(str(root.resolve()).encode("utf-8", "surrogateescape")).hexdigest()
    return f"{project[:12]}-{run_id}."


def end_leftovers_of(root: Path, run_ids: Iterable[str]) -> None:
    """Ends the processes that these dead runs' local sandboxes left, and removes their folders."""
    for run_id in run_ids:
        end_leftovers(run_marker(root, run_id))
