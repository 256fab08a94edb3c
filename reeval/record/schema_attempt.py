"""An attempt in the record's JSON: its turns, checks, judgements and files."""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

ArtifactLevel: TypeAlias = Literal["all", "failures", "none"]
RecordMode: TypeAlias = Literal["manual", "ci", "always"]
Outcome: TypeAlias = Literal["pass", "fail", "infra_error", "skipped"]
ErrorKind: TypeAlias = Literal["assertion", "timeout", "aborted", "infra", "judge"]
RunStatus: TypeAlias = Literal["complete", "interrupted", "budget"]
TurnStatus: TypeAlias = Literal["completed", "aborted", "error"]
WebEventType: TypeAlias = Literal["web-search", "web-fetch"]
CellRole: TypeAlias = Literal["control", "variant"]
CheckVerdict: TypeAlias = Literal["discriminates", "both-pass", "both-fail", "mixed"]
CompareCut: TypeAlias = Literal["within", "across"]
SkillPlacement: TypeAlias = Literal["harness", "workspace"]
FamilyVerdict: TypeAlias = Literal["lift", "drop", "noise", "insufficient"]


# ── files ────────────────────────────────────────────────────────────────────────────────────


class FileRef(TypedDict):
    """A kept file: `path` from the run's folder, `sha256` of the bytes on disk."""

    path: str
    sha256: str
    bytes: int


class HashedFile(TypedDict):
    path: str
    sha256: str


ContextFile: TypeAlias = HashedFile


class Viewport(TypedDict):
    width: float
    height: float


class VisionUse(TypedDict):
    model: str
    moves: int


class Capture(TypedDict):
    port: int
    path: str
    viewport: NotRequired[Viewport]
    fullPage: NotRequired[bool]
    instructions: NotRequired[list[str]]
    use: NotRequired[VisionUse]


class ArtifactRef(FileRef):
    name: str
    mediaType: Literal["image/png"]
    capture: NotRequired[Capture]


class JudgeArtifactRef(FileRef):
    name: str
    mediaType: Literal["image/png"]


# ── an attempt ───────────────────────────────────────────────────────────────────────────────


class TokenUsage(TypedDict):
    """`input` excludes both caches; `reasoning` is part of `output`."""

    input: int
    output: int
    cacheRead: int
    cacheWrite: int
    reasoning: int | None


# Fields whose names are Python keywords (`class`, `pass`, `from`) need this spelling.
_FailureClass = TypedDict("_FailureClass", {"class": Literal["config", "transient", "resource"]})


class PrepareFailureRecord(_FailureClass):
    stage: Literal["image", "from", "dockerfile", "harness", "install", "plugin", "workspace"]
    ref: str
    cause: Literal["enospc", "oom"] | None
    log: str | None
    setBy: list[str]


class ResourceFailureRecord(TypedDict):
    cause: Literal["oom", "enospc"]
    kills: NotRequired[int]


class AttemptError(TypedDict):
    kind: ErrorKind
    message: str
    prepare: NotRequired[PrepareFailureRecord]
    resource: NotRequired[ResourceFailureRecord]


class AttemptEnv(TypedDict):
    """Names only, never values."""

    vars: list[str]
    secrets: list[str]
    brokered: list[str]


class EgressAllow(TypedDict):
    allow: list[str]


EgressPolicy: TypeAlias = Literal["proxy", "allow-all", "deny-all"] | EgressAllow


class Contact(TypedDict):
    host: str
    port: int
    connections: int
    sent: int
    received: int


class Refusal(TypedDict):
    host: str
    port: int
    connections: int
    reason: str


class EgressRecord(TypedDict):
    policy: EgressPolicy
    allowed: list[str] | None
    recorded: bool
    partial: NotRequired[Literal[True]]
    contacted: list[Contact]
    blocked: list[Refusal]
    expectedBlocked: list[Refusal]


class UpstreamCount(TypedDict):
    provider: str
    calls: int


class McpStartup(TypedDict):
    server: str
    ms: float | None


