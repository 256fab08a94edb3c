"""The fake harness: a canned agent that really acts in the sandbox."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Literal

from reeval.config.model import HarnessSpec, McpServer, Secret
from reeval.harness.base import HarnessError, Launch, TurnResult
from reeval.harness.events import Event, FileEdit, Problem, Text, Tool
from reeval.harness.fake_layout import layout_named, skills_folder
from reeval.harness.fake_options import (
    ErrorStep,
    ExecStep,
    FakeOptions,
    McpStep,
    ReplyStep,
    Step,
    WriteStep,
    read_options,
)
from reeval.harness.line_counts import edit_counts
from reeval.harness.mcp_client import call_tool
from reeval.harness.transcript import begun, settled
from reeval.sandbox.base import Command, PathError, TooLarge

OnEvent = Callable[[Event], None]

HANGS_ON_S = 10.0
"""Seconds a hung start goes on after it is cancelled: longer than anyone should wait for it."""

_FOR_EVER = 30 * 24 * 3600.0
"""Seconds: an event loop can't wait on an infinite timer."""

FLAKED = "I wrote no files this time."


class FakeHarness:
    """Runs in the engine's process. It reports every event, and no usage."""

    kind = "fake"

    def __init__(self) -> None:
        self._hung: dict[str, int] = {}

    def rules_path(self, spec: HarnessSpec) -> str:
        return layout_named(spec.fields.get("layout")).rules

    def skills_path(self, spec: HarnessSpec, placement: Literal["harness", "workspace"]) -> str:
        return skills_folder(layout_named(spec.fields.get("layout")), placement)

    async def start(self, launch: Launch) -> FakeSession:
        """Ready at once, unless `start_hangs` or `fail_with` says otherwise.

        A start that hangs goes on for `HANGS_ON_S` after it is cancelled, as a stuck agent would;
        a second cancellation ends it. Don't wait for it.
        """
        options = read_options(launch.harness.fields)
        if options.start_hangs and self._hangs(launch.attempt_id, options.start_hangs):
            await _hang()
        if options.fail_with is not None:
            raise HarnessError(options.fail_with)
        return FakeSession(launch, options)

    def _hangs(self, attempt_id: str, starts: float) -> bool:
        hung = self._hung.pop(attempt_id, 0)
        if hung >= starts:
            return False
        self._hung[attempt_id] = hung + 1
        return True


