"""What an eval's body can see go wrong: a failed check, a refused call, an attempt given up.

The public ones are `reeval`'s, which is the name that a traceback shows and a file imports.
"""

from __future__ import annotations


class ReevalAssertionError(AssertionError):
    """An `expect` matcher failed. reeval has recorded the check already."""

    __module__ = "reeval"


class ReevalCallError(Exception):
    """reeval refused a call or could not make it. `name` is reeval's word for why."""

    __module__ = "reeval"

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class AttemptAborted(BaseException):
    """reeval gave the attempt up: its timeout ran out, or the run was stopped.

    A `BaseException`, so `except Exception` can't keep alive a body that reeval has given up on.
    Made without arguments by the interpreter when it is raised inside a body that runs on.
    """

    def __init__(
        self, name: str = "AbortError", message: str = "reeval gave this attempt up"
    ) -> None:
        super().__init__(message)
        self.name = name
