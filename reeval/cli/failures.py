"""What a person reads when a command could not do its work."""

from __future__ import annotations

import errno
import os
import sys
import traceback

import click

from reeval.cli.output import OutputLost, silence
from reeval.config.errors import UsageError

USAGE = 2
BROKEN = 1
INTERRUPTED = 130

_THE_MACHINES = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT}


def explain(error: BaseException) -> int:
    """Prints the error to stderr and returns the exit code. A `SystemExit` keeps its own."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.ClickException):
        try:
            error.show()
        except OSError:
            silence(sys.stderr)
        return error.exit_code
    if isinstance(error, UsageError):
        say(f"error: {error}")
        return USAGE
    if isinstance(error, KeyboardInterrupt | click.Abort):
        say("\ninterrupted" if sys.stderr.isatty() else "interrupted")  # after the echoed ^C
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        silence(sys.stdout)
        return 0
    if isinstance(error, OutputLost):
        silence(sys.stdout)
        say(f"error: the output can't be written: {error.strerror}")
        return BROKEN
    if isinstance(error, OSError) and error.errno in _THE_MACHINES and error.filename:
        say(f"error: {os.fsdecode(error.filename)}: {error.strerror}")
        return USAGE
    return _fault(error)


def say(line: str) -> None:
    """A line on stderr: what is secret is hidden, control characters are made visible.

    Where stderr can't be written there is nobody to tell, and the exit code stays.
    """
    from reeval.cli.secrecy import secrets
    from reeval.report.text import shown

    try:
        for part in shown(secrets.hide(line)):
            print(part, file=sys.stderr)
    except OSError:
        silence(sys.stderr)


def _fault(error: BaseException) -> int:
    """reeval's own fault: one line, and the traceback where `REEVAL_TRACEBACK` asks for it."""
    if bootstrap := sys.modules.get("reeval_bootstrap"):
        bootstrap.repair(error)  # the zipapp's: a damaged cache shows as an import that failed
    say(f"error: reeval failed: {type(error).__name__}: {error}")
    if os.environ.get("REEVAL_TRACEBACK"):
        say("".join(traceback.format_exception(error)).rstrip("\n"))
    else:
        say("This is a fault of reeval's. REEVAL_TRACEBACK=1 shows where it happened.")
    return BROKEN
