"""Threads a body starts belong to its attempt: what they print, check and fail with."""

from __future__ import annotations

import threading
from contextvars import copy_context
from typing import Any

from reeval.authoring.errors import AttemptAborted
from reeval.authoring.link import current
from reeval.runner.body import Body
from reeval.runner.running import stray

_OWNER = "_reeval_body"


def adopt_threads() -> None:
    """Has every thread started in a body run in that attempt, from now on in this process."""
    start = threading.Thread.start
    uncaught = threading.excepthook

    def start_in_attempt(self: threading.Thread) -> None:
        body = current.get()
        if body is not None:
            setattr(self, _OWNER, body)
            context, run = copy_context(), self.run
            self.run = lambda: context.run(run)  # type: ignore[method-assign]  # this one's only
        start(self)

    def report(args: Any) -> None:
        body = getattr(args.thread, _OWNER, None)
        error = args.exc_value
        if isinstance(error, SystemExit | AttemptAborted):
            return  # a thread may end itself, and ends with its attempt
        if isinstance(body, Body) and error is not None and not body.ended:
            stray(body, f"thread {args.thread.name!r}", error)
        else:
            uncaught(args)

    threading.Thread.start = start_in_attempt  # type: ignore[method-assign]  # see the docstring
    threading.excepthook = report
