"""The entry: `python -m reeval`, and where reeval.pyz hands over."""

from __future__ import annotations

# The `signal` module would cost `--version` a third of its time.
import _signal  # type: ignore[import-not-found]  # it has no stubs
import os
import sys


def start() -> None:
    """Run the command line. `--version` answers without loading it."""
    _leave_at_once_when_interrupted()
    if sys.argv[1:] == ["--version"] and _said_version():
        return
    from reeval.cli.main import main

    main()


def _leave_at_once_when_interrupted() -> None:
    """While modules load: an exception there would be printed, or lost in an importer's callback.

    What is ignored stays so.
    """
    for number, default in (
        (_signal.SIGINT, _signal.default_int_handler),
        (_signal.SIGTERM, _signal.SIG_DFL),
    ):
        if _signal.getsignal(number) == default:
            _signal.signal(number, lambda number, frame: os._exit(130))


def _said_version() -> bool:
    """False where it can't be written, which the command line then says."""
    from reeval.version import VERSION

    try:
        print(f"reeval {VERSION}", flush=True)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    start()
