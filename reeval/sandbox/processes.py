"""Finding and ending the processes of a local sandbox by the marker in their environment.

A process that starts its own session leaves its command's process group, but keeps the variables
it was started with. Where there is no `/proc` (macOS) such a process is not found; its group is
still ended.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from weakref import WeakKeyDictionary

from reeval.sandbox.worker import in_thread

MARKER = "REEVAL_SANDBOX"
"""Holds the sandbox's marker in every process of it."""
COMMAND = "REEVAL_COMMAND"
"""Holds the command's number, so that a command's processes can be told from its neighbours'."""

_START = MARKER.encode() + b"="
_ENVIRON_BYTES = 1 << 20
_AT_ONCE = 100
"""How many processes are ended together; each takes a descriptor meanwhile."""

Wanted = Callable[[bytes], bool]
"""Says whether a process with this environment is one to end."""


def carrying(marker: str, command: str | None = None) -> Wanted:
    """Wants this sandbox's processes, or only those of one command of it."""
    lines = {_START + marker.encode()}
    if command is not None:
        lines.add(f"{COMMAND}={command}".encode())
    return lambda environ: lines.issubset(environ.split(b"\0"))


def carrying_prefix(prefix: str) -> Wanted:
    """Wants the processes of every sandbox whose marker begins so."""
    start = _START + prefix.encode()
    return lambda environ: any(line.startswith(start) for line in environ.split(b"\0"))


async def end_processes(wanted: Wanted, seconds: float) -> None:
    """Kills every wanted process and those it starts meanwhile, and reaps those that became ours.

    Returns when they are gone, or after `seconds`.
    """
    deadline = time.monotonic() + seconds
    while found := [pid for pid, environ in (await _look()).items() if wanted(environ)]:
        await in_thread(lambda pids=found: kill(pids, wanted, deadline))  # type: ignore[misc]  # mypy can't infer a lambda with a default
        if time.monotonic() >= deadline:
            return


def end_processes_now(wanted: Wanted, seconds: float) -> int:
    """The same where there is no event loop. Answers how many were ended."""
    deadline = time.monotonic() + seconds
    ended = 0
    while found := [pid for pid, environ in marked().items() if wanted(environ)]:
        ended += kill(found, wanted, deadline)
        if time.monotonic() >= deadline:
            break
    return ended


def marked() -> dict[int, bytes]:
    """Every other process with some sandbox's marker that we may look at, and its environment."""
    try:
        names = os.listdir("/proc")
    except FileNotFoundError:
        return {}
    pids = [int(name) for name in names if name.isdigit()]
    own = os.getpid()
    return {pid: found for pid in pids if pid != own and _START in (found := _environ(pid))}


def kill(pids: list[int], wanted: Wanted, deadline: float) -> int:
    """Kills those that still are wanted and waits for their end. Answers how many."""
    ended = 0
    for start in range(0, len(pids), _AT_ONCE):
        handles = [_Handle(pid) for pid in pids[start : start + _AT_ONCE]]
        try:
            # Looked at again now that it is held: the number may have become someone else's.
            killed = [h for h in handles if wanted(_environ(h.pid)) and h.kill()]
            for handle in killed:
                handle.wait(deadline)
        finally:
            for handle in handles:
                handle.close()
        ended += len(killed)
    return ended


class _Handle:
    """A process, held by a pidfd where there is one, so that its number can't change hands."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._descriptor = -1
        if hasattr(os, "pidfd_open"):
            with suppress(OSError):
                self._descriptor = os.pidfd_open(pid)

    def kill(self) -> bool:
        try:
            if self._descriptor >= 0:
                signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)
            else:
                os.kill(self.pid, signal.SIGKILL)
        except OSError:
            return False
        return True

    def wait(self, deadline: float) -> None:
        """Waits for its end and reaps it if it is a child of ours."""
        if self._descriptor >= 0:
            poll = select.poll()
            poll.register(self._descriptor, select.POLLIN)
            poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, os.WNOHANG)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)


def _environ(pid: int) -> bytes:
    try:
        descriptor = os.open(f"/proc/{pid}/environ", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, _ENVIRON_BYTES)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


# ── one look for many ────────────────────────────────────────────────────────────────────────

_looks: WeakKeyDictionary[asyncio.AbstractEventLoop, _Looks] = WeakKeyDictionary()


async def _look() -> dict[int, bytes]:
    """`marked()` as of some moment after the call."""
    loop = asyncio.get_running_loop()
    looks = _looks.get(loop)
    if looks is None:
        looks = _looks[loop] = _Looks()
    return await looks.next()


class _Looks:
    """Looks at the process table one after the other, each for all who asked before it began.

    A hundred sandboxes that close together cost one or two looks, not a hundred.
    """

    def __init__(self) -> None:
        self._one_at_a_time = asyncio.Lock()
        self._waiting: asyncio.Task[dict[int, bytes]] | None = None

    async def next(self) -> dict[int, bytes]:
        if self._waiting is None:
            self._waiting = asyncio.create_task(self._take())
        return await asyncio.shield(self._waiting)

    async def _take(self) -> dict[int, bytes]:
        async with self._one_at_a_time:
            self._waiting = None
            return await in_thread(marked)
