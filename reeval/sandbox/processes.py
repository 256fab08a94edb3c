"""Finding and ending the processes of a local sandbox.

A process that starts its own session leaves its command's process group, but keeps the variables
it was started with, the sandbox's marker among them. One whose environment was emptied is found
by its working or root folder, if that is in the sandbox's. Where there is no `/proc` (macOS) such
processes are not found; a command's group is still ended.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Process:
    """What tells whose a process is: its environment, its working and root folder."""

    pid: int
    environ: bytes
    folders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """What the system says of a process. `started` is in its ticks since it began."""

    pid: int
    is_zombie: bool
    parent: int
    session: int
    has_terminal: bool
    started: int


Wanted = Callable[[Process], bool]
"""Says whether a process is one to end."""


def of_command(marker: str, command: str) -> Wanted:
    """Wants the processes of one command of a sandbox."""
    lines = {_START + marker.encode(), f"{COMMAND}={command}".encode()}
    return lambda process: lines.issubset(process.environ.split(b"\0"))


def of_sandbox(marker: str, folder: str) -> Wanted:
    """Wants a sandbox's processes: by its marker, or below us and in its folder."""
    line = _START + marker.encode()
    return lambda process: (
        line in process.environ.split(b"\0") or (_is_in(process, folder) and _descends(process.pid))
    )


def of_dead_run(prefix: str, folder: str) -> Wanted:
    """Wants the processes of every sandbox whose marker and folder begin so.

    Whose child one in the folder was can't be known any more; a person's shell has a terminal.
    """
    start = _START + prefix.encode()

    def wanted(process: Process) -> bool:
        if any(line.startswith(start) for line in process.environ.split(b"\0")):
            return True
        found = facts(process.pid) if _is_in(process, folder) else None
        return found is not None and not found.has_terminal

    return wanted


def _is_in(process: Process, folder: str) -> bool:
    return any(found.startswith(folder) for found in process.folders)


def _descends(pid: int) -> bool:
    """Whether it is a child of this process, or a child's."""
    own = os.getpid()
    while (found := facts(pid)) is not None and found.parent > 0:
        if found.parent == own:
            return True
        pid = found.parent
    return False


async def end_processes(wanted: Wanted, seconds: float) -> None:
    """Kills every wanted process and those it starts meanwhile, and reaps those that became ours.

    Returns when they are gone, or after `seconds`.
    """
    deadline = time.monotonic() + seconds
    while found := [process.pid for process in await _look() if wanted(process)]:
        await in_thread(lambda pids=found: kill(pids, wanted, deadline))  # type: ignore[misc]  # mypy can't infer a lambda with a default
        if time.monotonic() >= deadline:
            return


def end_processes_now(wanted: Wanted, seconds: float) -> int:
    """The same where there is no event loop. Answers how many were ended."""
    deadline = time.monotonic() + seconds
    ended = 0
    while found := [process.pid for process in others() if wanted(process)]:
        ended += kill(found, wanted, deadline)
        if time.monotonic() >= deadline:
            break
    return ended


def others() -> list[Process]:
    """Every other process that we may look at, with what tells whose it is."""
    try:
        names = os.listdir("/proc")
    except FileNotFoundError:
        return []
    own = os.getpid()
    found = [_process(int(name)) for name in names if name.isdigit() and int(name) != own]
    return [process for process in found if process.environ or process.folders]


def _process(pid: int) -> Process:
    folders = []
    for link in ("cwd", "root"):
        with suppress(OSError):
            folders.append(os.readlink(f"/proc/{pid}/{link}"))
    return Process(pid, _environ(pid), tuple(folders))


def facts(pid: int) -> Facts | None:
    """None when there is no such process, or no `/proc`."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name before the last bracket may hold anything.
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return Facts(
        pid,
        fields[0] == b"Z",
        int(fields[1]),
        int(fields[3]),
        fields[4] != b"0",
        int(fields[19]),
    )


def kill(pids: list[int], wanted: Wanted, deadline: float) -> int:
    """Kills those that still are wanted and waits for their end. Answers how many."""
    ended = 0
    for start in range(0, len(pids), _AT_ONCE):
        handles = [Handle(pid) for pid in pids[start : start + _AT_ONCE]]
        try:
            # Looked at again now that it is held: the number may have become someone else's.
            killed = [h for h in handles if wanted(_process(h.pid)) and h.kill()]
            for handle in killed:
                handle.wait(deadline)
        finally:
            for handle in handles:
                handle.close()
        ended += len(killed)
    return ended


class Handle:
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


async def _look() -> list[Process]:
    """`others()` as of some moment after the call."""
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
        self._waiting: asyncio.Task[list[Process]] | None = None

    async def next(self) -> list[Process]:
        if self._waiting is None:
            self._waiting = asyncio.create_task(self._take())
        return await asyncio.shield(self._waiting)

    async def _take(self) -> list[Process]:
        async with self._one_at_a_time:
            self._waiting = None
            return await in_thread(others)
