"""What a person reads when a command could not do its work."""

from __future__ import annotations

import os
import sys
import traceback

import click

from reeval.config.errors import UsageError

USAGE = 2
BROKEN = 1
INTERRUPTED = 130


def explain(error: BaseException) -> int:
    """Prints the error to stderr and returns the exit code. A `SystemExit` keeps its own."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, UsageError):
        say(f"error: {error}")
        return USAGE
    if isinstance(error, KeyboardInterrupt | click.Abort):
        say("\ninterrupted" if sys.stderr.isatty() else "interrupted")  # after the echoed ^C
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return _fault(error)


def say(line: str) -> None:
    """A line on stderr, whose control characters are made visible."""
    from reeval.report.text import shown

    for part in shown(line):
        print(part, file=sys.stderr)


def _fault(error: BaseException) -> int:
    """reeval's own fault: one line, and the traceback where `REEVAL_TRACEBACK` asks for it."""
    if bootstrap := sys.modules.get("reeval_bootstrap"):
        bootstrap.repair(error)  # the zipapp's: a damaged cache shows as an import that failed
    say(f"error: reeval failed: {type(error).__name__}: {error}")
    if os.environ.get("REEVAL_TRACEBACK"):
        traceback.print_exception(error)
    else:
        say("This is a fault of reeval's. REEVAL_TRACEBACK=1 shows where it happened.")
    return BROKEN
