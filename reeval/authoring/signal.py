"""`c.signal`: how a body learns that its attempt was given up, to stop long work of its own."""

from __future__ import annotations

from reeval.authoring.link import Link


class _State:
    def __init__(self, link: Link) -> None:
        self._link = link

    @property
    def aborted(self) -> bool:
        return self._link.abort_reason is not None

    @property
    def reason(self) -> str | None:
        """`timeout` or `cancelled`; None while the attempt goes on."""
        return self._link.abort_reason


class Signal(_State):
    """A `def` body's. Calls raise from the abort on; this lets work between calls stop too."""

    def wait(self, timeout: float | None = None) -> bool:
        """Sleeps until the attempt is given up, at most `timeout` seconds; whether it was."""
        return self._link.wait_for_abort(timeout)


class AsyncSignal(_State):
    """An `async def` body's: its `wait` is awaited."""

    async def wait(self, timeout: float | None = None) -> bool:
        """Sleeps until the attempt is given up, at most `timeout` seconds; whether it was."""
        import asyncio  # an `async def` body has loaded it already

        return await asyncio.to_thread(self._link.wait_for_abort, timeout)