class FakeSession:
    """One session. Whether it flakes is drawn at random when it starts, not from its attempt's
    id: a rerun draws again, as a real agent would."""

    def __init__(self, launch: Launch, options: FakeOptions) -> None:
        self._sandbox = launch.sandbox
        self._environment = launch.environment
        self._secrets = launch.secrets
        self._clock = launch.clock
        self._options = options
        self._has_skill = launch.environment is not None and bool(launch.environment.skills)
        # Not a secret: a coin toss for pass rates.
        self._flaky = options.flake_rate > 0 and random.random() < options.flake_rate  # noqa: S311
        self._turns = 0
        self._calls = 0

    async def turn(self, prompt: str, on_event: OnEvent) -> TurnResult:
        options = self._options
        steps = self._steps()
        self._turns += 1
        if options.reasoning is not None:
            self._say(options.reasoning, on_event, "reasoning")
        if options.delay_ms:
            await self._sit_out(options.delay_ms / 1000)
        for canned in options.tools:
            on_event(
                Tool(
                    tool=canned.tool,
                    input=canned.input,
                    output=canned.output,
                    ok=canned.ok,
                    tool_call_id=self._call_id(),
                    duration_ms=0.0,
                    at_ms=self._clock(),
                )
            )
        reply: str | None = None
        for step in steps:
            if isinstance(step, ErrorStep):
                on_event(Problem(message=step.message, at_ms=self._clock()))
                return self._ended("error", reply or "", step.message)
            if isinstance(step, ReplyStep):
                reply = step.text
                self._say(reply, on_event)
            else:
                await self._act(step, on_event)
        await self._write(self._files(), on_event)
        if reply is None or self._flaky:
            reply = self._closing_words()
            self._say(reply, on_event)
        return self._ended("completed", reply)

    async def close(self) -> None:
        """Nothing is left running between turns."""

    # ── what a turn does ─────────────────────────────────────────────────────────────────────

    def _steps(self) -> tuple[Step, ...]:
        script = self._options.script
        return script[min(self._turns, len(script) - 1)] if script else ()

    def _files(self) -> Mapping[str, str]:
        options = self._options
        if self._has_skill and options.skill_files is not None:
            return options.skill_files
        return options.files

    def _closing_words(self) -> str:
        options = self._options
        if self._flaky:
            return FLAKED
        if self._has_skill and options.skill_text is not None:
            return options.skill_text
        return options.text

    async def _act(self, step: ExecStep | WriteStep | McpStep, on_event: OnEvent) -> None:
        if isinstance(step, ExecStep):
            await self._exec(step.command, on_event)
        elif isinstance(step, WriteStep):
            await self._write(step.files, on_event)
        else:
            await self._call_mcp(step, on_event)

    async def _exec(self, command: str, on_event: OnEvent) -> None:
        call = begun("shell", {"command": command}, call_id=self._call_id(), at_ms=self._clock())
        try:
            done = await self._sandbox.run(Command(command))
        except asyncio.CancelledError:
            on_event(call)
            raise
        on_event(settled(call, done.stdout, ok=done.exit_code == 0, end_ms=self._clock()))

    async def _write(self, files: Mapping[str, str], on_event: OnEvent) -> None:
        if self._flaky:
            return
        for path, contents in files.items():
            began = self._clock()
            try:
                before = await self._sandbox.read_file(path)
                await self._sandbox.write_file(path, contents.encode("utf-8", "surrogatepass"))
            except (PathError, TooLarge) as error:
                raise HarnessError(f"the fake agent can't write {path}: {error}") from None
            old = "" if before is None else before.decode("utf-8", "replace")
            added, removed = edit_counts(old, contents)
            on_event(
                FileEdit(
                    path=path,
                    kind="create" if before is None else "modify",
                    added=added,
                    removed=removed,
                    tool_call_id=self._call_id(),
                    duration_ms=max(0.0, self._clock() - began),
                    at_ms=began,
                )
            )

    async def _call_mcp(self, step: McpStep, on_event: OnEvent) -> None:
        server = self._mcp_server(step.server)
        name = f"mcp__{step.server}__{step.tool}"
        call = begun(name, {}, call_id=self._call_id(), at_ms=self._clock())
        argv = (server.command or "", *server.args)
        try:
            answer = await call_tool(self._sandbox, argv, self._variables(server), step.tool)
        except asyncio.CancelledError:
            on_event(call)
            raise
        on_event(settled(call, answer.text, ok=answer.ok, end_ms=self._clock()))

    def _mcp_server(self, name: str) -> McpServer:
        servers = self._environment.mcp if self._environment is not None else {}
        server = servers.get(name)
        if server is None:
            known = ", ".join(servers) or "none"
            raise HarnessError(
                f"the fake agent's script calls MCP server {name!r}, but the environment has "
                f"{known}: add it to the environment's mcp"
            )
        if server.transport != "stdio":
            raise HarnessError(
                f"the fake agent can't call MCP server {name!r} over {server.transport}: "
                "its mcp step starts stdio servers only"
            )
        return server

    def _variables(self, server: McpServer) -> dict[str, str]:
        """The server's own variables. A key bound to hosts stays out of the sandbox."""
        out: dict[str, str] = {}
        for name, value in server.env.items():
            if not isinstance(value, Secret):
                out[name] = value
                continue
            real = self._secrets.get(value.from_)
            if real is not None:
                out[name] = secrets.token_hex(len(real))[: len(real)] if value.hosts else real
            elif not value.optional:
                raise HarnessError(f"secret {value.from_}, which an MCP server needs, is not set")
        return out

    # ── small parts ──────────────────────────────────────────────────────────────────────────

    def _say(
        self, text: str, on_event: OnEvent, kind: Literal["text", "reasoning"] = "text"
    ) -> None:
        on_event(Text(text=text, type=kind, duration_ms=0.0, at_ms=self._clock()))

    def _call_id(self) -> str:
        self._calls += 1
        return f"call_{self._calls}"

    def _ended(
        self, status: Literal["completed", "error"], text: str, error: str | None = None
    ) -> TurnResult:
        return TurnResult(status, text, model=self._options.served_model, error=error)

    async def _sit_out(self, seconds: float) -> None:
        if self._options.ignore_abort:
            await _through_one_cancellation(seconds)
        else:
            await asyncio.sleep(seconds)


async def _through_one_cancellation(seconds: float) -> None:
    """Sleeps to the end even when cancelled once, and is cancelled then. A second one counts."""
    end = time.monotonic() + seconds
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        await asyncio.sleep(max(0.0, end - time.monotonic()))
        raise


async def _hang() -> None:
    """Never returns. Cancelled, it hangs on for a while, but not for ever: a loop that closes
    cancels what is left once, and waits for it."""
    try:
        await asyncio.sleep(_FOR_EVER)
    except asyncio.CancelledError:
        await asyncio.sleep(HANGS_ON_S)
        raise
