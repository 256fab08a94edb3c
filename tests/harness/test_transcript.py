"""An attempt's activity counts, and tool calls merged with their results."""

from __future__ import annotations

from reeval.harness.events import (
    STALLED_MS,
    FileEdit,
    Problem,
    Prompt,
    Text,
    Tool,
    TurnEnd,
    WebFetch,
    WebSearch,
)
from reeval.harness.transcript import activity, begun, is_stalled, settled


def test_an_attempt_without_turns_did_nothing():
    assert activity([]) == {
        "tools": 0,
        "fileEdits": 0,
        "webSearches": 0,
        "webFetches": 0,
        "reasoningMs": 0,
        "stalledTools": 0,
        "maxToolMs": None,
    }


def test_events_are_counted_over_all_turns():
    first = [
        Prompt(text="x"),
        Text(text="r", type="reasoning", duration_ms=40.0),
        Text(text="r", type="reasoning"),
        Text(text="t", duration_ms=999.0),
        Tool(tool="shell", input={}, duration_ms=10.0),
        Tool(tool="shell", input={}, ok=False),
        WebSearch(query="q", ok=False),
        WebFetch(url="u"),
        Problem(message="m"),
        TurnEnd(status="completed"),
    ]
    second = [
        Tool(tool="shell", input={}, duration_ms=130_000.0, stalled=True),
        FileEdit(path="a", kind="create", duration_ms=125_000.0, stalled=True),
    ]
    assert activity([(first, ()), (second, ())]) == {
        "tools": 3,
        "fileEdits": 1,
        "webSearches": 1,
        "webFetches": 1,
        "reasoningMs": 40,
        "stalledTools": 2,
        "maxToolMs": 130_000,
    }


def test_what_one_turn_could_not_report_is_unknown_not_zero():
    turns = [([WebSearch(query="q"), WebFetch(url="u")], ()), ([], ("web-search",))]
    counts = activity(turns)
    assert (counts["webSearches"], counts["webFetches"]) == (None, 1)


def test_a_call_without_a_result_is_not_ok_and_has_no_duration():
    call = begun("shell", {"command": "ls"}, call_id="c1", at_ms=5.0)
    assert (call.ok, call.duration_ms, call.output, call.stalled) == (False, None, None, False)


def test_a_result_is_merged_into_its_call():
    call = begun("shell", {"command": "ls"}, call_id="c1", at_ms=5.0)
    done = settled(call, "out", ok=True, end_ms=12.5)
    assert (done.tool, done.tool_call_id, done.at_ms, done.ts) == ("shell", "c1", 5.0, call.ts)
    assert (done.output, done.ok, done.duration_ms, done.stalled) == ("out", True, 7.5, False)


def test_a_call_of_two_minutes_is_stalled():
    call = begun("shell", {}, call_id="c1", at_ms=0.0)
    assert settled(call, "", ok=True, end_ms=float(STALLED_MS)).stalled
    assert not settled(call, "", ok=True, end_ms=STALLED_MS - 1.0).stalled
    assert not is_stalled(None)
