"""No-op attempts a second (one fake turn, one plain assert), beside a bare loop that does as much.

The CPU time is the engine's own process, without the runner: it says more than the wall time where
the machine does other work.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from bench.bare_loop import attempts_per_second
from bench.figures import Figure
from bench.program import Ran, project, run

NO_OP = "    turn = c.send('go')\n    assert turn.text == 'done'\n"
COUNTS = (100, 1_000, 10_000)
CONCURRENCIES = (10, 100)
MEMORY_COUNT = 5_000
ROUNDS = 3


def measure() -> Iterator[Figure]:
    root = project(NO_OP)
    alone = median([run("run", "--runs", "1", cwd=root).seconds for _ in range(ROUNDS)])
    yield Figure("a run of one attempt", f"{alone * 1000:.0f} ms")
    for concurrency in CONCURRENCIES:
        bare: list[float] = []
        for count in COUNTS:
            # By turns with the bare loop, so that a busy moment of the machine falls on both.
            ran = []
            for _ in range(ROUNDS):
                bare.append(attempts_per_second(concurrency=concurrency))
                ran.append(run(*_sized(count, concurrency), cwd=root))
            yield _figure(count, concurrency, alone, ran, median(bare))
    peak = run(*_sized(MEMORY_COUNT, 10), cwd=root).peak_mib
    yield Figure(f"engine's peak memory at {MEMORY_COUNT:,}", f"{peak:.1f} MiB", "≤ 60 MiB")


def _figure(count: int, concurrency: int, alone: float, ran: list[Ran], bare: float) -> Figure:
    rate = count / max(median([one.seconds for one in ran]) - alone, 1e-9)
    cpu = median([one.cpu_seconds for one in ran]) * 1000 / count
    held = f"engine {cpu:.2f} ms CPU each, {max(one.peak_mib for one in ran):.0f} MiB"
    what = f"{count:,} attempts, {concurrency} at once ({held})"
    beside = f"{rate / bare:.2f} of the bare loop's {bare:,.0f}"
    return Figure(what, f"{rate:,.0f} /s = {beside}", "≥ 1,000 /s")


def _sized(count: int, concurrency: int) -> tuple[str, ...]:
    return ("run", "--runs", str(count), "--concurrency", str(concurrency))
