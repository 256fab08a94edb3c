"""`reeval show` of a stored run of 5,000 attempts."""

from __future__ import annotations

from collections.abc import Iterator

from bench.attempts import NO_OP
from bench.figures import Figure, median_ms
from bench.program import project, run

COUNT = 5_000


def measure() -> Iterator[Figure]:
    root = project(NO_OP)
    run("run", "--runs", str(COUNT), "--concurrency", "10", cwd=root)
    shown = median_ms(lambda: run("show", cwd=root), 5)
    yield Figure(f"show, a run of {COUNT:,} attempts", f"{shown:.0f} ms", "≤ 400 ms")
    listed = median_ms(lambda: run("runs", cwd=root), 5)
    yield Figure("runs, the same", f"{listed:.0f} ms")
    data = median_ms(lambda: run("show", "--json", cwd=root), 3)
    yield Figure("show --json, the same", f"{data:.0f} ms")