class TurnRecord(TypedDict):
    """`text` is the agent's final message, cut at 8 KB; `error` its first error, cut at 1 KB."""

    prompt: str
    status: TurnStatus
    startedAt: str
    durationMs: float
    text: str
    usage: TokenUsage | None
    model: str | None
    unreported: list[WebEventType]
    error: str | None
    mcpStartup: NotRequired[list[McpStartup]]


class CaptureUse(VisionUse):
    usage: TokenUsage | None


class PhaseTimings(TypedDict):
    setupMs: float
    agentMs: float
    diffMs: float
    checksMs: float
    judgeMs: float


class Activity(TypedDict):
    tools: int
    fileEdits: int
    webSearches: int | None
    webFetches: int | None
    reasoningMs: float
    stalledTools: int
    maxToolMs: float | None


class JudgeRetry(TypedDict):
    error: str
    delayMs: float


class JudgmentRecord(TypedDict):
    question: str
    verdict: Literal["pass", "fail"]
    score: float
    threshold: float
    model: str
    resolvedModel: NotRequired[str]
    gateway: NotRequired[str]
    upstream: NotRequired[str]
    costUsd: NotRequired[float]
    key: str
    retries: NotRequired[list[JudgeRetry]]
    artifacts: NotRequired[list[JudgeArtifactRef]]


class StartRetry(TypedDict):
    error: str
    waitedMs: float


class SetupProcess(TypedDict):
    command: str
    secrets: list[str]


class ExecTry(TypedDict):
    exitCode: int
    durationMs: float


class CheckRecord(TypedDict):
    """A foreground command: its last try's exit code, and the time of all its tries."""

    command: str
    exitCode: int
    durationMs: float
    log: NotRequired[FileRef]
    retries: NotRequired[int]
    tries: NotRequired[list[ExecTry]]


class AssertionRecord(TypedDict):
    """A settled check. `label` at most 70 characters, `message` at most 1,100."""

    label: str
    labelled: bool
    matcher: str
    status: Literal["pass", "fail", "error"]
    soft: bool
    message: NotRequired[str]
    durationMs: NotRequired[float]


class ChangedFileRecord(TypedDict):
    """`count` is set on a dependency folder, which stands for all its files."""

    path: str
    status: Literal["added", "modified", "deleted"]
    count: NotRequired[int]


class AttemptFiles(TypedDict):
    setupLog: NotRequired[FileRef]
    transcript: NotRequired[FileRef]
    rawTranscript: NotRequired[FileRef]
    diff: NotRequired[FileRef]
    judgeInput: NotRequired[FileRef]
    artifacts: NotRequired[list[ArtifactRef]]


class AttemptAnswer(TypedDict):
    question: str
    model: str
    resolvedModel: NotRequired[str]
    answer: str | None
    reason: NotRequired[str]
    error: NotRequired[str]
    input: NotRequired[FileRef]


class AttemptRecord(TypedDict):
    """One attempt. `key` is `<eval key> # <cell key>#<n>`; `seq` None when it never started."""

    key: str
    id: str
    cell: str
    n: int
    seq: int | None
    startedAt: str | None
    imageId: str | None
    env: AttemptEnv
    context: list[ContextFile]
    egress: EgressRecord | None
    servedModels: list[str] | None
    askedModels: NotRequired[list[str]]
    upstreams: NotRequired[list[UpstreamCount]]
    reportedCostUsd: NotRequired[float]
    effort: str | None
    servedEffort: str | None
    outcome: Outcome
    error: AttemptError | None
    durationMs: float
    turns: list[TurnRecord]
    usage: TokenUsage | None
    captureUse: NotRequired[CaptureUse]
    timings: PhaseTimings
    activity: Activity
    judgements: list[JudgmentRecord]
    startRetries: NotRequired[list[StartRetry]]
    setupProcesses: NotRequired[list[SetupProcess]]
    checks: list[CheckRecord]
    assertions: NotRequired[list[AssertionRecord]]
    changedFiles: list[ChangedFileRecord]
    files: AttemptFiles
    answers: NotRequired[list[AttemptAnswer]]
