"""The fake harness's own options, read from a harness spec's fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from reeval.config.errors import UsageError


@dataclass(frozen=True, slots=True)
class ExecStep:
    """Runs a shell command in the sandbox, reported as a `shell` tool call."""

    command: str


@dataclass(frozen=True, slots=True)
class WriteStep:
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ReplyStep:
    text: str


@dataclass(frozen=True, slots=True)
class McpStep:
    """Calls a tool of one of the environment's MCP servers, without arguments."""

    server: str
    tool: str


@dataclass(frozen=True, slots=True)
class ErrorStep:
    """Ends the turn with status `error`, as a provider's error would."""

    message: str


Step: TypeAlias = ExecStep | WriteStep | ReplyStep | McpStep | ErrorStep


@dataclass(frozen=True, slots=True)
class CannedTool:
    """A tool call that is reported and not made."""

    tool: str
    input: Any
    output: Any
    ok: bool


@dataclass(frozen=True, slots=True)
class FakeOptions:
    """`start_hangs` is how many session starts of an attempt never become ready.

    `skill_files` and `skill_text` stand in for `files` and `text` when the environment has a
    skill; None leaves the plain one.
    """

    script: tuple[tuple[Step, ...], ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    text: str = "Done."
    skill_files: Mapping[str, str] | None = None
    skill_text: str | None = None
    tools: tuple[CannedTool, ...] = ()
    delay_ms: float = 0.0
    flake_rate: float = 0.0
    fail_with: str | None = None
    start_hangs: float = 0
    ignore_abort: bool = False
    served_model: str | None = None
    layout: str | None = None
    reasoning: str | None = None


_DEFAULTS = FakeOptions()


def read_options(fields: Mapping[str, Any]) -> FakeOptions:
    """The options in `HarnessSpec.fields`. Raises `UsageError` on a script step it can't read."""
    if not fields:
        return _DEFAULTS
    with_skill = fields.get("with_skill") or {}
    hangs = fields.get("start_hangs") or 0
    return FakeOptions(
        script=tuple(
            tuple(_step(step, f"script[{turn}][{place}]") for place, step in enumerate(steps))
            for turn, steps in enumerate(fields.get("script") or ())
        ),
        files=fields.get("files") or {},
        text=_or(fields.get("text"), _DEFAULTS.text),
        skill_files=with_skill.get("files"),
        skill_text=with_skill.get("text"),
        tools=tuple(_tool(item, n) for n, item in enumerate(fields.get("tools") or ())),
        delay_ms=float(fields.get("delay_ms") or 0),
        flake_rate=float(fields.get("flake_rate") or 0),
        fail_with=fields.get("fail_with"),
        start_hangs=float("inf") if hangs is True else float(hangs),
        ignore_abort=bool(fields.get("ignore_abort")),
        served_model=fields.get("served_model"),
        layout=fields.get("layout"),
        reasoning=fields.get("reasoning"),
    )


def _or(value: str | None, default: str) -> str:
    return default if value is None else value


def _tool(item: Any, index: int) -> CannedTool:
    if not isinstance(item, Mapping) or not isinstance(item.get("tool"), str):
        raise UsageError(
            'takes {"tool": name, "input": …, "output": …}', key=f"fake_harness tools[{index}]"
        )
    return CannedTool(
        item["tool"], item.get("input"), item.get("output"), bool(item.get("ok", True))
    )


def _step(step: Any, where: str) -> Step:
    match step:
        case {"exec": str(command)} if len(step) == 1:
            return ExecStep(command)
        case {"write": Mapping() as files} if len(step) == 1:
            return WriteStep(files)
        case {"reply": str(text)} if len(step) == 1:
            return ReplyStep(text)
        case {"mcp": str(name)} if len(step) == 1 and all(name.partition("/")):
            server, _, tool = name.partition("/")
            return McpStep(server, tool)
        case {"error": str(message)} if len(step) == 1:
            return ErrorStep(message)
    raise UsageError(
        'a step is one of {"exec": command}, {"write": {path: text}}, {"reply": text}, '
        f'{{"mcp": "server/tool"}} and {{"error": message}}, got {step!r:.200}',
        key=f"fake_harness {where}",
    )
