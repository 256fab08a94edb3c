"""Threads for file work that would block the event loop, apart from everyone else's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

T = TypeVar("T")


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=4, thread_name_prefix="reeval-sandbox")


async def in_thread(work: Callable[[], T]) -> T:
    """Runs `work` in a worker thread. Cancelling the wait doesn't stop the work."""
    return await asyncio.get_running_loop().run_in_executor(_pool(), work)
