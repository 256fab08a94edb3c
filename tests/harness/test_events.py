"""Events as `transcript.jsonl` has them."""

from __future__ import annotations

import pytest

from reeval.harness.events import (
    FileEdit,
    Problem,
    Prompt,
    Raw,
    Text,
    Tool,
    TurnEnd,
    WebFetch,
    WebSearch,
    event_to_json,
)

WHEN = {"at_ms": 1.5, "ts": "T"}
AT = {"atMs": 1.5, "ts": "T"}

SHAPES = [
    (Prompt(text="p", **WHEN), {"type": "prompt", "text": "p"}),
    (Text(text="t", **WHEN), {"type": "text", "text": "t", "durationMs": None}),
    (
        Text(text="t", type="reasoning", duration_ms=0.0, **WHEN),
        {"type": "reasoning", "text": "t", "durationMs": 0.0},
    ),
    (
        Tool(tool="x", input={"a": 1}, tool_call_id="c", **WHEN),
        {
            "type": "tool",
            "tool": "x",
            "input": {"a": 1},
            "output": None,
            "ok": True,
            "toolCallId": "c",
            "durationMs": None,
        },
    ),
    (
        FileEdit(path="a", kind="modify", added=1, stalled=True, **WHEN),
        {
            "type": "file-edit",
            "path": "a",
            "kind": "modify",
            "added": 1,
            "removed": None,
            "toolCallId": "",
            "durationMs": None,
            "stalled": True,
        },
    ),
    (
        WebSearch(query="q", **WHEN),
        {
            "type": "web-search",
            "query": "q",
            "references": None,
            "toolCallId": "",
            "durationMs": None,
        },
    ),
    (
        WebSearch(query="q", ok=False, **WHEN),
        {
            "type": "web-search",
            "query": "q",
            "references": None,
            "ok": False,
            "toolCallId": "",
            "durationMs": None,
        },
    ),
    (
        WebFetch(url="u", ok=False, **WHEN),
        {"type": "web-fetch", "url": "u", "ok": False, "toolCallId": "", "durationMs": None},
    ),
    (Problem(message="m", type="retry", **WHEN), {"type": "retry", "message": "m"}),
    (Raw(event={"odd": 1}, **WHEN), {"type": "raw", "event": {"odd": 1}}),
    (TurnEnd(status="aborted", **WHEN), {"type": "turn-end", "status": "aborted"}),
]


@pytest.mark.parametrize(("event", "fields"), SHAPES)
def test_an_event_has_its_fields_and_when_it_was(event, fields):
    written = event_to_json(event)
    assert written == {**fields, **AT}
    assert next(iter(written)) == "type"
