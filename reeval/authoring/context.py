"""`c`, what a body acts through: blocking in a `def` body, awaited in an `async def` one."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, Unpack, cast, overload

from reeval.authoring import calls, polling
from reeval.authoring.calls import Duration, later, now
from reeval.authoring.link import Link
from reeval.authoring.options import CaptureCall, JudgeOptions
from reeval.authoring.results import BackgroundHandle, ExecResult, Turn, Verdict, turn_fields
from reeval.authoring.signal import AsyncSignal, Signal
from reeval.authoring.values import UNSET
from reeval.protocol.messages import AttemptInfo, ExecSubject, FileSubject

T = TypeVar("T")
Later = Coroutine[Any, Any, T]


# ── what a call returns that can act again ───────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class SyncTurn(Turn):
    """A turn of a `def` body."""

    _link: Link = field(kw_only=True, repr=False, compare=False)

    def exec(
        self, command: str, *, retries: int | None = None, interval: Duration | None = None
    ) -> ExecResult:
        """The same as `c.exec`."""
        return _exec(self._link, command, retries, interval)

    def read_file(self, path: str) -> str | None:
        """The same as `c.read_file`."""
        return _read_file(self._link, path)


@dataclass(frozen=True, slots=True)
class AsyncTurn(Turn):
    """A turn of an `async def` body: what it does is awaited."""

    _link: Link = field(kw_only=True, repr=False, compare=False)

    def exec(
        self, command: str, *, retries: int | None = None, interval: Duration | None = None
    ) -> Later[ExecResult]:
        """The same as `c.exec`."""
        return _exec_later(self._link, command, retries, interval)

    def read_file(self, path: str) -> Later[str | None]:
        """The same as `c.read_file`."""
        return _read_file_later(self._link, path)


@dataclass(frozen=True, slots=True)
class SyncHandle(BackgroundHandle):
    """A command that a `def` body left running."""

    _link: Link = field(kw_only=True, repr=False, compare=False)

    def kill(self) -> None:
        """Stops it. Stopping one that is gone is fine."""
        now(self._link, calls.kill(self))


@dataclass(frozen=True, slots=True)
class SyncServeHandle(SyncHandle):
    """A server that a `def` body started, and its port in the sandbox."""

    port: int = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class AsyncHandle(BackgroundHandle):
    """A command that an `async def` body left running."""

    _link: Link = field(kw_only=True, repr=False, compare=False)

    def kill(self) -> Later[None]:
        """Stops it. Stopping one that is gone is fine."""
        return later(self._link, calls.kill(self))


@dataclass(frozen=True, slots=True)
class AsyncServeHandle(AsyncHandle):
    """A server that an `async def` body started, and its port in the sandbox."""

    port: int = field(kw_only=True)


def _exec(link: Link, command: str, retries: int | None, interval: Duration | None) -> ExecResult:
    if polling.describing():
        return cast(ExecResult, _described_exec(command, retries, interval))
    return now(link, calls.run(command, retries, interval))


def _exec_later(
    link: Link, command: str, retries: int | None, interval: Duration | None
) -> Later[ExecResult]:
    if polling.describing():
        return cast("Later[ExecResult]", _described_exec(command, retries, interval))
    return later(link, calls.run(command, retries, interval))


def _read_file(link: Link, path: str) -> str | None:
    if polling.describing():
        return cast("str | None", polling.name(FileSubject(path)))
    return now(link, calls.read_file(path))


def _read_file_later(link: Link, path: str) -> Later[str | None]:
    if polling.describing():
        return cast("Later[str | None]", polling.name(FileSubject(path)))
    return later(link, calls.read_file(path))


def _described_exec(
    command: str, retries: int | None, interval: Duration | None
) -> polling.Described:
    if retries is not None or interval is not None:
        raise polling.Misused(
            "expect.poll runs its command again on each try already: drop c.exec's retries and "
            "interval, or check the command once, without expect.poll"
        )
    return polling.name(ExecSubject(command))


# ── the contexts ─────────────────────────────────────────────────────────────────────────────


class SyncAttemptContext:
    """`c` in a `def` body: each call is made and waited for.

    The sandbox and the agent's session start on the first call that needs them. A call that
    reeval refuses raises `ReevalCallError`.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self.turns: list[SyncTurn] = []
        """Every turn so far, oldest first."""

    @property
    def attempt(self) -> AttemptInfo:
        """Which attempt this is: `id` (`<cell key>#<n>`), `n` (from 1) and `cell` (a mapping)."""
        return self._link.info

    @property
    def signal(self) -> Signal:
        """Says when the attempt was given up, so long work of the body's own can stop."""
        return Signal(self._link)

    def send(self, prompt: str) -> SyncTurn:
        """Sends the next turn of the agent's session and waits for its end.

        A turn that ends in an error is returned, not raised: look at its `status`.
        """
        return now(self._link, calls.send(prompt, self._keep))

    @overload
    def exec(
        self, command: str, *, retries: int | None = None, interval: Duration | None = None
    ) -> ExecResult: ...
    @overload
    def exec(self, command: str, *, background: Literal[True]) -> SyncHandle: ...
    @overload
    def exec(
        self,
        command: str,
        *,
        background: bool,
        retries: int | None = None,
        interval: Duration | None = None,
    ) -> ExecResult | SyncHandle: ...

    def exec(
        self,
        command: str,
        *,
        background: bool = False,
        retries: int | None = None,
        interval: Duration | None = None,
    ) -> ExecResult | SyncHandle:
        """Runs a shell command in the workspace and waits for it.

        With `retries`, a non-zero exit runs it again up to that many times, `interval` apart
        (seconds or a timedelta, 1 second by default), and the last try is returned. With
        `background=True` it is left running, and teardown stops it if the body doesn't.
        """
        if background:
            make = calls.run_in_background(command, retries, interval, self._handle)
            return now(self._link, make)
        return _exec(self._link, command, retries, interval)

    def read_file(self, path: str) -> str | None:
        """A file's contents, None when there is none: workspace-relative, or `~/` for home."""
        return _read_file(self._link, path)

    def file(self, path: str) -> str | None:
        """The same as `read_file`."""
        return _read_file(self._link, path)

    def write_file(self, path: str, contents: str | bytes) -> None:
        """Writes a file, workspace-relative or `~/`, creating its folders.

        Later diffs leave it out until something changes it.
        """
        now(self._link, calls.write_file(path, contents))

    def serve(self, command: str | Sequence[str], port: int | None = None) -> SyncServeHandle:
        """Starts a server in the background. Without `port`, reeval gives it one.

        The port is in `PORT`; in a list of arguments `{port}` stands for it too.
        """

        def handle(ident: str, port: int) -> SyncServeHandle:
            return SyncServeHandle(ident, _link=self._link, port=port)

        return now(self._link, calls.serve(command, port, handle))

    def capture(
        self, target: int | BackgroundHandle, **options: Unpack[CaptureCall]
    ) -> Mapping[str, Any]:
        """Takes a picture of a page the sandbox serves: a port, or what `c.serve` returned."""
        return now(self._link, calls.capture(target, options))

    def kill(self, handle: BackgroundHandle) -> None:
        """Stops a command that was left running."""
        now(self._link, calls.kill(handle))

    def judge(
        self, question: str, *, on: object = UNSET, **options: Unpack[JudgeOptions]
    ) -> Verdict:
        """Asks the judge a yes/no question about the latest turn, or about `on`.

        `on` is an earlier turn, an `ExecResult`, a `Verdict` or any JSON value, None included.
        """
        return now(self._link, calls.judge(question, on, options))

    def _keep(self, data: Mapping[str, Any]) -> SyncTurn:
        turn = SyncTurn(**turn_fields(len(self.turns), data), _link=self._link)
        self.turns.append(turn)
        return turn

    def _handle(self, ident: str) -> SyncHandle:
        return SyncHandle(ident, _link=self._link)


