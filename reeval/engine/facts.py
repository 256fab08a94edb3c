"""What happened in one attempt, gathered while it runs; the outcome and the record come from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from reeval.grading.base import TurnFacts
from reeval.harness.base import Context, TurnStatus, Usage
from reeval.harness.events import Event
from reeval.protocol.messages import WireError
from reeval.record.schema import FileRef


@dataclass(slots=True)
class Infra:
    """Why reeval couldn't give the agent a fair try. `cause` is a resource that ran out."""

    message: str
    cause: Literal["oom", "enospc"] | None = None


@dataclass(frozen=True, slots=True)
class CheckRun:
    """A foreground command: its last try's exit code, `duration_ms` over all its tries."""

    command: str
    exit_code: int
    duration_ms: float
    log: FileRef | None
    retries: int
    tries: tuple[tuple[int, float], ...]


@dataclass(slots=True)
class TurnRun:
    """A turn, from its start on. `facts` is None until it has ended and its diff is taken."""

    index: int
    prompt: str
    started_at: str
    began_ms: float
    events: list[Event] = field(default_factory=list)
    tools: int = 0
    edits: int = 0
    status: TurnStatus | None = None
    text: str = ""
    usage: Usage | None = None
    model: str | None = None
    unreported: tuple[str, ...] = ()
    error: str | None = None
    duration_ms: float = 0.0
    facts: TurnFacts | None = None


@dataclass(slots=True)
class Timings:
    """Milliseconds by phase."""

    setup: float = 0.0
    agent: float = 0.0
    diff: float = 0.0
    checks: float = 0.0
    judge: float = 0.0


@dataclass(slots=True)
class Facts:
    """Everything the outcome and the record need. Mutable, owned by one attempt."""

    infra: Infra | None = None
    timed_out: bool = False
    under_way: str = "in the eval's own code"
    """What ran when the time was up."""
    cancelled: bool = False
    body_error: WireError | None = None
    process_ended: str | None = None
    """How the eval's own process ended, such as `exit 3`, when it ended under its body."""
    turns: list[TurnRun] = field(default_factory=list)
    checks: list[CheckRun] = field(default_factory=list)
    assertions: list[dict[str, Any]] = field(default_factory=list)
    judgements: list[dict[str, Any]] = field(default_factory=list)
    judge_failure: str | None = None
    start_retries: list[dict[str, Any]] = field(default_factory=list)
    context: tuple[Context, ...] = ()
    env_vars: list[str] = field(default_factory=list)
    env_secrets: list[str] = field(default_factory=list)
    env_brokered: list[str] = field(default_factory=list)
    setup_log: list[str] = field(default_factory=list)
    sandbox_started: bool = False
    image_id: str | None = None
    changed: list[dict[str, Any]] = field(default_factory=list)
    patch: str = ""
    timings: Timings = field(default_factory=Timings)
    output: list[str] = field(default_factory=list)
    """What the body printed, line by line, bounded."""
    output_dropped: int = 0

    @property
    def given_up(self) -> bool:
        """Whether it was stopped before its body ended: its time was up, or the run is ending."""
        return self.timed_out or self.cancelled

    def fail_infra(self, message: str, cause: Literal["oom", "enospc"] | None = None) -> None:
        """Notes the first infra error; later ones, and those of stopping it, are consequences."""
        if self.infra is None and not self.given_up:
            self.infra = Infra(message, cause)
