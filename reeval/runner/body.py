"""One attempt's body while it runs: its calls to the engine, its abort, and how it ended."""

from __future__ import annotations

import _thread
import itertools
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from reeval.authoring.callers import Place
from reeval.authoring.errors import AttemptAborted, ReevalCallError
from reeval.authoring.link import Unawaited
from reeval.protocol.messages import (
    AttemptInfo,
    Call,
    ErrorReply,
    Log,
    Record,
    Reply,
    Request,
    Start,
)
from reeval.runner.channel import Channel
from reeval.runner.output import Lines, Stream

if TYPE_CHECKING:
    import asyncio

Answer = Reply | ErrorReply | AttemptAborted


class _Blocked:
    """A thread that waits for an answer."""

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._lock.acquire()
        self._answer: Answer

    def settle(self, answer: Answer) -> None:
        self._answer = answer
        self._lock.release()

    def wait(self) -> Answer:
        self._lock.acquire()
        return self._answer


class _Awaiting:
    """A task that waits for an answer, in whichever loop it runs."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.future: asyncio.Future[Answer] = loop.create_future()

    def settle(self, answer: Answer) -> None:
        with suppress(RuntimeError):  # the loop has closed, and with it whoever waited
            self._loop.call_soon_threadsafe(self._set, answer)

    def _set(self, answer: Answer) -> None:
        if not self.future.done():
            self.future.set_result(answer)


class Body:
    """The runner's end of one attempt: the SDK's `Link`, and its abort."""

    def __init__(self, start: Start, is_async: bool, channel: Channel) -> None:
        self.key = start.key
        self.is_async = is_async
        self.info: AttemptInfo = start.attempt
        self.unawaited: dict[int, Unawaited] = {}
        self.unused: dict[int, Place | None] = {}
        self.strays: list[tuple[str, BaseException]] = []
        """Errors that left a thread or a task the body started: what it was, and the error."""
        self._channel = channel
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._waiting: dict[str, _Blocked | _Awaiting] = {}
        self._over: AttemptAborted | None = None
        self._reason: str | None = None
        self.ended = False
        """Whether it has returned: what it left running belongs to no attempt any more."""
        self._event: threading.Event | None = None
        self._lines: dict[Stream, Lines] = {}
        self.on_abort: Callable[[], None] | None = None
        """Called once, from the reader's thread, when the engine gives the attempt up."""

    # ── what the SDK calls ───────────────────────────────────────────────────────────────────

    def call(self, call: Call) -> Reply:
        waiter = _Blocked()
        self._request(call, waiter)
        return _result(waiter.wait())

    async def call_async(self, call: Call) -> Reply:
        import asyncio  # the body's own loop has loaded it

        waiter = _Awaiting(asyncio.get_running_loop())
        self._request(call, waiter)
        return _result(await waiter.future)

    def record(self, call: Record) -> None:
        if self.ended or self._channel.forked:
            return  # the attempt's outcome is settled, or another process's
        if self._over is not None:
            raise _again(self._over)
        self._channel.hold(Request(str(next(self._ids)), self.key, call))

    @property
    def abort_reason(self) -> str | None:
        return self._reason

    def wait_for_abort(self, timeout_s: float | None) -> bool:
        with self._lock:
            if self._event is None:
                self._event = threading.Event()
                if self._over is not None:
                    self._event.set()
        self._event.wait(timeout_s)
        return self._reason is not None

    def _request(self, call: Call, waiter: _Blocked | _Awaiting) -> None:
        if self._channel.forked:
            raise ReevalCallError(
                "UsageError",
                f"c.{call.op} was called in a process that the body forked: make the call in the "
                "body itself",
            )
        ident = str(next(self._ids))
        with self._lock:
            if self._over is not None:
                raise _again(self._over)
            self._waiting[ident] = waiter
        try:
            self._channel.send(Request(ident, self.key, call))
        except BaseException:
            self._waiting.pop(ident, None)
            raise

    # ── what the runner does ─────────────────────────────────────────────────────────────────

    def lines_of(self, stream: Stream) -> Lines | None:
        """Where what the body prints goes; None once it has ended."""
        if self.ended or self._channel.forked:
            return None
        lines = self._lines.get(stream)
        if lines is None:
            lines = self._lines[stream] = Lines(
                lambda text: self._channel.hold(Log(self.key, stream, text))
            )
        return lines

    def answer(self, reply: Reply | ErrorReply) -> None:
        """Hands an answer to whoever waits for it. Nobody does for a check that was only sent."""
        waiter = self._waiting.pop(reply.id, None)
        if waiter is not None:
            waiter.settle(reply)
        elif isinstance(reply, ErrorReply) and reply.op == "record":
            text = f"reeval refused a check: {reply.error.name}: {reply.error.message}"
            self._channel.hold(Log(self.key, "stderr", text))

    def abort(self, reason: str, name: str, message: str) -> None:
        """The engine gave the attempt up: calls in flight and later ones raise."""
        if self._end_calls(AttemptAborted(name, message), reason) and self.on_abort is not None:
            self.on_abort()

    def finish(self) -> None:
        """The body has ended: what it left running can make no calls and no checks."""
        for lines in self._lines.values():
            lines.finish()
        self.ended = True
        over = AttemptAborted("AbortError", "the attempt is over: its body already returned")
        self._end_calls(over, None)

    @property
    def aborted(self) -> AttemptAborted | None:
        """The engine's abort, None when it hasn't given the attempt up."""
        return self._over if self._reason is not None else None

    def _end_calls(self, over: AttemptAborted, reason: str | None) -> bool:
        with self._lock:
            if self._over is not None:
                return False
            self._over, self._reason = over, reason
            waiting, self._waiting = list(self._waiting.values()), {}
            if self._event is not None:
                self._event.set()
        for waiter in waiting:
            waiter.settle(over)
        return True


def _result(answer: Answer) -> Reply:
    if isinstance(answer, Reply):
        return answer
    if isinstance(answer, ErrorReply):
        raise ReevalCallError(answer.error.name, answer.error.message)
    raise _again(answer)


def _again(over: AttemptAborted) -> AttemptAborted:
    """A fresh one to raise, since several threads may, each with its own traceback."""
    return AttemptAborted(over.name, str(over))
