"""The heartbeat while bodies run: sends what is held, and presses aborted bodies to end."""

from __future__ import annotations

import threading
import time

from reeval.runner.channel import Channel
from reeval.runner.running import Running

INTERVAL_S = 0.05
"""How late what is held (checks, printed lines) may reach the engine."""


class Pulse:
    """Knows the bodies that run. Beats only while there are any."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._running: set[Running] = set()
        self._busy = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, running: Running) -> None:
        self._running.add(running)
        if self._thread is None:
            self._thread = threading.Thread(target=self._beat, name="reeval-pulse", daemon=True)
            self._thread.start()
        self._busy.set()

    def remove(self, running: Running) -> None:
        self._running.discard(running)

    @property
    def running(self) -> tuple[Running, ...]:
        return tuple(self._running)

    def _beat(self) -> None:
        while True:
            self._busy.wait()
            time.sleep(INTERVAL_S)
            self._channel.flush()
            for running in self.running:
                running.press()
            if not self._running:
                self._rest()

    def _rest(self) -> None:
        self._busy.clear()
        if self._running:  # one began just before
            self._busy.set()
