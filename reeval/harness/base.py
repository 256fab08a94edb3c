"""The harness's interface: how one kind of agent is started, driven and read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from reeval.config.model import EnvironmentSpec, HarnessSpec
from reeval.harness.events import Event
from reeval.sandbox.base import Sandbox

WebEventType = Literal["web-search", "web-fetch"]
TurnStatus = Literal["completed", "aborted", "error"]


class HarnessError(Exception):
    """The agent could not be started or driven: an infra error, never a failed check."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens. `input` excludes cache reads and writes; `reasoning` is part of `output`."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int | None = None

    def to_json(self) -> dict[str, int | None]:
        return {
            "input": self.input,
            "output": self.output,
            "cacheRead": self.cache_read,
            "cacheWrite": self.cache_write,
            "reasoning": self.reasoning,
        }


@dataclass(frozen=True, slots=True)
class TurnResult:
    """How a turn ended. Its events were handed to `on_event` as they came.

    `error` is the first error the agent reported; `unreported` the web events it can't report.
    """

    status: TurnStatus
    text: str
    usage: Usage | None = None
    model: str | None = None
    unreported: tuple[WebEventType, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Launch:
    """What a session starts with: where, as which agent, with which context."""

    harness: HarnessSpec
    environment: EnvironmentSpec | None
    sandbox: Sandbox
    attempt_id: str
    """Unique in the run; seeds what is random about the fake agent."""
    clock: Callable[[], float]
    """Milliseconds since the attempt's start, for events' `at_ms`."""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Host variable → value, for the secrets an MCP server's variables name."""


class Session(Protocol):
    """One agent session: turn after turn with the agent's own memory."""

    async def turn(self, prompt: str, on_event: Callable[[Event], None]) -> TurnResult:
        """Runs a turn to its end. An agent's error is a result, not an exception.

        Cancelling it aborts the turn; it may take as long as the agent takes to stop.
        Raises `HarnessError` when the agent died or can't be driven.
        """
        ...

    async def close(self) -> None:
        """Ends the session. Never raises; safe to call twice."""
        ...


class Harness(Protocol):
    """A kind of agent."""

    kind: str

    def rules_path(self, spec: HarnessSpec) -> str:
        """Where this agent reads project rules, such as `AGENTS.md`."""
        ...

    def skills_path(self, spec: HarnessSpec, placement: Literal["harness", "workspace"]) -> str:
        """The folder this agent reads skills from: `~/…`, or workspace-relative."""
        ...

    async def start(self, launch: Launch) -> Session:
        """Makes a session ready for its first turn. Raises `HarnessError`."""
        ...


@dataclass(frozen=True, slots=True)
class Context:
    """A file the agent can see as context (a skill, rules, MCP config), by content hash."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Placement:
    """What was placed for the agent before it started."""

    context: tuple[Context, ...] = ()
    written: tuple[str, ...] = ()
