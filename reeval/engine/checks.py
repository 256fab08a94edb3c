"""The commands an eval runs in the sandbox: foreground checks with retries, background, served."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from reeval.engine.events import CheckEnded
from reeval.engine.facts import CheckRun, Facts
from reeval.engine.phases import PhaseLog
from reeval.engine.stage import Stage
from reeval.protocol.messages import Exec, ExecResult, Serve
from reeval.record.schema import FileRef
from reeval.sandbox.base import Background, Command, Completed, Sandbox

STOPPED = 137
"""The exit code of a command that was stopped with its attempt: 128 + SIGKILL."""

WriteLog = Callable[[str, str], FileRef | None]
"""Stores a check's log under a name; returns its `FileRef`, or None when none is kept."""


class Checks:
    """One attempt's commands. Secrets sent `to: "checks"` are set here and nowhere else."""

    def __init__(self, stage: Stage, facts: Facts, log: PhaseLog, write_log: WriteLog) -> None:
        self._stage = stage
        self._facts = facts
        self._log = log
        self._write_log = write_log
        self._background: dict[str, tuple[str, Background]] = {}
        self._running: list[str] = []

    async def run(self, command: str, retries: int = 0, interval_s: float = 1) -> ExecResult:
        """Runs a command, up to `retries` times more while its exit isn't 0; the last counts."""
        sandbox = await self._stage.sandbox()
        began_ms = self._log.now_ms()
        tries: list[Completed] = []
        try:
            while True:
                tries.append(await self._once(sandbox, command, tries))
                if tries[-1].exit_code == 0 or len(tries) > retries:
                    break
                await asyncio.sleep(interval_s)
        finally:
            if tries:
                self._keep(command, tries, retries, began_ms)
        return ExecResult(tries[-1].exit_code, tries[-1].stdout, tries[-1].stderr)

    async def _once(self, sandbox: Sandbox, command: str, tries: list[Completed]) -> Completed:
        """One try. One that is stopped with its attempt counts too: what it said is looked for."""
        heard, began_ms = _Heard(), self._log.now_ms()
        self._running.append(command)
        try:
            return await sandbox.run(Command(command, env=self._stage.check_variables), heard)
        except asyncio.CancelledError:
            took = self._log.now_ms() - began_ms
            tries.append(Completed(STOPPED, heard.text(), "stopped with its attempt", took))
            raise
        finally:
            self._running.remove(command)

    @property
    def running(self) -> str | None:
        """The foreground command that has run longest, if any runs."""
        return self._running[0] if self._running else None

    def _keep(self, command: str, tries: list[Completed], retries: int, began_ms: float) -> None:
        took = self._log.now_ms() - began_ms
        last = tries[-1]
        log = self._write_log(
            f"checks/{len(self._facts.checks) + 1}.log", _log_text(command, tries)
        )
        each = tuple((done.exit_code, round(done.duration_ms, 1)) for done in tries)
        self._facts.checks.append(
            CheckRun(command, last.exit_code, round(took, 1), log, retries, each)
        )
        self._facts.timings.checks += took
        mask = self._log.masker.text
        self._log.line("check", f"$ {command} → exit {last.exit_code} · {took:.0f}ms")
        self._log.publish(
            CheckEnded(
                self._log.attempt, mask(command), last.exit_code, began_ms, took, len(tries),
                retries, mask(last.stdout + last.stderr),
            )
        )  # fmt: skip

    async def start(self, call: Exec | Serve, port: int | None = None) -> str:
        """Leaves a command running; returns its handle."""
        sandbox = await self._stage.sandbox()
        env = self._stage.check_variables
        run = call.command
        if port is not None:
            env["PORT"] = str(port)
            if isinstance(run, tuple):
                run = tuple(part.replace("{port}", str(port)) for part in run)
        background = await sandbox.spawn(Command(run, env=env))
        handle = f"h{len(self._background) + 1}"
        shown = run if isinstance(run, str) else " ".join(run)
        self._background[handle] = shown, background
        self._log.line("check", f"$ {shown} → in the background as {handle}")
        return handle

    async def serve(self, call: Serve) -> tuple[str, int]:
        """Starts a server; returns its handle and port."""
        sandbox = await self._stage.sandbox()
        port = call.port if call.port is not None else await sandbox.free_port()
        return await self.start(call, port), port

    async def kill(self, handle: str) -> None:
        if handle not in self._background:
            raise ValueError(f"there is no background command {handle!r}")
        _, background = self._background[handle]
        await background.kill()

    def background_logs(self) -> list[tuple[str, str]]:
        """What each background command wrote, as (name, text)."""
        logs = []
        for handle, (_, background) in self._background.items():
            stdout, stderr = background.output()
            if stdout or stderr:
                logs.append((f"checks/{handle}.log", stdout + stderr))
        return logs

    def ended_by_themselves(self) -> list[str]:
        """Sentences on background commands, such as servers, that ended while the eval went on."""
        return [
            f"background command {handle} ended by itself with exit {background.exit_code} "
            f"(its output is in checks/{handle}.log): {command}"
            for handle, (command, background) in self._background.items()
            if background.exit_code is not None
        ]


class _Heard:
    """The end of what a command wrote so far, both streams as they came."""

    LIMIT = 64 * 1024

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self._size = 0

    def __call__(self, stream: str, chunk: bytes) -> None:
        self._chunks.append(chunk[-self.LIMIT :])
        self._size += len(self._chunks[-1])
        while self._size - len(self._chunks[0]) >= self.LIMIT:
            self._size -= len(self._chunks.popleft())

    def text(self) -> str:
        return b"".join(self._chunks).decode("utf-8", "replace")


def _log_text(command: str, tries: list[Completed]) -> str:
    parts = [f"$ {command}\n"]
    for number, done in enumerate(tries, 1):
        if len(tries) > 1:
            parts.append(f"── try {number}\n")
        parts.append(done.stdout)
        if done.stderr:
            parts.append(
                done.stderr if done.stdout.endswith("\n") or not done.stdout else "\n" + done.stderr
            )
        if not parts[-1].endswith("\n"):
            parts.append("\n")
        parts.append(f"→ exit {done.exit_code} · {done.duration_ms:.0f}ms\n")
    return "".join(parts)
