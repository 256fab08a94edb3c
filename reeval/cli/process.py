"""What reeval makes of the process it was started in: streams that are there, and its signals."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType


def prepare() -> None:
    """Once, before anything is opened or started. SIGTERM is taken as Ctrl-C from here on."""
    _open_streams()
    # A parent may have left it ignored, and then no child's exit code would ever be known.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:  # as in a shell's background job
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _interrupt)


def ignore_signals() -> None:
    """For the last steps: the work is done, the exit code stands, and nothing is left to wait for.

    Python's own end can't be interrupted without a traceback.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _open_streams() -> None:
    """Opens what the parent closed, so that no file gets the number of a standard stream."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 — until the end
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 — until the end


def _interrupt(number: int, frame: FrameType | None) -> None:
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(number, frame)
    else:
        raise KeyboardInterrupt
