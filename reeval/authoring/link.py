"""A body's line to the engine, as the SDK needs it; the runner implements it."""

from __future__ import annotations

from collections.abc import Coroutine
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

from reeval.authoring.callers import Place
from reeval.protocol.messages import AttemptInfo, Call, Record, Reply


@dataclass(frozen=True, slots=True)
class Unawaited:
    """A call made and not awaited: what it is called, where it was made, and its coroutine."""

    name: str
    place: Place | None
    coro: Coroutine[Any, Any, Any]


class Link(Protocol):
    """One attempt. Calls raise `ReevalCallError` when refused, `AttemptAborted` when it is over."""

    is_async: bool
    """Whether the body is `async def`."""

    info: AttemptInfo

    unawaited: dict[int, Unawaited]
    """An async body's calls it hasn't awaited yet."""

    unused: dict[int, Place | None]
    """Where the body made each `expect(…)` that no matcher has been called on yet."""

    @property
    def abort_reason(self) -> str | None:
        """Why the attempt was given up (`timeout`, `cancelled`), None while it goes on."""
        ...

    def wait_for_abort(self, timeout_s: float | None) -> bool:
        """Blocks until the attempt is given up or the time is over; whether it was given up."""
        ...

    def call(self, call: Call) -> Reply:
        """Makes a call and waits for its answer."""
        ...

    async def call_async(self, call: Call) -> Reply:
        """Makes a call from an event loop."""
        ...

    def record(self, call: Record) -> None:
        """Sends a check without waiting for an answer."""
        ...


current: ContextVar[Link | None] = ContextVar("reeval_attempt", default=None)
"""The attempt whose body runs here: in its thread, its tasks, and the threads it starts."""
