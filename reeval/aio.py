"""`expect` for `async def` bodies: each matcher is a coroutine to await.

from reeval.aio import expect

await expect(await c.exec("npm test")).to_succeed()
"""

from __future__ import annotations

from typing import Any

from reeval.authoring.expect import AsyncExpectation, Expect

expect: Expect[AsyncExpectation] = Expect(AsyncExpectation, is_async=True)


def soft(actual: Any, label: str | None = None) -> AsyncExpectation:
    """The same as `expect.soft`."""
    return expect.soft(actual, label)


__all__ = ["AsyncExpectation", "expect", "soft"]
