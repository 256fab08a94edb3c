"""Runs one body to its end, on a thread that runs nothing else meanwhile.

An `async def` body gets an event loop of its own there too, so one that blocks, never ends or
stops its loop holds up no other attempt.
"""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reeval.authoring.callers import Place
from reeval.authoring.context import AttemptContext, SyncAttemptContext
from reeval.authoring.errors import AttemptAborted, ReevalCallError
from reeval.authoring.link import current
from reeval.protocol.messages import Done
from reeval.runner.body import Body
from reeval.runner.breakpoints import explained
from reeval.runner.channel import Channel
from reeval.runner.meant import meant
from reeval.runner.outcome import wire_error
from reeval.runner.project import Project
from reeval.runner.traces import stack_of

if TYPE_CHECKING:
    import asyncio

PATIENCE_S = 0.5
"""How long an aborted body may take to end by itself before the abort is raised inside it."""


class Running:
    """A body, and the thread it is on."""

    def __init__(
        self,
        body: Body,
        function: Callable[..., Any],
        channel: Channel,
        project: Project,
        on_end: Callable[[Running], None],
    ) -> None:
        self.body = body
        self._function = function
        self._channel = channel
        self._project = project
        self._on_end = on_end
        self._lock = threading.Lock()
        self._inside = False
        """Whether the thread runs the body, where an abort may be raised."""
        self._raised = False
        self._aborted_at: float | None = None
        self._thread_id = 0

    def press(self) -> None:
        """Raises the abort inside a body that goes on after it, again and again.

        Called now and then while the body runs. What is blocked in C code gets it on its return.
        """
        if self.body.aborted is None:
            return
        now = time.monotonic()
        if self._aborted_at is None:
            self._aborted_at = now
        if now - self._aborted_at < PATIENCE_S:
            return
        with self._lock:
            if self._inside:
                self._raised = True
                _set_async_exception(self._thread_id, AttemptAborted)

    # ── on the body's thread ─────────────────────────────────────────────────────────────────

    def run(self) -> None:
        """The body from its start to its `done`, on the calling thread."""
        current.set(self.body)
        self._thread_id = threading.get_ident()
        error: BaseException | None = None
        try:
            try:
                self._inside = True
                self._run()
            finally:
                self._leave()
        except BaseException as raised:
            self._leave()
            error = explained(raised)
        self._report(error)
        self._on_end(self)

    def _leave(self) -> None:
        """From here on no abort is raised in this thread."""
        with self._lock:
            self._inside = False
            if self._raised:
                _set_async_exception(self._thread_id, None)

    def _report(self, error: BaseException | None) -> None:
        failure = wire_error(self.body, error)
        if failure is not None and error is not None:
            failure = replace(failure, message=failure.message + meant(error))
        self.body.finish()
        self._channel.send(Done(self.body.key, failure))

    def _run(self) -> None:
        if self.body.is_async:
            self._run_async()
        else:
            _refuse_result(self._function(SyncAttemptContext(self.body)))
            self._refuse_unused()

    def _run_async(self) -> None:
        from reeval.runner import loops  # a file of `def` bodies needs no asyncio

        with loops.own(self._on_loop_error) as loop:
            task = loop.create_task(self._await_body())
            self.body.on_abort = lambda: loops.cancel_from_outside(loop, task)
            try:
                if self.body.aborted is not None:
                    task.cancel()
                loop.run_until_complete(task)
                self._refuse_left_tasks(loops.left(loop))
                self._refuse_unawaited()
                self._refuse_unused()
            finally:
                self.body.on_abort = None
                self._close_unawaited()

    async def _await_body(self) -> None:
        result = self._function(AttemptContext(self.body))
        if inspect.isawaitable(result):
            await result

    def _on_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """A task or a callback failed and nobody awaited it."""
        error = context.get("exception")
        if isinstance(error, BaseException) and not isinstance(error, AttemptAborted):
            from reeval.runner import loops  # the loop that calls this has loaded it

            at = self._at(loops.started_at(context.get("future")))
            stray(self.body, f"a task that the body started{at} and never awaited", error)

    def _close_unawaited(self) -> None:
        for left in self.body.unawaited.values():
            left.coro.close()
        self.body.unawaited.clear()

    # ── what a body must not leave undone ────────────────────────────────────────────────────

    def _refuse_left_tasks(self, started: Sequence[Place | None]) -> None:
        if started:
            raise ReevalCallError(
                "UsageError",
                f"the body returned with {len(started)} task(s) still running that it "
                f"started{self._at(*started)}, so their calls and checks were cut short: await "
                "each task (asyncio.gather or a TaskGroup) before the body returns",
            )

    def _refuse_unawaited(self) -> None:
        for left in self.body.unawaited.values():
            raise ReevalCallError(
                "UsageError",
                f"{left.name}{self._at(left.place)} was never awaited, so it didn't run: an async "
                "body awaits each c call and matcher",
            )

    def _refuse_unused(self) -> None:
        for place in self.body.unused.values():
            raise ReevalCallError(
                "UsageError",
                f"expect(…){self._at(place)} was never used, so nothing was checked: call a "
                "matcher on it, as in expect(x).to_be(1)",
            )

    def _at(self, *places: Place | None) -> str:
        """Where in the project, as a message goes on: the first three at most."""
        known = dict.fromkeys(self._project.shown(place) for place in places if place is not None)
        return f" at {', '.join([*known][:3])}" if known else ""


def stray(body: Body, where: str, error: BaseException) -> None:
    """An error that left a thread or a task: shown when it happens, and the body fails with it."""
    body.strays.append((where, error))
    lines = body.lines_of("stderr")
    if lines is not None:
        lines.write(f"{where} raised:\n{stack_of(error)}")


def _refuse_result(result: object) -> None:
    if inspect.isgenerator(result) or inspect.isasyncgen(result):
        raise ReevalCallError(
            "UsageError",
            "the eval body is a generator, so it never ran: declare it def or async def without "
            "yield",
        )
    if inspect.isawaitable(result):
        if inspect.iscoroutine(result):
            result.close()
        raise ReevalCallError(
            "UsageError",
            "the eval body is a plain function that returned an awaitable, which never ran: "
            "declare the body `async def`, and keep functools.wraps on any decorator around it",
        )


def _set_async_exception(thread: int, error: type[BaseException] | None) -> None:
    """Has the thread raise `error` at its next bytecode; None takes back one not raised yet."""
    import ctypes  # only an abort needs it

    raised = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)
