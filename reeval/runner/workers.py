"""Threads for bodies. One that has finished its body takes the next, since a new one costs more."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context

from reeval.authoring.errors import AttemptAborted

Job = Callable[[], None]


class Workers:
    """As many threads as run at once. A body that never ends keeps its own and no other's."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []

    def run(self, job: Job) -> None:
        """Runs `job` on a thread that has nothing else to do, in a context of its own."""
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = _Worker(self._idle)
        worker.take(job)


class _Worker:
    def __init__(self, idle: list[_Worker]) -> None:
        self._idle = idle
        self._job: Job
        self._ready = _thread.allocate_lock()
        self._ready.acquire()
        threading.Thread(target=self._work, name="reeval-body", daemon=True).start()

    def take(self, job: Job) -> None:
        self._job = job
        self._ready.release()

    def _work(self) -> None:
        while True:
            self._ready.acquire()
            with suppress(AttemptAborted):  # one that came too late for the body it was meant for
                Context().run(self._job)
            self._idle.append(self)
