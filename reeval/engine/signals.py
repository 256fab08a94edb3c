"""Ctrl-C and SIGTERM: the first stops the run in order, the second leaves at once."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

INTERRUPTED = 130
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Signals:
    """While entered, the first signal calls `on_first`; the next ends the process at once.

    What the second leaves behind (processes, folders, a journal) the next start cleans up.
    """

    def __init__(self, on_first: Callable[[], None]) -> None:
        self._on_first = on_first
        self._seen = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Signals:
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            self._before[number] = signal.getsignal(number)
            loop.add_signal_handler(number, self._on_signal)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
            # asyncio leaves the default behind, by which SIGTERM ends the process.
            signal.signal(number, self._before[number])

    def _on_signal(self) -> None:
        if self._seen:
            if sys.stderr.isatty():
                sys.stderr.write("\x1b[?25h")  # a live table may have hidden the cursor
                sys.stderr.flush()
            os._exit(INTERRUPTED)
        self._seen = True
        self._on_first()
