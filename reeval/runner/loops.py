"""The event loop of one `async def` body, and its end with whatever the body left in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

LEFT_TASKS_S = 1.0
"""How long the tasks a body left get to end once they are cancelled."""

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
        yield loop
    finally:
        try:
            _end_tasks(loop)
        finally:
            asyncio.set_event_loop(None)
            loop.close()


def left(loop: asyncio.AbstractEventLoop) -> int:
    """How many tasks still run in it."""
    return len(asyncio.all_tasks(loop))


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
    loop.run_until_complete(loop.shutdown_asyncgens())
