"""The eval's timer: it runs while the eval's own work runs, and stands still for reeval's.

Counts: turns, commands, files, judge calls, the body's own code. Doesn't count: waiting for a
slot, the sandbox's and the agent's start, setup, the snapshot, the diff, teardown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class EvalClock:
    """Calls `on_timeout` once `limit` seconds of the eval's own work have passed."""

    def __init__(self, limit: float, on_timeout: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._left = limit
        self._on_timeout = on_timeout
        self._paused = 0
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._since = self._loop.time()
        self._timer = self._loop.call_later(max(0.0, self._left), self._fire)

    def stop(self) -> None:
        """Ends the clock for good."""
        self._paused += 1
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The time spent inside doesn't count, however many overlap."""
        if self._paused == 0 and self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._left -= self._loop.time() - self._since
        self._paused += 1
        try:
            yield
        finally:
            self._paused -= 1
            if self._paused == 0:
                self.start()

    @property
    def left(self) -> float:
        """Seconds of the eval's own time that are left."""
        if self._timer is None:
            return self._left
        return self._left - (self._loop.time() - self._since)

    def _fire(self) -> None:
        self._timer = None
        self._paused += 1
        self._on_timeout()
