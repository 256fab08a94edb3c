"""`breakpoint()` in an eval: there is no terminal to debug on, and a body hears so."""

from __future__ import annotations

import os
import sys

from reeval.authoring.errors import ReevalCallError

_NO_TERMINAL = (
    "can't be used in an eval, since the runner's stdin is not a terminal: print what you want to "
    "see, or set PYTHONBREAKPOINT to a debugger that you reach in another way"
)


def refuse_breakpoints() -> None:
    """Has `breakpoint()` raise a clear error, unless the user has chosen a debugger."""
    if not os.environ.get("PYTHONBREAKPOINT"):
        sys.breakpointhook = _refuse


def _refuse(*args: object, **keywords: object) -> None:
    raise ReevalCallError("UsageError", f"breakpoint() {_NO_TERMINAL}")


def explained(error: BaseException) -> BaseException:
    """The error itself, or why pdb ended the body when it had no terminal to read from."""
    if type(error).__name__ != "BdbQuit":
        return error
    said = ReevalCallError("UsageError", f"pdb {_NO_TERMINAL}")
    said.__cause__ = error
    return said
