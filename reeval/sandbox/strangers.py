"""Processes that escaped their command, whatever they did to environment, session and folder.

On Linux reeval becomes their parent when theirs ends. A stranger is a child of this process that it
did not start: one without a `Popen` of ours, in another session than ours.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache

from reeval.sandbox.processes import Facts, Handle, facts

_PR_SET_CHILD_SUBREAPER = 36

_known: set[tuple[int, int]] = set()
"""Number and start of the children that were found to be our own."""


@cache
def adopt_escaped() -> None:
    """From now on this process is the parent of what loses its own below it, where that can be."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_strangers(deadline: float, *, living: bool) -> None:
    """Reaps the strangers that have ended; `living`: ends the others, and what those leave."""
    while found := _strangers():
        for stranger in found:
            if living and not stranger.is_zombie:
                _end(stranger, deadline)
            with suppress(ChildProcessError):
                os.waitpid(stranger.pid, os.WNOHANG)
        if not living or time.monotonic() >= deadline:
            return


def _end(stranger: Facts, deadline: float) -> None:
    handle = Handle(stranger.pid)
    try:
        # Looked at again now that it is held: the number may have become someone else's.
        if facts(stranger.pid) == stranger and handle.kill():
            handle.wait(deadline)
    finally:
        handle.close()


def _strangers() -> list[Facts]:
    own_session = os.getsid(0)
    candidates = [
        child
        for child in (facts(pid) for pid in _children())
        if child is not None
        and child.parent == os.getpid()
        and child.session != own_session
        and (child.pid, child.started) not in _known
    ]
    if not candidates:
        return []
    started = _started_by_us()
    _known.update((c.pid, c.started) for c in candidates if c.pid in started)
    # One is being started right now, and its number isn't known yet.
    return [] if None in started else [c for c in candidates if c.pid not in started]


def _children() -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for thread in os.listdir("/proc/self/task"):
            with suppress(OSError), open(f"/proc/self/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    return found


def _started_by_us() -> set[int | None]:
    """The numbers of what any part of reeval started, None of a process in the making."""
    return {
        getattr(found, "pid", None)
        for found in gc.get_objects()
        if issubclass(type(found), subprocess.Popen)
    }
