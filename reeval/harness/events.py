"""Transcript events: what an agent did, in one shape for every agent.

Times: `at_ms` is milliseconds since the attempt's start, `duration_ms` is None when the end was
never reported. A tool call is one event, merged with its result.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

STALLED_MS = 120_000
"""A shell-like call or an edit at least this long is marked `stalled`."""


def now() -> str:
    """This moment as ISO 8601 in UTC with milliseconds."""
    return iso(time.time())


def iso(at: float) -> str:
    """A moment, in seconds since the epoch, as ISO 8601 in UTC with milliseconds."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    at_ms: float = 0.0
    ts: str = field(default_factory=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt(_Event):
    text: str
    type: Literal["prompt"] = "prompt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(_Event):
    """A message, or `reasoning`."""

    text: str
    type: Literal["text", "reasoning"] = "text"
    duration_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(_Event):
    tool: str
    input: Any
    output: Any = None
    ok: bool = True
    tool_call_id: str = ""
    duration_ms: float | None = None
    stalled: bool = False
    type: Literal["tool"] = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEdit(_Event):
    """`added` and `removed` are lines, None when the agent didn't send the content."""

    path: str
    kind: Literal["create", "modify", "delete"]
    added: int | None = None
    removed: int | None = None
    tool_call_id: str = ""
    duration_ms: float | None = None
    stalled: bool = False
    type: Literal["file-edit"] = "file-edit"


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSearch(_Event):
    query: str
    references: int | None = None
    ok: bool | None = None
    tool_call_id: str = ""
    duration_ms: float | None = None
    stalled: bool = False
    type: Literal["web-search"] = "web-search"


@dataclass(frozen=True, slots=True, kw_only=True)
class WebFetch(_Event):
    url: str
    ok: bool = True
    tool_call_id: str = ""
    duration_ms: float | None = None
    stalled: bool = False
    type: Literal["web-fetch"] = "web-fetch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem(_Event):
    """An `error` or a `retry` the agent reported."""

    message: str
    type: Literal["error", "retry"] = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw(_Event):
    """An event of the CLI that has no reading yet, kept as it came."""

    event: Any
    type: Literal["raw"] = "raw"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnd(_Event):
    status: Literal["completed", "aborted", "error"]
    type: Literal["turn-end"] = "turn-end"


Event: TypeAlias = Prompt | Text | Tool | FileEdit | WebSearch | WebFetch | Problem | Raw | TurnEnd

_OPTIONAL = {"stalled": False, "ok": None}
_WIRE = {"at_ms": "atMs", "duration_ms": "durationMs", "tool_call_id": "toolCallId"}


def event_to_json(event: Event) -> dict[str, Any]:
    """The event as a `transcript.jsonl` object, `type` first."""
    out: dict[str, Any] = {"type": event.type}
    for name in event.__dataclass_fields__:
        if name == "type":
            continue
        value = getattr(event, name)
        if name in _OPTIONAL and value is _OPTIONAL[name]:
            continue
        out[_WIRE.get(name, name)] = value
    return out
