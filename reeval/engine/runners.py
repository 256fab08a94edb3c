"""The runner processes of a run: shared by a file's attempts, replaced when one dies."""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from reeval.config.errors import UsageError
from reeval.launcher.command import RunnerCommand
from reeval.launcher.process import Runner
from reeval.protocol import MAX_BODIES
from reeval.protocol.messages import LoadError

PATIENCE_S = 0.25
"""How long an attempt waits for a place on a full runner before another one is started."""


class RunnerUnavailable(Exception):
    """No runner could be started for an eval file: an infra error of the attempt that needed it."""


@dataclass(slots=True)
class Seat:
    """A runner and how many attempts hold a place on it. A stuck one takes no new attempt."""

    file: str
    starting: asyncio.Task[Runner]
    taken: int = 0
    stuck: bool = False
    alone: bool = False

    @property
    def runner(self) -> Runner:
        """Its runner. Only after `RunnerPool.acquire` returned the seat."""
        return self.starting.result()

    @property
    def usable(self) -> bool:
        if self.stuck or self.alone or self.taken >= MAX_BODIES:
            return False
        if not self.starting.done():
            return True
        failed = self.starting.cancelled() or self.starting.exception() is not None
        return not failed and self.starting.result().alive


class RunnerPool:
    """Starts runners as attempts need them. `attempts` is how many each file still has."""

    def __init__(
        self,
        command: RunnerCommand,
        root: Path,
        hashes: Mapping[str, str],
        attempts: Mapping[str, int],
        on_stray: Callable[[str, str], None],
    ) -> None:
        self._command = command
        self._root = root
        self._hashes = hashes
        self._left = dict(attempts)
        self._on_stray = on_stray
        self._seats: dict[str, list[Seat]] = {}
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    def ready(self, file: str) -> Seat | None:
        """A place on a runner that is up and has one, at once; the caller gives it back."""
        for seat in self._seats.get(file, ()):
            if seat.usable and seat.starting.done():
                seat.taken += 1
                return seat
        return None

    async def acquire(self, file: str, *, alone: bool = False) -> Seat:
        """A place on a runner of `file`, on one of its own when `alone`.

        Raises `RunnerUnavailable`. The caller gives the seat back with `release`.
        """
        if alone:
            return await self._take(self._new(file, alone=True))
        while True:
            seats = self._seats.get(file, [])
            seat = next((s for s in seats if s.usable), None)
            if seat is None and not await self._place_given_back(file):
                seat = self._new(file)
            if seat is not None:
                return await self._take(seat)

    def _new(self, file: str, *, alone: bool = False) -> Seat:
        seat = Seat(file, asyncio.ensure_future(self._start(file)), alone=alone)
        self._seats.setdefault(file, []).append(seat)
        return seat

    async def _take(self, seat: Seat) -> Seat:
        seat.taken += 1
        if not seat.starting.done():
            try:
                await asyncio.shield(seat.starting)
            except BaseException:
                await self.release(seat)
                raise
        return seat

    async def _place_given_back(self, file: str) -> bool:
        """Waits a moment for a place where some runner is merely full.

        Short attempts soon make room, and starting a runner takes longer than most of them.
        """
        full = [seat for seat in self._seats.get(file, ()) if not seat.stuck and not seat.alone]
        starting = [seat.starting for seat in full if not seat.starting.done()]
        if starting:
            await asyncio.wait(starting, return_when=asyncio.FIRST_COMPLETED)
            return True
        if not full:
            return False
        given = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(file, deque()).append(given)
        try:
            async with asyncio.timeout(PATIENCE_S):
                await given
        except TimeoutError:
            return False
        return True

    async def release(self, seat: Seat) -> None:
        """Gives a place back; a seat nobody may take again ends its runner with its last one."""
        seat.taken -= 1
        waiting = self._waiting.get(seat.file)
        while waiting:
            given = waiting.popleft()
            if not given.done():
                given.set_result(None)
                break
        if seat.taken == 0 and not seat.usable:
            seats = self._seats.get(seat.file, [])
            if seat in seats:
                seats.remove(seat)
            await _close(seat, grace_s=0.0 if seat.stuck else 1.0)

    async def done(self, file: str) -> None:
        """One of the file's attempts has ended for good; the last one ends its runners."""
        self._left[file] -= 1
        if self._left[file] == 0:
            for seat in self._seats.pop(file, []):
                await _close(seat, grace_s=1.0)

    async def close(self) -> None:
        """Ends every runner."""
        seats = [seat for seats in self._seats.values() for seat in seats]
        self._seats.clear()
        await asyncio.gather(*(_close(seat, grace_s=0.5) for seat in seats))

    async def _start(self, file: str) -> Runner:
        self._check_unchanged(file)
        try:
            runner = await Runner.start(self._command, file, self._on_stray)
        except UsageError as error:
            raise RunnerUnavailable(f"the runner of {file} did not start: {error}") from None
        loaded = await runner.collect()
        if isinstance(loaded, LoadError):
            await runner.close(0.5)
            raise RunnerUnavailable(
                f"{file} loaded when the plan was made and not now: {loaded.error.message}"
            )
        return runner

    def _check_unchanged(self, file: str) -> None:
        """A body is named by its place in the file, so an edited file would run another one."""
        try:
            digest = hashlib.sha256((self._root / file).read_bytes()).hexdigest()
        except OSError as error:
            raise RunnerUnavailable(f"{file} can't be read: {error.strerror}") from None
        if digest != self._hashes.get(file, digest):
            raise RunnerUnavailable(f"{file} changed after the plan was made: run it again")


async def _close(seat: Seat, grace_s: float) -> None:
    if not seat.starting.done():
        seat.starting.cancel()
        await asyncio.wait({seat.starting})
    if not seat.starting.cancelled() and seat.starting.exception() is None:
        await seat.starting.result().close(grace_s)
