"""The runner's way out to the engine: whole messages on one descriptor, from any thread."""

from __future__ import annotations

import os
import threading

from reeval.protocol.codec import encode
from reeval.protocol.messages import FromRunner

HELD_BYTES = 32 * 1024
"""How much is held back to go out in one write with what comes next."""


class Channel:
    """Messages in the order they were given, whoever gives them.

    What nobody waits for (checks, printed lines) is held until something is sent, there is enough
    of it, or `flush` is called, so a body that checks and prints a lot doesn't cost a write each.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lock = threading.Lock()
        self._held = bytearray()
        self._gone = False
        self.forked = False
        """Whether this is a child process that a body forked: it must not write to the engine."""
        os.register_at_fork(after_in_child=self._after_fork)

    def send(self, message: FromRunner) -> None:
        """Writes the message, and what was held, at once."""
        data = encode(message)
        with self._lock:
            self._held += data
            self._write()

    def hold(self, message: FromRunner) -> None:
        """Gives a message that can wait a moment."""
        data = encode(message)
        with self._lock:
            self._held += data
            if len(self._held) >= HELD_BYTES:
                self._write()

    def flush(self) -> None:
        with self._lock:
            if self._held:
                self._write()

    def _write(self) -> None:
        data = memoryview(bytes(self._held))
        self._held.clear()
        try:
            while data and not (self.forked or self._gone):
                data = data[os.write(self._fd, data) :]
        except BrokenPipeError:
            self._gone = True  # the engine has died: its end of stdin says so to the server

    def _after_fork(self) -> None:
        # The parent's other threads may have held the lock, and what is held is the parent's.
        self.forked = True
        self._lock = threading.Lock()
        self._held = bytearray()
