"""What happens in a run, as one stream of typed events, which reports subscribe to.

Times are seconds since the epoch (`at`) or milliseconds (`…_ms`). `attempt` in an event is the
attempt's key, unique in the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from reeval.plan.model import Cell, Plan, PlannedEval

PhaseName = Literal[
    "plan", "env", "broker", "image", "container", "workspace", "files", "setup", "harness",
    "check", "judge", "teardown",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class RunStarted:
    run_id: str
    plan: Plan
    concurrency: int
    at: float


@dataclass(frozen=True, slots=True)
class AttemptStarted:
    attempt: str
    eval: PlannedEval
    cell: Cell
    n: int
    seq: int
    at: float


@dataclass(frozen=True, slots=True)
class Phase:
    """One line of what an attempt does, such as `harness` · `turn 1 completed in 4s · …`."""

    attempt: str
    phase: PhaseName
    message: str
    at: float


@dataclass(frozen=True, slots=True)
class SandboxReady:
    attempt: str
    at_ms: float
    took_ms: float


@dataclass(frozen=True, slots=True)
class TurnStarted:
    attempt: str
    index: int
    prompt: str
    at_ms: float


@dataclass(frozen=True, slots=True)
class TurnActivity:
    """Live counts of the turn under way."""

    attempt: str
    index: int
    tools: int
    edits: int


@dataclass(frozen=True, slots=True)
class TurnEnded:
    attempt: str
    index: int
    status: str
    at_ms: float
    took_ms: float
    tools: int
    edits: int


@dataclass(frozen=True, slots=True)
class CheckEnded:
    """A foreground command; `at_ms` is when it began. `tries` counts from 1, of `1 + retries`."""

    attempt: str
    command: str
    exit_code: int
    at_ms: float
    took_ms: float
    tries: int
    retries: int
    output: str
    """Its stdout then stderr, masked, kept for `--output-logs full`."""


@dataclass(frozen=True, slots=True)
class Asserted:
    """A settled check: the record's `AssertionRecord`."""

    attempt: str
    assertion: Mapping[str, Any]
    at_ms: float


@dataclass(frozen=True, slots=True)
class Judged:
    attempt: str
    question: str
    verdict: Literal["pass", "fail", "error"]
    score: float | None
    threshold: float
    at_ms: float


@dataclass(frozen=True, slots=True)
class Output:
    """A line the body printed, or that a runner printed outside any attempt (`attempt` None)."""

    attempt: str | None
    stream: Literal["stdout", "stderr"]
    text: str


@dataclass(frozen=True, slots=True)
class AttemptEnded:
    """`record` is the masked `AttemptRecord`, already journaled and synced."""

    attempt: str
    eval: PlannedEval
    cell: Cell
    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RunError:
    """Something outside any attempt went wrong; it fails the run. Masked."""

    message: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A line for the person that changes nothing, such as that a runner was started again."""

    message: str


@dataclass(frozen=True, slots=True)
class Stopping:
    """No new attempt starts: Ctrl-C, the budget, or `--bail`."""

    reason: Literal["interrupt", "budget", "bail"]


@dataclass(frozen=True, slots=True)
class RunEnded:
    """`summary` is the record's `RunSummary`; `record` the written record's absolute path.

    `record` is None when it couldn't be written; the journal then holds what finished.
    """

    run_id: str
    status: Literal["complete", "interrupted", "budget"]
    exit_code: int
    summary: Mapping[str, Any]
    record: str | None
    took_ms: float


RunEvent: TypeAlias = (
    RunStarted | AttemptStarted | Phase | SandboxReady | TurnStarted | TurnActivity | TurnEnded
    | CheckEnded | Asserted | Judged | Output | AttemptEnded | RunError | Notice | Stopping
    | RunEnded
)  # fmt: skip
