"""The eval's timer: it runs while the eval's own work runs, and stands still for reeval's.

Counts: turns, commands, files, judge calls, the body's own code. Doesn't count: waiting for a
slot, the sandbox's and the agent's start, setup, the snapshot, the diff, teardown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class EvalClock:
    """Calls `on_timeout` once `limit` seconds of the eval's own work have passed.

    Its one timer is set for the earliest moment that can be; a pause only does sums.
    """

    def __init__(self, limit: float, on_timeout: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._left = limit
        self._on_timeout = on_timeout
        self._pauses = 1  # not started yet
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._resume()

    def stop(self) -> None:
        """Ends the clock for good."""
        self._pause()
        if self._timer is not None:
            self._timer.cancel()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The time spent inside doesn't count, however many overlap."""
        self._pause()
        try:
            yield
        finally:
            self._resume()

    @property
    def left(self) -> float:
        """Seconds of the eval's own time that are left."""
        return self._left if self._pauses else self._left - (self._loop.time() - self._since)

    def _pause(self) -> None:
        self._left = self.left
        self._pauses += 1

    def _resume(self) -> None:
        self._pauses -= 1
        if self._pauses == 0:
            self._since = self._loop.time()
            if self._timer is None:
                self._timer = self._loop.call_later(max(0.0, self._left), self._look)

    def _look(self) -> None:
        self._timer = None
        if self._pauses:
            return  # the end of the pause sets the timer again
        if self.left > 0:
            self._timer = self._loop.call_later(self.left, self._look)
            return
        self._pause()
        self._on_timeout()