class AttemptContext:
    """`c` in an `async def` body: each call is a coroutine to await. See `SyncAttemptContext`."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self.turns: list[AsyncTurn] = []
        """Every turn so far, oldest first."""

    @property
    def attempt(self) -> AttemptInfo:
        """Which attempt this is: `id` (`<cell key>#<n>`), `n` (from 1) and `cell` (a mapping)."""
        return self._link.info

    @property
    def signal(self) -> AsyncSignal:
        """Says when the attempt was given up, so long work of the body's own can stop."""
        return AsyncSignal(self._link)

    def send(self, prompt: str) -> Later[AsyncTurn]:
        """Sends the next turn of the agent's session and waits for its end."""
        return later(self._link, calls.send(prompt, self._keep))

    @overload
    def exec(
        self, command: str, *, retries: int | None = None, interval: Duration | None = None
    ) -> Later[ExecResult]: ...
    @overload
    def exec(self, command: str, *, background: Literal[True]) -> Later[AsyncHandle]: ...
    @overload
    def exec(
        self,
        command: str,
        *,
        background: bool,
        retries: int | None = None,
        interval: Duration | None = None,
    ) -> Later[ExecResult] | Later[AsyncHandle]: ...

    def exec(
        self,
        command: str,
        *,
        background: bool = False,
        retries: int | None = None,
        interval: Duration | None = None,
    ) -> Later[ExecResult] | Later[AsyncHandle]:
        """Runs a shell command in the workspace, as `SyncAttemptContext.exec` does."""
        if background:
            make = calls.run_in_background(command, retries, interval, self._handle)
            return later(self._link, make)
        return _exec_later(self._link, command, retries, interval)

    def read_file(self, path: str) -> Later[str | None]:
        """A file's contents, None when there is none: workspace-relative, or `~/` for home."""
        return _read_file_later(self._link, path)

    def file(self, path: str) -> Later[str | None]:
        """The same as `read_file`."""
        return _read_file_later(self._link, path)

    def write_file(self, path: str, contents: str | bytes) -> Later[None]:
        """Writes a file, workspace-relative or `~/`, creating its folders."""
        return later(self._link, calls.write_file(path, contents))

    def serve(
        self, command: str | Sequence[str], port: int | None = None
    ) -> Later[AsyncServeHandle]:
        """Starts a server in the background, as `SyncAttemptContext.serve` does."""

        def handle(ident: str, port: int) -> AsyncServeHandle:
            return AsyncServeHandle(ident, _link=self._link, port=port)

        return later(self._link, calls.serve(command, port, handle))

    def capture(
        self, target: int | BackgroundHandle, **options: Unpack[CaptureCall]
    ) -> Later[Mapping[str, Any]]:
        """Takes a picture of a page the sandbox serves: a port, or what `c.serve` returned."""
        return later(self._link, calls.capture(target, options))

    def kill(self, handle: BackgroundHandle) -> Later[None]:
        """Stops a command that was left running."""
        return later(self._link, calls.kill(handle))

    def judge(
        self, question: str, *, on: object = UNSET, **options: Unpack[JudgeOptions]
    ) -> Later[Verdict]:
        """Asks the judge a yes/no question about the latest turn, or about `on`."""
        return later(self._link, calls.judge(question, on, options))

    def _keep(self, data: Mapping[str, Any]) -> AsyncTurn:
        turn = AsyncTurn(**turn_fields(len(self.turns), data), _link=self._link)
        self.turns.append(turn)
        return turn

    def _handle(self, ident: str) -> AsyncHandle:
        return AsyncHandle(ident, _link=self._link)
