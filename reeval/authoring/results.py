"""What a body's calls answer with: turns, command results, verdicts, background handles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

TurnStatus: TypeAlias = Literal["completed", "aborted", "error"]
FileStatus: TypeAlias = Literal["added", "modified", "deleted"]
VerdictKind: TypeAlias = Literal["pass", "fail", "error"]


@dataclass(frozen=True, slots=True)
class ExecResult:
    """A command that ended. A non-zero exit is a result, not an error."""

    command: str
    exit_code: int
    stdout: str
    stderr: str

    @property
    def ok(self) -> bool:
        """Whether it exited 0."""
        return self.exit_code == 0


@dataclass(frozen=True, slots=True)
class BackgroundHandle:
    """A command left running, as `c.kill` takes it."""

    id: str


@dataclass(frozen=True, slots=True)
class FileChange:
    path: str
    status: FileStatus


@dataclass(frozen=True, slots=True)
class Diff:
    """The workspace's changes since the attempt began, as of the end of a turn."""

    files: tuple[FileChange, ...]
    patch: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens. `input` excludes cache reads and writes; `reasoning` is part of `output`."""

    input: int
    output: int
    cache_read: int
    cache_write: int
    reasoning: int | None


@dataclass(frozen=True, slots=True)
class Turn:
    """One `c.send(…)`. It doesn't change after it is returned.

    `started_at` is an ISO time, `duration_ms` milliseconds. `transcript` is the turn's events as
    `transcript.jsonl` has them. `usage` and `model` are None when the agent doesn't report them;
    `unreported` names the web events it can't report.
    """

    index: int
    prompt: str
    text: str
    status: TurnStatus
    model: str | None
    diff: Diff | None
    started_at: str = ""
    duration_ms: float = 0
    transcript: tuple[Mapping[str, Any], ...] = ()
    usage: Usage | None = None
    unreported: tuple[str, ...] = ()
    _data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's answer. `score` (0–1) is its probability that the answer is yes.

    When the judge couldn't be asked, `verdict` is `error`, `score` 0 and `reason` says why.
    """

    verdict: VerdictKind
    score: float
    threshold: float
    question: str
    model: str
    reason: str | None
    _data: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def passed(self) -> bool:
        return self.verdict == "pass"


# ── from the wire ────────────────────────────────────────────────────────────────────────────


def read_exec(command: str, data: Mapping[str, Any]) -> ExecResult:
    return ExecResult(command, int(data["exitCode"]), data["stdout"], data["stderr"])


def read_verdict(data: Mapping[str, Any]) -> Verdict:
    reasons = (data.get(k) for k in ("reason", "explanation", "rationale", "error"))
    return Verdict(
        data.get("verdict", "fail"),
        float(data.get("score") or 0),
        float(data.get("threshold") or 0),
        str(data.get("question") or ""),
        str(data.get("model") or ""),
        next((r for r in reasons if isinstance(r, str) and r), None),
        data,
    )


def turn_fields(index: int, data: Mapping[str, Any]) -> dict[str, Any]:
    """A turn's wire data as the arguments of `Turn` or of a class that adds to it."""
    diff, usage = data.get("diff"), data.get("usage")
    return {
        "index": index,
        "prompt": str(data.get("prompt") or ""),
        "text": str(data.get("text") or ""),
        "status": data.get("status") or "error",
        "model": data.get("model"),
        "diff": None if diff is None else _read_diff(diff),
        "started_at": str(data.get("startedAt") or ""),
        "duration_ms": data.get("durationMs") or 0,
        "transcript": tuple(data.get("transcript") or ()),
        "usage": None if usage is None else _read_usage(usage),
        "unreported": tuple(data.get("unreported") or ()),
        "_data": data,
    }


def _read_diff(data: Mapping[str, Any]) -> Diff:
    files = tuple(FileChange(f["path"], f["status"]) for f in data.get("files") or ())
    return Diff(files, str(data.get("patch") or ""))


def _read_usage(data: Mapping[str, Any]) -> Usage:
    return Usage(
        data.get("input", 0),
        data.get("output", 0),
        data.get("cacheRead", 0),
        data.get("cacheWrite", 0),
        data.get("reasoning"),
    )
