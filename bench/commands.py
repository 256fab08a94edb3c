"""What an attempt's second command adds, beside asyncio's own subprocess with pipes."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator

from bench.figures import Figure
from bench.program import project, run

COUNT = 500
ROUNDS = 3
COMMAND = "    c.exec('true')\n"


def measure() -> Iterator[Figure]:
    for concurrency in (10, 100):
        rounds = [_round(concurrency) for _ in range(ROUNDS)]
        bare, once, twice = (statistics.median(column) for column in zip(*rounds, strict=True))
        added = twice - once
        yield Figure(f"asyncio's sh -c true, {concurrency} at once", f"{bare:.2f} ms")
        yield Figure("  an attempt with one command", f"{once:.2f} ms")
        yield Figure(f"  the second adds {added:.2f} ms", f"{added / bare:.2f} x", "≤ 1.5 x")


def _round(concurrency: int) -> tuple[float, float, float]:
    """The three by turns, so that a busy moment of the machine falls on all."""
    bare = asyncio.run(_bare(concurrency))
    return bare, _run_ms(COMMAND, concurrency), _run_ms(COMMAND * 2, concurrency)


def _run_ms(body: str, concurrency: int) -> float:
    """Milliseconds of a run's time for each of its attempts."""
    root = project(body)
    arguments = ("run", "--concurrency", str(concurrency), "--runs")
    start = run(*arguments, "1", cwd=root).seconds
    return (run(*arguments, str(COUNT), cwd=root).seconds - start) * 1000 / COUNT


async def _bare(concurrency: int) -> float:
    numbers = iter(range(COUNT))

    async def work() -> None:
        for _ in numbers:
            pipe = asyncio.subprocess.PIPE
            process = await asyncio.create_subprocess_exec(
                "sh", "-c", "true", stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe
            )
            await process.communicate()

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(concurrency)))
    return (time.perf_counter() - began) * 1000 / COUNT
