"""A runner's process and its three pipes: bytes in, lines out, and when it ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from typing import cast

from reeval.launcher.lines import Lines
from reeval.launcher.stderr import Stderr

LINE_LIMIT = 128 * 1024 * 1024
"""Bytes in one message; a runner that writes a longer one is ended."""

_DRAIN = 0.25  # seconds that what an ended process wrote may still be on its way
_REAP = 5.0  # seconds after SIGKILL until a process the kernel can't end is left to itself


class Pipes(asyncio.SubprocessProtocol):
    """`on_exit(returncode)` comes once, after everything the process wrote was passed on.

    Before the process started, and after it ended, every method does nothing.
    """

    def __init__(
        self,
        on_line: Callable[[bytes], None],
        on_broken: Callable[[str], None],
        on_exit: Callable[[int], None],
        on_stray: Callable[[str], None],
    ) -> None:
        self.stderr = Stderr(on_stray)
        self._lines = Lines()
        self._on_line = on_line
        self._on_broken = on_broken
        self._on_exit = on_exit
        self._loop = asyncio.get_running_loop()
        self._exited: asyncio.Future[None] = self._loop.create_future()
        self._reported = False
        self._reading = {1, 2}
        self._transport: asyncio.SubprocessTransport | None = None
        self._stdin: asyncio.WriteTransport | None = None

    # ── what asyncio calls ───────────────────────────────────────────────────────────────────

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)
        self._stdin = cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self.stderr.feed(data)
            return
        for line in self._lines.feed(data):
            self._on_line(line)
        if self._lines.held > LINE_LIMIT:
            self._lines.rest()
            self._on_broken(f"it wrote a message longer than {LINE_LIMIT} bytes")

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._reading.discard(fd)
        if self._exited.done() and not self._reading:
            self._report_exit()

    def process_exited(self) -> None:
        if not self._exited.done():
            self._exited.set_result(None)
        if not self._reading:
            self._report_exit()
        else:
            # A process it left behind may hold the pipes open for as long as it lives.
            self._loop.call_later(_DRAIN, self._report_exit)

    # ── what the runner calls ────────────────────────────────────────────────────────────────

    def write(self, data: bytes) -> None:
        if self._stdin is not None and not self._stdin.is_closing():
            self._stdin.write(data)

    def kill(self) -> None:
        """Kills the whole process group, also what the process left behind."""
        if self._transport is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._transport.get_pid(), signal.SIGKILL)

    async def close(self, grace_s: float) -> None:
        """Closes stdin, waits up to `grace_s` for the end, then kills the group."""
        transport = self._transport
        if transport is None or self._stdin is None:
            return
        self._stdin.close()
        try:
            await self._wait(grace_s)
            self.kill()
            await self._wait(_REAP)
        finally:
            self.kill()
            self._transport = None  # its group's number may belong to others from now on
            self._report(transport.get_returncode())
            transport.close()

    async def _wait(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await asyncio.shield(self._exited)

    def _report_exit(self) -> None:
        if self._transport is not None:
            self._report(self._transport.get_returncode())

    def _report(self, returncode: int | None) -> None:
        if self._reported:
            return
        self._reported = True
        self.stderr.end()
        self._on_exit(-signal.SIGKILL if returncode is None else returncode)
