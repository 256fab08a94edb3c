"""Work for one thread beside the event loop, which is woken once for all that has gathered.

Waking a thread for each of a thousand items a second costs more than the items.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

Settle = Callable[[], None]
"""What is to be done on the event loop once a batch is worked off."""


class Batches(Generic[T]):
    """Hands items to `work` on a thread of their own, all that gathered at once, in order.

    `work` must not raise; what it returns is called on the loop. `add` is for one event loop.
    """

    def __init__(self, name: str, work: Callable[[list[T]], Settle]) -> None:
        self._name = name
        self._work = work
        self._gathered: list[T] = []
        self._busy = False
        self._batches: SimpleQueue[list[T] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def add(self, item: T) -> None:
        loop = self._loop or self._start()
        self._gathered.append(item)
        if not self._busy:
            self._busy = True
            loop.call_soon(self._hand_over)

    def close(self) -> None:
        """Works off what is queued and ends the thread. Safe to call twice."""
        if self._thread is not None:
            self._batches.put(self._gathered)
            self._batches.put(None)
            self._gathered = []
            self._thread.join()
            self._thread = None

    def _start(self) -> asyncio.AbstractEventLoop:
        import asyncio

        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        self._thread.start()
        return self._loop

    def _hand_over(self) -> None:
        self._busy = bool(self._gathered)
        if self._busy:
            self._batches.put(self._gathered)
            self._gathered = []

    def _run(self) -> None:
        while (batch := self._batches.get()) is not None:
            settle = self._work(batch)
            try:
                if self._loop is not None:
                    self._loop.call_soon_threadsafe(self._done, settle)
            except RuntimeError:
                # The loop was closed while its last items were worked off: nobody waits any more.
                return

    def _done(self, settle: Settle) -> None:
        self._hand_over()
        settle()
