"""Opening a sandbox in a test, closing it whatever happens, and looking at what runs in it."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from reeval.sandbox.base import Command, Sandbox

Opener = Callable[[Mapping[str, str]], Awaitable[Sandbox]]

ALIVE = "kill -0 {pid} 2>/dev/null && ! grep -q '^State:.Z' /proc/{pid}/status"


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


@asynccontextmanager
async def using(opened: Opener, env: Mapping[str, str] | None = None) -> AsyncIterator[Sandbox]:
    sandbox = await opened(env or {})
    try:
        yield sandbox
    finally:
        await sandbox.close()


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Waits for something that doesn't tell when it happens."""
    while not await condition():  # noqa: ASYNC110
        await asyncio.sleep(0.01)


async def alive(sandbox: Sandbox, pid: str) -> bool:
    """Whether a process inside is there and no zombie."""
    return (await sandbox.run(Command(ALIVE.format(pid=shlex.quote(pid))))).exit_code == 0


def ended(pid: str) -> bool:
    """No process, or a zombie that its new parent hasn't reaped yet."""
    status = Path("/proc", pid, "status")
    return not status.exists() or "State:\tZ" in status.read_text()


def left(folder: Path) -> list[str]:
    return os.listdir(folder)
