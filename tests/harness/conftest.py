"""A started local sandbox to run a coroutine in, and fake turns in it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from reeval.config.model import SandboxSpec
from reeval.sandbox.base import Sandbox
from reeval.sandbox.local import LocalSandbox

T = TypeVar("T")
InSandbox = Callable[[Callable[[Sandbox], Awaitable[Any]]], Any]

_numbers = itertools.count()


@pytest.fixture
def in_sandbox(tmp_path: Path) -> InSandbox:
    """Calls a coroutine function with a started sandbox, and closes it after."""

    def run(body: Callable[[Sandbox], Awaitable[T]]) -> T:
        async def started() -> T:
            spec = SandboxSpec("fake", "fake", dir=tmp_path)
            sandbox = LocalSandbox(spec, f"harness-test-{next(_numbers)}")
            await sandbox.start({})
            try:
                return await body(sandbox)
            finally:
                await sandbox.close()

        return asyncio.run(started())

    return run
