"""The diff of a workspace of 50,000 files: its first snapshot, and after one edit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure
from reeval.config.model import SandboxSpec
from reeval.sandbox.providers import open_sandbox
from reeval.sandbox.snapshot import Snapshot

FILES = 50_000
FOLDERS = 500


def measure() -> Iterator[Figure]:
    first, after_edit, after_nothing = asyncio.run(_measure())
    yield Figure(f"first snapshot of {FILES:,} files", f"{first:.2f} s")
    ratio = f"≤ 0.5 s and a tenth of the first (is 1/{first / after_edit:.0f})"
    yield Figure("  diff after one edit", f"{after_edit:.3f} s", ratio)
    yield Figure("  diff after nothing", f"{after_nothing:.3f} s")


async def _measure() -> tuple[float, float, float]:
    sandbox = open_sandbox(SandboxSpec(id="fake", kind="fake"), "bench")
    await sandbox.start({})
    try:
        await sandbox.write_file("README.md", b"")  # the workspace is made when it is needed
        workspace = Path(sandbox.workspace)
        _fill(workspace)
        began = time.perf_counter()
        snapshot = await Snapshot.take(sandbox)
        first = time.perf_counter() - began
        try:
            (workspace / "folder-7" / "file-77.txt").write_text("edited\n", encoding="utf-8")
            return first, await _diff_seconds(snapshot, 1), await _diff_seconds(snapshot, 1)
        finally:
            snapshot.close()
    finally:
        await sandbox.close()


async def _diff_seconds(snapshot: Snapshot, changed: int) -> float:
    began = time.perf_counter()
    diff = await snapshot.diff()
    seconds = time.perf_counter() - began
    if len(diff.files) != changed:
        raise AssertionError(f"the diff should have {changed} files: {diff.files[:5]}")
    return seconds


def _fill(workspace: Path) -> None:
    for folder in range(FOLDERS):
        place = workspace / f"folder-{folder}"
        place.mkdir()
        for file in range(FILES // FOLDERS):
            (place / f"file-{file}.txt").write_text(f"{folder} {file}\n" * 20, encoding="utf-8")
