"""An eval in the record's JSON: its cells, their counts and lifts, and its family."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from reeval.record.schema_attempt import (
    AttemptRecord,
    CellRole,
    CheckVerdict,
    CompareCut,
    FamilyVerdict,
    FileRef,
    HashedFile,
    Outcome,
)

# ── an eval and its cells ────────────────────────────────────────────────────────────────────


class PassRateGate(TypedDict):
    passRate: float


CellGate: TypeAlias = Literal["all", "none"] | PassRateGate


class FingerprintParts(TypedDict):
    sources: str
    harness: str
    environment: str | None
    image: str | None
    agentCli: str | None
    judge: str
    context: str
    gateway: NotRequired[str]
    gate: NotRequired[str]


SideCounts = TypedDict("SideCounts", {"pass": int, "counted": int})
"""Passes out of counted attempts, which are passes and fails."""

CheckCounts = TypedDict("CheckCounts", {"pass": int, "fail": int, "error": int, "notRun": int})


class LiftInterval(TypedDict):
    lo: float
    hi: float
    level: float
    method: Literal["newcombe-wilson"]


class Lift(TypedDict):
    """A variant's pass rate less its control's (−1…1). `withinNoise`: the interval spans 0."""

    vs: str
    control: SideCounts
    variant: SideCounts
    points: float
    interval: LiftInterval
    withinNoise: bool
    minLift: NotRequired[float]


class CellCheck(CheckCounts):
    """One label's tally over a cell's counted attempts; on a variant cell, also the control's."""

    label: str
    control: NotRequired[CheckCounts]
    verdict: NotRequired[CheckVerdict]


class Cell(TypedDict):
    key: str
    harness: str
    environment: str
    sandbox: str
    role: CellRole
    variant: NotRequired[str]


class PlannedCell(Cell):
    """What a cell's record holds before any attempt."""

    fingerprint: str
    fingerprintParts: FingerprintParts
    environmentDigest: str | None
    harnessKind: str
    gateway: NotRequired[str]
    model: str | None
    effort: str | None
    gate: CellGate
    overrides: list[str]
    runs: int


_CellCounts = TypedDict(
    "_CellCounts", {"pass": int, "fail": int, "infraError": int, "skipped": int}
)


class CellRecord(PlannedCell, _CellCounts):
    passRate: float | None
    outcome: Outcome
    lift: NotRequired[Lift]
    checks: NotRequired[list[CellCheck]]


class EvalSource(TypedDict):
    body: NotRequired[str | None]
    case: NotRequired[str | None]
    options: NotRequired[str | None]


EvalCompareMeta = TypedDict(
    "EvalCompareMeta",
    {"baseline": str, "from": NotRequired[Literal["environment", "empty"]]},
)


class FamilyCase(TypedDict):
    id: str
    name: str
    case: int
    cases: int


class PairVote(TypedDict):
    cut: CompareCut
    harness: NotRequired[str]
    arm: NotRequired[str]
    run: int
    a: str
    b: str
    winner: Literal["a", "b", "tie"]
    swapped: bool
    reason: NotRequired[str]
    artifacts: NotRequired[list[str]]


class CompareRate(TypedDict):
    cut: CompareCut
    name: str
    wins: float
    n: int


class CompareAnswer(TypedDict):
    question: str
    model: str
    resolvedModel: NotRequired[str]
    votes: list[PairVote]
    artifacts: NotRequired[Literal[True] | list[str]]
    rates: list[CompareRate]
    error: NotRequired[str]
    input: NotRequired[FileRef]
    stateOptions: NotRequired[dict[str, Any]]


class _EvalIdentity(TypedDict):
    id: str
    key: str
    slug: str
    file: str
    group: list[str]
    name: str
    fingerprint: str
    sources: list[HashedFile]
    source: NotRequired[EvalSource]
    revision: NotRequired[str | int]
    tags: list[str]
    compare: NotRequired[EvalCompareMeta]
    todo: bool
    family: NotRequired[FamilyCase]


class PlannedEntry(_EvalIdentity):
    """What an eval's record holds before any attempt."""

    cells: list[PlannedCell]


class EvalEntry(_EvalIdentity):
    outcome: Outcome
    passRate: float | None
    cells: list[CellRecord]
    attempts: list[AttemptRecord]
    answers: NotRequired[list[CompareAnswer]]


# ── families ─────────────────────────────────────────────────────────────────────────────────


class FamilyInterval(TypedDict):
    lo: float
    hi: float
    level: float
    method: Literal["wilson", "newcombe-paired", "t-cases"]


_FamilyCounts = TypedDict("_FamilyCounts", {"pass": int, "counted": int})


class FamilyRate(_FamilyCounts):
    cell: str
    cases: int
    rate: float
    interval: FamilyInterval


class Discordant(TypedDict):
    variantOnly: int
    controlOnly: int


class FamilyEffortMetric(TypedDict):
    pairs: int
    ratio: float | None
    p: float | None
    verdict: Literal["fewer", "more", "noise", "insufficient"]


class FamilyEffort(TypedDict):
    tools: FamilyEffortMetric
    agentMs: FamilyEffortMetric
    tokens: NotRequired[FamilyEffortMetric]


class FamilyLift(TypedDict):
    variant: str
    vs: str
    pairs: int
    variantRate: float
    controlRate: float
    discordant: NotRequired[Discordant]
    points: float
    interval: FamilyInterval
    p: float | None
    withinNoise: bool
    verdict: FamilyVerdict
    minLift: NotRequired[float]
    outcome: Literal["pass", "fail"]
    effort: NotRequired[FamilyEffort]


class FamilyRecord(TypedDict):
    id: str
    file: str
    group: list[str]
    name: str
    cases: int
    ran: int
    rates: list[FamilyRate]
    lifts: list[FamilyLift]
    outcome: Literal["pass", "fail"]
