"""A scripted engine: it starts the real runner process and answers what its bodies ask."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from reeval.protocol import messages as m
from reeval.protocol.codec import decode_from_runner, encode

RUNNER = Path(__file__).resolve().parents[2] / "reeval" / "runner" / "__main__.py"
PATIENCE_S = 30

CELL = {"key": "fake/-/fake", "harness": "fake", "environment": "-", "sandbox": "fake"}
TURN = {
    "prompt": "go",
    "text": "hi",
    "status": "completed",
    "startedAt": "2026-11-30T17:40:47.000Z",
    "durationMs": 12,
    "transcript": [{"type": "text", "text": "hi"}],
    "usage": {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "reasoning": None},
    "model": "fake-1",
    "unreported": ["web-search"],
    "diff": {"patch": "+x", "files": [{"path": "x.txt", "status": "added"}]},
}

Answer = Callable[[m.Request], "m.Reply | m.ErrorReply | None"]


def fields_for(call: m.Call) -> Mapping[str, Any]:
    """What an engine to which everything succeeds answers."""
    match call:
        case m.Send(prompt=prompt):
            return {"turn": {**TURN, "prompt": prompt}}
        case m.Exec(background=True):
            return {"result": {"handle": "h1"}}
        case m.Exec():
            return {"result": {"exitCode": 0, "stdout": "out\n", "stderr": ""}}
        case m.Serve(port=port):
            return {"handle": "h2", "port": port or 4321}
        case m.ReadFile(path=path):
            return {"contents": None if path == "missing" else f"contents of {path}"}
        case m.Expect() | m.Record():
            return {"assertion": {"label": "x", "status": "pass"}}
        case m.Judge(question=question):
            verdict = {"verdict": "pass", "score": 0.9, "threshold": 0.8, "model": "m"}
            return {"verdict": {**verdict, "question": question}}
        case _:
            return {}


def reply(request: m.Request, **fields: Any) -> m.Reply:
    return m.Reply(request.id, request.key, request.call.op, fields)


def refuse(request: m.Request, name: str, message: str) -> m.ErrorReply:
    return m.ErrorReply(request.id, request.key, request.call.op, m.WireError(name, message))


@dataclass
class Ended:
    """An attempt's messages, in order, up to its `done`."""

    calls: list[m.Call] = field(default_factory=list)
    logs: list[tuple[str, str]] = field(default_factory=list)
    error: m.WireError | None = None

    @property
    def records(self) -> list[m.Record]:
        return [call for call in self.calls if isinstance(call, m.Record)]


class Engine:
    """The engine's end of one runner process."""

    def __init__(self, root: Path, argv: list[str] | None = None, **environ: str) -> None:
        self._root = root
        env = {
            **os.environ,
            "REEVAL_RUNNER": "stdio",
            "REEVAL_RUNNER_PROTOCOL": "3",
            "REEVAL_PROJECT_ROOT": str(root),
            **environ,
        }
        self.process = subprocess.Popen(
            argv or [sys.executable, str(RUNNER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            cwd=root,
        )
        self._messages: queue.Queue[m.FromRunner | None] = queue.Queue()
        self.stderr = b""
        self._readers = [threading.Thread(target=read) for read in (self._read, self._read_stderr)]
        for reader in self._readers:
            reader.start()
        self.hello = self.receive()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._messages.put(decode_from_runner(line))
        self._messages.put(None)

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        while chunk := os.read(self.process.stderr.fileno(), 65536):
            self.stderr += chunk

    def receive(self) -> m.FromRunner | None:
        """The runner's next message; None when it has ended."""
        return self._messages.get(timeout=PATIENCE_S)

    def send(self, message: m.FromEngine) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(encode(message))
        self.process.stdin.flush()

    def collect(self, source: str, file: str = "evals/x.eval.py") -> m.Declared | m.LoadError:
        path = self._root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source), "utf-8")
        self.send(m.Collect(file))
        message = self.receive()
        assert isinstance(message, m.Declared | m.LoadError), message
        return message

    def start(self, body: str = "b1", key: str = "k1") -> None:
        info = m.AttemptInfo("fake/-/fake#1", 1, CELL)
        self.send(m.Start(key, body, "evals/x.eval.py", info))

    def abort(self, key: str = "k1", reason: str = "timeout", message: str = "timed out") -> None:
        self.send(m.Abort(key, reason, message))

    def follow(self, key: str = "k1", answer: Answer = lambda request: None) -> Ended:
        """Answers the attempt's calls to its end. `answer` may return None for the usual one."""
        ended = Ended()
        while True:
            message = self.receive()
            assert message is not None, f"the runner ended: {self.stderr.decode()}"
            match message:
                case m.Request(call=call):
                    if message.key == key:
                        ended.calls.append(call)
                    self.send(answer(message) or reply(message, **fields_for(call)))
                case m.Log(stream=stream, text=text) if message.key == key:
                    ended.logs.append((stream, text))
                case m.Done(error=error) if message.key == key:
                    ended.error = error
                    return ended

    def run(self, source: str, answer: Answer = lambda request: None) -> Ended:
        """Loads a file and runs its first body."""
        declared = self.collect(source)
        assert isinstance(declared, m.Declared), declared
        self.start()
        return self.follow(answer=answer)

    def close(self) -> int:
        """Closes the runner's stdin; its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(PATIENCE_S)
        for reader in self._readers:
            reader.join(PATIENCE_S)
        return code


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """An engine with our runner started in an empty project."""
    one = Engine(tmp_path)
    yield one
    if one.process.poll() is None:
        one.close()
    for stream in (one.process.stdout, one.process.stderr):
        assert stream is not None
        stream.close()
