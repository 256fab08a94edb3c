"""What a transcript's events add up to, and how a tool call is merged with its result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from reeval.harness.events import STALLED_MS, Event, FileEdit, Text, Tool, WebFetch, WebSearch

Turn = tuple[Iterable[Event], Iterable[str]]
"""A turn's events, and the web event types its harness couldn't report."""


def begun(tool: str, input: Any, *, call_id: str, at_ms: float) -> Tool:
    """A tool call without its result: not ok, and how long it took is unknown."""
    return Tool(tool=tool, input=input, ok=False, tool_call_id=call_id, at_ms=at_ms)


def settled(call: Tool, output: Any, *, ok: bool, end_ms: float) -> Tool:
    """The call merged with its result. `end_ms` is since the attempt's start, as `at_ms` is."""
    took = max(0.0, end_ms - call.at_ms)
    return replace(call, output=output, ok=ok, duration_ms=took, stalled=is_stalled(took))


def is_stalled(duration_ms: float | None) -> bool:
    """Whether a call took so long that it is marked; one that never ended isn't known to have."""
    return duration_ms is not None and duration_ms >= STALLED_MS


def activity(turns: Iterable[Turn]) -> dict[str, int | float | None]:
    """The record's `activity` of one attempt.

    `webSearches` and `webFetches` are None when a turn couldn't report them; a refused search
    counts. `maxToolMs` is the longest tool call, None when none has a known duration.
    """
    tools = edits = searches = fetches = stalled = 0
    reasoning_ms = 0.0
    longest: float | None = None
    hidden: set[str] = set()
    for events, unreported in turns:
        hidden.update(unreported)
        for event in events:
            match event:
                case Tool():
                    tools += 1
                    if event.duration_ms is not None:
                        longest = max(longest or 0.0, event.duration_ms)
                case FileEdit():
                    edits += 1
                case WebSearch():
                    searches += 1
                case WebFetch():
                    fetches += 1
                case Text(type="reasoning"):
                    reasoning_ms += event.duration_ms or 0.0
                case _:
                    continue
            stalled += getattr(event, "stalled", False)
    return {
        "tools": tools,
        "fileEdits": edits,
        "webSearches": None if "web-search" in hidden else searches,
        "webFetches": None if "web-fetch" in hidden else fetches,
        "reasoningMs": round(reasoning_ms),
        "stalledTools": stalled,
        "maxToolMs": None if longest is None else round(longest),
    }
