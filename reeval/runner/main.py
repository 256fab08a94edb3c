"""The runner process: reads the engine's messages on stdin and serves them until it closes."""

from __future__ import annotations

import faulthandler
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO, cast

from reeval.authoring.declare import is_async
from reeval.protocol import PROTOCOL
from reeval.protocol.codec import ProtocolError, decode_from_engine
from reeval.protocol.messages import (
    Abort,
    Collect,
    Declared,
    Done,
    Hello,
    LoadError,
    Start,
    WireError,
)
from reeval.runner.body import Body
from reeval.runner.breakpoints import refuse_breakpoints
from reeval.runner.channel import Channel
from reeval.runner.load import load
from reeval.runner.output import Routed
from reeval.runner.project import Project
from reeval.runner.pulse import Pulse
from reeval.runner.running import Running
from reeval.runner.threads import adopt_threads
from reeval.runner.unloaded import load_error
from reeval.runner.workers import Workers
from reeval.version import VERSION

GOODBYE_S = 1.5
"""How long bodies that still run get to end once the engine has gone."""


class Server:
    """One eval file's bodies, as the engine starts and ends them."""

    def __init__(self, channel: Channel, project: Project) -> None:
        self._channel = channel
        self._project = project
        self._pulse = Pulse(channel)
        self._workers = Workers()
        self._functions: dict[str, Callable[..., Any]] = {}
        self._bodies: dict[str, Body] = {}

    def serve(self, lines: Iterable[bytes]) -> None:
        """Until the engine closes its end."""
        for line in lines:
            try:
                message = decode_from_engine(line)
            except ProtocolError as error:
                print(f"reeval's runner: {error}", file=sys.stderr)
                continue
            match message:
                case Start():
                    self._start(message)
                case Abort(key=key):
                    body = self._bodies.get(key)
                    if body is not None:
                        name = "TimeoutError" if message.reason == "timeout" else "AbortError"
                        body.abort(message.reason, name, message.message)
                case Collect(file=file):
                    self._collect(file)
                case _:
                    body = self._bodies.get(message.key)
                    if body is not None:
                        body.answer(message)

    def goodbye(self) -> None:
        """The engine has gone: ends what still runs, as far as that goes."""
        until = time.monotonic() + GOODBYE_S
        for running in self._pulse.running:
            running.body.abort(
                "cancelled", "AbortError", "reeval closed the runner before this body ended"
            )
        while self._pulse.running and time.monotonic() < until:
            time.sleep(0.01)

    def _collect(self, file: str) -> None:
        try:
            nodes, self._functions = load(self._project.root / file)
            self._channel.send(Declared(file, tuple(nodes)))
        except BaseException as error:
            self._channel.send(LoadError(load_error(error, file, self._project)))

    def _start(self, start: Start) -> None:
        function = self._functions.get(start.body)
        if function is None:
            error = WireError(
                "RunnerError", f"{start.file} has no body {start.body!r}: collect the file first"
            )
            self._channel.send(Done(start.key, error))
            return
        body = Body(start, is_async(function), self._channel)
        self._bodies[start.key] = body
        running = Running(body, function, self._channel, self._project, self._ended)
        self._pulse.add(running)
        self._workers.run(running.run)

    def _ended(self, running: Running) -> None:
        self._pulse.remove(running)
        self._bodies.pop(running.body.key, None)


def main() -> None:
    """Serves on stdin and stdout until stdin ends. Exits 2 when reeval didn't start it."""
    problem = mismatch(os.environ)
    if problem is not None:
        print(problem, file=sys.stderr)
        sys.exit(2)
    root = Path(os.environ.get("REEVAL_PROJECT_ROOT") or os.getcwd()).absolute()
    _make_importable(root)
    channel, lines = _take_stdio()
    adopt_threads()
    refuse_breakpoints()
    runtime = sys.version.split(maxsplit=1)[0]
    channel.send(Hello(PROTOCOL, "python", VERSION, runtime))
    server = Server(channel, Project(root))
    server.serve(lines)
    server.goodbye()
    channel.flush()
    # Not sys.exit: a thread or an executor that a body left would keep the process alive.
    os._exit(0)


def mismatch(environ: Mapping[str, str]) -> str | None:
    """Why this runner can't serve what started it, None when it can."""
    started_by = environ.get("REEVAL_RUNNER")
    if started_by is None:
        return "This is reeval's runner, which reeval starts itself: run evals with `reeval run`."
    theirs = environ.get("REEVAL_RUNNER_PROTOCOL")
    if started_by == "stdio" and theirs == str(PROTOCOL):
        return None
    return (
        f"This runner (reeval {VERSION}) speaks runner protocol {PROTOCOL}, but the reeval that "
        f"started it speaks {f'protocol {theirs}' if theirs else 'an older one'}: use the runner "
        "of that reeval."
    )


def _make_importable(root: Path) -> None:
    """Lets eval files import the project's modules, after the SDK's own folder."""
    if str(root) not in sys.path:
        sys.path.insert(1, str(root))


def _take_stdio() -> tuple[Channel, Iterable[bytes]]:
    """Keeps stdin and stdout for messages: nothing a body or its children do can reach them.

    Descriptor 1 becomes stderr and descriptor 0 empty, so a child process, a C extension or
    `input()` can neither write into a message nor read one.
    """
    sys.stdout.flush()
    channel = Channel(os.dup(1))
    lines = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 — for the process's life
    real = sys.__stderr__ or sys.stderr
    real.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a text file here
    sys.stdout = cast(TextIO, Routed("stdout", real))
    sys.stderr = cast(TextIO, Routed("stderr", real))
    faulthandler.enable(2)
    return channel, lines
