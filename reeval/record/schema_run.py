"""A run in the record's JSON: where it ran, on what, its summary and its evals."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from reeval.record.schema_attempt import (
    ArtifactLevel,
    ContextFile,
    EgressPolicy,
    FileRef,
    HashedFile,
    RunStatus,
    SkillPlacement,
    TokenUsage,
)
from reeval.record.schema_eval import EvalEntry, FamilyRecord

# ── the run ──────────────────────────────────────────────────────────────────────────────────


class GitInfo(TypedDict):
    sha: str
    branch: str | None
    dirty: bool
    diffHash: str | None
    worktreePatch: FileRef | None
    worktreePatchNote: str | None
    commitTime: str
    shallow: bool
    remote: str | None


class PullRequest(TypedDict):
    number: int
    baseRef: str | None


class CiRunner(TypedDict):
    kind: Literal["ci"]
    provider: Literal["github", "gitlab", "unknown"]
    runUrl: str | None
    attempt: int | None
    pr: PullRequest | None


class LocalRunner(TypedDict):
    kind: Literal["local"]
    hostHash: str


RunnerInfo: TypeAlias = CiRunner | LocalRunner


class Dependencies(TypedDict):
    lockfiles: list[HashedFile]


class NamedVersion(TypedDict):
    name: str
    version: str


class Language(TypedDict):
    name: str
    version: NotRequired[str]


class ImageFrom(TypedDict):
    ref: str
    digest: str | None


_ImageFrom = TypedDict("_ImageFrom", {"from": NotRequired[ImageFrom]})


class AttemptImage(_ImageFrom):
    ref: str
    id: str
    agentCli: str | None
    base: str
    install: list[str]
    dockerfile: HashedFile | None


class StackImage(AttemptImage):
    repoDigests: list[str]


class StackHarness(TypedDict):
    id: str
    kind: str
    model: str | None
    effort: str | None
    resolvedModels: list[str]
    resolvedEffort: list[str]


class StackJudge(TypedDict):
    model: str | None
    resolvedModels: list[str]
    threshold: float
    version: str
    state: NotRequired[dict[str, Any]]


class Stack(TypedDict):
    reeval: str
    runtime: NotRequired[NamedVersion]
    language: NotRequired[Language]
    os: str
    arch: str
    images: list[StackImage]
    packages: dict[str, str]
    harnesses: list[StackHarness]
    judge: StackJudge
    context: list[ContextFile]
    fingerprintScope: list[str]


class SkillRecord(TypedDict):
    name: str
    source: str
    commit: str | None
    sha256: str
    placement: SkillPlacement
    excluded: list[str]
    plugin: NotRequired[str]


class Marketplace(TypedDict):
    name: str
    source: str
    commit: str | None


class PluginParts(TypedDict):
    skills: list[str]
    agents: list[str]
    commands: list[str]
    hooks: list[str]
    mcp: list[str]
    rules: bool


class PluginRecord(TypedDict):
    name: str
    source: str
    marketplace: Marketplace | None
    commit: str | None
    sha256: str
    build: str | None
    parts: PluginParts


class WorkspaceRecord(TypedDict):
    source: str
    ref: str | None
    path: str | None
    commit: str
    tree: str
    init: NotRequired[bool]


class EnvironmentRecord(TypedDict):
    name: str
    parent: str | None
    overrides: list[str]
    digest: str
    setup: list[str]
    skills: list[SkillRecord]
    mcp: list[str]
    plugins: NotRequired[list[PluginRecord]]
    files: list[HashedFile]
    vars: list[str]
    secrets: list[str]
    brokered: list[str]
    unset: list[str]
    egress: EgressPolicy
    workspace: NotRequired[WorkspaceRecord]


class SandboxWarning(TypedDict):
    kind: Literal["root", "capabilities"]
    level: Literal["config", "profile", "group", "eval"]
    where: str
    file: str | None
    capabilities: NotRequired[list[str]]
    message: str


class PlanSize(TypedDict):
    evals: int
    cells: int
    attempts: int
    estimateMs: float
    sandboxWarnings: list[SandboxWarning]


class RunBudget(TypedDict):
    attempts: NotRequired[int]
    duration: NotRequired[str | float]


class RunConfig(TypedDict):
    sandbox: str
    environment: str | None
    runs: int
    judgeModel: str | None
    threshold: float
    timeoutMs: float
    concurrency: int
    configHash: str


class Cost(TypedDict):
    """Tokens as the harnesses count them. `inputTokens` includes cache reads and writes."""

    inputTokens: int | None
    outputTokens: int | None
    usage: TokenUsage | None
    source: Literal["reported", "unreported"]


class Redaction(TypedDict):
    version: Literal[1]


_SummaryCounts = TypedDict("_SummaryCounts", {"pass": int})


class RunSummary(_SummaryCounts):
    """Counts of attempts, except `evals`. `fail` includes the `notGated` ones."""

    evals: int
    attempts: int
    fail: int
    notGated: int
    infraError: int
    skipped: int


class RunHeader(TypedDict):
    """What a run's record holds before its first attempt."""

    kind: Literal["reeval-run"]
    schemaVersion: Literal[1]
    runId: str
    startedAt: str
    author: str
    git: GitInfo | None
    runner: RunnerInfo
    dependencies: Dependencies
    stack: Stack
    environments: list[EnvironmentRecord]
    profile: dict[str, Any] | None
    plan: PlanSize
    budget: RunBudget | None
    config: RunConfig
    artifacts: ArtifactLevel
    redaction: Redaction


class RunHead(RunHeader):
    """A run's record without its evals and families."""

    status: RunStatus
    endedAt: str
    durationMs: float
    cost: Cost
    summary: RunSummary
    errors: NotRequired[list[str]]


class RunRecord(RunHead):
    evals: list[EvalEntry]
    families: NotRequired[list[FamilyRecord]]
