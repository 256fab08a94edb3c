"""No-op attempts a second (one fake turn, one plain assert), beside a bare loop that does as much.

The CPU time is the engine's own process, without the runner: it says more than the wall time where
the machine does other work.
"""

from __future__ import annotations

from collections.abc import Iterator

from bench.bare_loop import attempts_per_second
from bench.figures import Figure
from bench.program import Ran, project, run

NO_OP = "    turn = await c.send('go')\n    assert turn.text == 'done'\n"
COUNTS = (100, 1_000, 10_000)
CONCURRENCIES = (10, 100)
MEMORY_COUNT = 5_000


def measure() -> Iterator[Figure]:
    for concurrency in CONCURRENCIES:
        what = f"bare loop: round trips, folder, synced line, {concurrency} at once"
        yield Figure(what, _rate(attempts_per_second(concurrency=concurrency)))
    with project(NO_OP) as root:
        alone = run("run", "--runs", "1", cwd=root)
        yield Figure("a run of one attempt", f"{alone.seconds * 1000:.0f} ms")
        for count in COUNTS:
            for concurrency in CONCURRENCIES:
                yield _figure(count, concurrency, alone, run(*_sized(count, concurrency), cwd=root))
        peak = run(*_sized(MEMORY_COUNT, 10), cwd=root).peak_mib
        yield Figure(f"engine's peak memory at {MEMORY_COUNT:,}", f"{peak:.1f} MiB", "≤ 60 MiB")


def _figure(count: int, concurrency: int, alone: Ran, ran: Ran) -> Figure:
    rate = count / max(ran.seconds - alone.seconds, 1e-9)
    cpu = (ran.cpu_seconds - alone.cpu_seconds) * 1000 / count
    held = f"engine {cpu:.2f} ms CPU each, {ran.peak_mib:.0f} MiB"
    what = f"{count:,} attempts, {concurrency} at once ({held})"
    return Figure(what, _rate(rate), "≥ 1,000 /s")


def _sized(count: int, concurrency: int) -> tuple[str, ...]:
    return ("run", "--runs", str(count), "--concurrency", str(concurrency))


def _rate(rate: float) -> str:
    return f"{rate:,.0f} /s"
