"""One runner process of one eval file: starts it, speaks the protocol with it, sees it end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from reeval.config.errors import UsageError
from reeval.launcher.command import RunnerCommand
from reeval.launcher.pipes import Pipes
from reeval.protocol import PROTOCOL
from reeval.protocol.codec import ProtocolError, decode_from_runner, encode
from reeval.protocol.cuts import tail
from reeval.protocol.messages import (
    Abort,
    Collect,
    Declared,
    Done,
    ErrorReply,
    FromEngine,
    Hello,
    LoadError,
    Log,
    Reply,
    Request,
    Start,
    WireError,
)

_LOAD_TIMEOUT = 120.0

OnStray = Callable[[str, str], None]


class RunnerDied(Exception):
    """The runner ended before its body did. `reason` is such as `exit 3` or `signal SIGSEGV`."""

    def __init__(self, reason: str, stderr_tail: str) -> None:
        super().__init__(f"the eval's process ended: {reason}")
        self.reason = reason
        self.stderr_tail = stderr_tail


@dataclass(frozen=True, slots=True)
class _Body:
    ended: asyncio.Future[Done]
    on_request: Callable[[Request], None]
    on_log: Callable[[Log], None]


class Runner:
    """A live runner. Every method runs on the event loop that started it.

    It leads a session of its own, so Ctrl-C reaches only the engine. `on_stray(stream, line)`
    gets what is written outside any body.
    """

    def __init__(self, command: RunnerCommand, file: str, on_stray: OnStray) -> None:
        self.file = file
        self._command = command
        self._on_stray = on_stray
        self._loop = asyncio.get_running_loop()
        self._pipes = Pipes(self._on_line, self._break, self._on_exit, self._on_stray_line)
        self._bodies: dict[str, _Body] = {}
        self._outgoing: list[bytes] = []
        self._hello: asyncio.Future[Hello] = self._loop.create_future()
        self._loaded: asyncio.Future[Declared | LoadError] | None = None
        self._died: RunnerDied | None = None

    @classmethod
    async def start(cls, command: RunnerCommand, file: str, on_stray: OnStray) -> Runner:
        """Starts the runner of `file` and waits for its first message.

        Raises `UsageError` when the process can't be started, ends or stays silent, or speaks
        another protocol.
        """
        runner = cls(command, file, on_stray)
        try:
            await runner._open()
        except BaseException:
            await runner.close(0)
            raise
        return runner

    # ── what the engine asks ─────────────────────────────────────────────────────────────────

    @property
    def alive(self) -> bool:
        return self._died is None

    @property
    def hello(self) -> Hello:
        """Its first message: which SDK speaks, on which Python."""
        return self._hello.result()

    async def collect(self) -> Declared | LoadError:
        """Loads the file: once, before any body, also when it was collected by another runner.

        A process that ends or hangs meanwhile is a `LoadError`.
        """
        self._loaded = self._loop.create_future()
        self._send(Collect(self.file))
        try:
            async with asyncio.timeout(_LOAD_TIMEOUT):
                return await self._loaded
        except TimeoutError:
            message = f"loading it took longer than {_LOAD_TIMEOUT:.0f} s"
            return LoadError(WireError("TimeoutError", message))
        except RunnerDied as died:
            message = f"loading it ended the process: {died.reason}"
            return LoadError(WireError("RunnerDied", message, died.stderr_tail or None))

    def begin(
        self,
        start: Start,
        on_request: Callable[[Request], None],
        on_log: Callable[[Log], None],
    ) -> asyncio.Future[Done]:
        """Runs a body; the future fails with `RunnerDied` when the process ends first.

        Both callbacks run as the messages come, so a body can't write faster than they return.
        """
        ended: asyncio.Future[Done] = self._loop.create_future()
        if self._died is not None:
            _fail(ended, self._died)
            return ended
        self._bodies[start.key] = _Body(ended, on_request, on_log)
        self._send(start)
        return ended

    def reply(self, message: Reply | ErrorReply) -> None:
        self._send(message)

    def abort(self, key: str, reason: Literal["timeout", "cancelled"], message: str) -> None:
        """Tells the body to give up; its future ends when it has."""
        self._send(Abort(key, reason, message))

    async def close(self, grace_s: float = 2.0) -> None:
        """Closes stdin, waits up to `grace_s`, kills what is left of the process group."""
        self._flush()
        await self._pipes.close(grace_s)

    # ── messages out ─────────────────────────────────────────────────────────────────────────

    def _send(self, message: FromEngine) -> None:
        """Queues a message; all of one turn of the event loop go out in one write."""
        if not self.alive:
            return
        if not self._outgoing:
            self._loop.call_soon(self._flush)
        self._outgoing.append(encode(message))

    def _flush(self) -> None:
        if self._outgoing:
            self._pipes.write(b"".join(self._outgoing))
        self._outgoing.clear()

    # ── messages in ──────────────────────────────────────────────────────────────────────────

    def _on_line(self, line: bytes) -> None:
        if self._died is not None:
            return
        try:
            message = decode_from_runner(line)
        except ProtocolError as error:
            self._break(str(error))
            return
        match message:
            case Request():
                self._on_request(message)
            case Done():
                body = self._bodies.pop(message.key, None)
                if body is not None and not body.ended.done():
                    body.ended.set_result(message)
            case Log():
                self._on_log(message)
            case Hello():
                if not self._hello.done():
                    self._hello.set_result(message)
            case Declared() | LoadError():
                if self._loaded is not None and not self._loaded.done():
                    self._loaded.set_result(message)

    def _on_request(self, request: Request) -> None:
        body = self._bodies.get(request.key)
        if body is not None:
            body.on_request(request)
            return
        error = WireError("AbortError", "the attempt is over: its body already returned")
        self._send(ErrorReply(request.id, request.key, request.call.op, error))

    def _on_log(self, log: Log) -> None:
        body = self._bodies.get(log.key)
        if body is not None:
            body.on_log(log)
        else:
            self._on_stray(log.stream, log.text)

    # ── the process ──────────────────────────────────────────────────────────────────────────

    async def _open(self) -> None:
        argv = self._command.argv
        try:
            await self._loop.subprocess_exec(
                lambda: self._pipes,
                *argv,
                env=dict(self._command.env),
                cwd=self._command.cwd,
                start_new_session=True,
            )
        except OSError as error:
            raise UsageError(f"{argv[0]} can't be started: {error.strerror}; {_SET}") from None
        hello = await self._first_message()
        if hello.protocol != PROTOCOL:
            raise UsageError(
                f"this project's runner ({hello.sdk} SDK {hello.version}) speaks runner protocol "
                f"{hello.protocol} and this reeval speaks {PROTOCOL}: install versions that agree"
            )

    async def _first_message(self) -> Hello:
        seconds = self._command.start_timeout
        who = f"the runner ({self._command.argv[0]}, from {self._command.why})"
        try:
            async with asyncio.timeout(seconds):
                return await self._hello
        except TimeoutError:
            said = f"said nothing for {seconds:.0f} s"
            raise UsageError(f"{who} {said}; {_SET}{self._said()}") from None
        except RunnerDied as died:
            raise UsageError(
                f"{who} ended before its first message: {died.reason}; {_SET}{self._said()}"
            ) from None

    def _said(self) -> str:
        said = tail(self._pipes.stderr.tail, 2000)
        return f"\nIt wrote:\n{said}" if said else ""

    def _on_stray_line(self, line: str) -> None:
        self._on_stray("stderr", line)

    def _break(self, what: str) -> None:
        """It doesn't keep to the protocol: nothing it says after this can be trusted."""
        self._die(what)
        self._pipes.kill()

    def _on_exit(self, returncode: int) -> None:
        if returncode < 0:
            with contextlib.suppress(ValueError):
                self._die(f"signal {signal.Signals(-returncode).name}")
                return
        self._die(f"exit {returncode}")

    def _die(self, reason: str) -> None:
        if self._died is not None:
            return
        self._died = died = RunnerDied(reason, self._pipes.stderr.tail)
        for waiting in (self._hello, self._loaded, *(b.ended for b in self._bodies.values())):
            if waiting is not None:
                _fail(waiting, died)
        self._bodies.clear()


_SET = "set REEVAL_PYTHON to the interpreter that has this project's packages"


def _fail(future: asyncio.Future[Any], died: RunnerDied) -> None:
    if not future.done():
        future.set_exception(died)
        future.exception()  # asked for once, asyncio doesn't complain when nobody else does
