"""The peer: an asyncio loop that does what an attempt can't do without, and nothing else.

Eight messages over a runner process's pipes, a folder made and removed, and a journal line that is
synced with those of the attempts that end in the same moment.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from tempfile import TemporaryDirectory

ROUND_TRIPS = 4  # start → send → its answer → … → done
ECHO = "import sys\nfor line in sys.stdin:\n    sys.stdout.write(line)\n    sys.stdout.flush()\n"


def attempts_per_second(count: int = 3_000, concurrency: int = 10) -> float:
    with TemporaryDirectory(prefix="reeval-bench-") as folder:
        began = time.perf_counter()
        asyncio.run(_loop(folder, count, concurrency))
        return count / (time.perf_counter() - began)


async def _loop(folder: str, count: int, concurrency: int) -> None:
    runner = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ECHO, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    waiting: dict[int, asyncio.Future[None]] = {}
    reader = asyncio.create_task(_read(runner, waiting))
    journal = _Journal(os.path.join(folder, "journal"))
    numbers = iter(range(count))

    async def work() -> None:
        for number in numbers:
            await _attempt(number, folder, runner, waiting, journal)

    await asyncio.gather(*(work() for _ in range(concurrency)))
    assert runner.stdin is not None
    runner.stdin.close()
    await reader
    await runner.wait()


async def _read(
    runner: asyncio.subprocess.Process, waiting: dict[int, asyncio.Future[None]]
) -> None:
    assert runner.stdout is not None
    async for line in runner.stdout:
        waiting.pop(json.loads(line)["id"]).set_result(None)


async def _attempt(
    number: int,
    folder: str,
    runner: asyncio.subprocess.Process,
    waiting: dict[int, asyncio.Future[None]],
    journal: _Journal,
) -> None:
    assert runner.stdin is not None
    place = os.path.join(folder, str(number))
    os.mkdir(place)
    for _ in range(ROUND_TRIPS):
        waiting[number] = answer = asyncio.get_running_loop().create_future()
        runner.stdin.write(
            json.dumps({"id": number, "call": "send", "text": "go"}).encode() + b"\n"
        )
        await answer
    os.rmdir(place)
    await journal.append(json.dumps({"ended": number, "outcome": "pass"}).encode() + b"\n")


class _Journal:
    """Lines that arrive while one sync runs share the next."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        self._lines: list[bytes] = []
        self._lock = asyncio.Lock()

    async def append(self, line: bytes) -> None:
        self._lines.append(line)
        async with self._lock:
            if self._lines:
                lines, self._lines = self._lines, []
                os.write(self._file, b"".join(lines))
                await asyncio.to_thread(os.fsync, self._file)
