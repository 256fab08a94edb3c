"""The mark of a run's local sandboxes, and ending what a dead run left of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from reeval.sandbox.processes import carrying_prefix, end_processes

LIMIT_S = 5.0


def run_marker(root: Path, run_id: str) -> str:
    """Marks every process of the run's sandboxes; two projects' runs may share a run id."""
    project = hashlib.sha256(str(root.resolve()).encode("utf-8", "surrogateescape")).hexdigest()
    return f"{project[:12]}-{run_id}."


async def end_leftovers_of(root: Path, run_ids: Iterable[str]) -> None:
    """Ends the processes that these dead runs' local sandboxes left on this machine."""
    for run_id in run_ids:
        await end_processes(carrying_prefix(run_marker(root, run_id)), LIMIT_S)
