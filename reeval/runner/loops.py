"""The event loop of one `async def` body, and its end with whatever the body left in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from reeval.authoring.callers import Place, caller

LEFT_TASKS_S = 1.0
"""How long the tasks a body left get to end once they are cancelled."""

_STARTED = "_reeval_started"
"""Where a task carries the line that started it."""

OnError = Callable[[asyncio.AbstractEventLoop, dict[str, Any]], object]


@contextmanager
def own(on_error: OnError) -> Iterator[asyncio.AbstractEventLoop]:
    """A loop for this thread. `on_error` hears of tasks that fail with nobody waiting for them.

    On leaving, tasks that still run are cancelled and given `LEFT_TASKS_S` to end.
    """
    loop = asyncio.new_event_loop()
    try:
        asyncio.set_event_loop(loop)
        loop.set_exception_handler(on_error)
        loop.set_task_factory(_start)
        yield loop
    finally:
        try:
            _end_tasks(loop)
        finally:
            asyncio.set_event_loop(None)
            loop.close()


def left(loop: asyncio.AbstractEventLoop) -> list[Place | None]:
    """Where each task that still runs in it was started."""
    return [started_at(task) for task in asyncio.all_tasks(loop)]


def started_at(task: object) -> Place | None:
    """Where a task of such a loop was started; None when nobody knows, and for anything else."""
    return getattr(task, _STARTED, None)


def _start(
    loop: asyncio.AbstractEventLoop,
    coro: Coroutine[Any, Any, Any] | Generator[Any, None, Any],
    **options: Any,
) -> asyncio.Task[Any]:
    task = asyncio.Task(coro, loop=loop, **options)
    setattr(task, _STARTED, caller())
    return task


def cancel_from_outside(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    """Cancels a task of another thread's loop."""
    with suppress(RuntimeError):  # the loop has closed: the body ended at the same moment
        loop.call_soon_threadsafe(task.cancel)


def _end_tasks(loop: asyncio.AbstractEventLoop) -> None:
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks, timeout=LEFT_TASKS_S))
    # Another run of the loop costs more than a small body, and is for nothing without generators.
    if getattr(loop, "_asyncgens", True):
        loop.run_until_complete(loop.shutdown_asyncgens())
