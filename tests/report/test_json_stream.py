"""`--json`: an object a line, the last one the summary, each line safe on a CI."""

import io
import json
from dataclasses import fields
from typing import Any, get_args

import pytest

from reeval.engine import events as e
from reeval.report.json_stream import OUTPUT_LIMIT, to_json
from reeval.report.reporter import ReportOptions, make_reporter


@pytest.fixture
def run(planned: Any, plan: Any, attempt: Any) -> list[e.RunEvent]:
    one = planned("greets")
    return [
        e.RunStarted("r", plan(one, estimate_ms=5.0, warnings=("w",)), 4, 1.0),
        e.AttemptStarted("k", one, one.cells[0], 1, 1, 2.0),
        e.SandboxReady("k", 1.0, 2.0),
        e.CheckEnded("k", "ls", 0, 1.0, 2.0, 1, 0, "a\n"),
        e.Output(None, "stderr", "::error::\x1b[2J\ud800 ##[x]"),
        e.AttemptEnded("k", one, one.cells[0], attempt()),
        e.RunEnded("r", "complete", 0, {"pass": 1}, "/r.json", 9.0),
    ]


def test_every_event_is_one_object_a_line_and_the_last_is_the_summary(run: Any) -> None:
    stream = io.StringIO()
    reporter = make_reporter(ReportOptions(json=True), stream, {})
    for event in run:
        reporter.on_event(event)
    reporter.close()
    text = stream.getvalue()
    assert text.replace("\n", "").isprintable()
    assert "##[" not in text
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["type"] for line in lines] == [
        "run-started", "attempt-started", "sandbox-ready", "check-ended", "output",
        "attempt-ended", "summary",
    ]  # fmt: skip
    cell = {
        "key": "cursor/-/docker", "harness": "cursor", "environment": "-", "sandbox": "docker",
        "role": "control",
    }  # fmt: skip
    assert lines[0] == {
        "type": "run-started", "runId": "r", "at": 1.0, "concurrency": 4,
        "plan": {"evals": 1, "cells": 1, "attempts": 1, "estimateMs": 5.0}, "warnings": ["w"],
    }  # fmt: skip
    assert lines[1] == {
        "type": "attempt-started", "attempt": "k", "eval": "evals/hello.eval.py › greets",
        "cell": cell, "n": 1, "seq": 1, "at": 2.0,
    }  # fmt: skip
    assert lines[3]["exitCode"] == 0
    assert lines[4]["text"] == "::error::\x1b[2J\ud800 ##[x]"
    assert lines[5]["record"]["outcome"] == "pass"
    assert lines[6] == {
        "type": "summary", "runId": "r", "status": "complete", "exitCode": 0,
        "summary": {"pass": 1}, "record": "/r.json", "tookMs": 9.0,
    }  # fmt: skip


def test_no_kind_of_event_lacks_a_shape() -> None:
    plain = {e.Phase, e.SandboxReady, e.TurnStarted, e.TurnActivity, e.TurnEnded, e.Asserted,
             e.Judged, e.Output, e.RunError, e.Notice, e.Stopping}  # fmt: skip
    for kind in plain:
        event = kind(*range(len(fields(kind))))
        assert len(to_json(event)) == 1 + len(fields(kind))
    special = {e.RunStarted, e.AttemptStarted, e.CheckEnded, e.AttemptEnded, e.RunEnded}
    assert plain | special == set(get_args(e.RunEvent))


def test_a_commands_endless_output_is_cut_and_says_so() -> None:
    event = e.CheckEnded("k", "yes", 0, 1.0, 2.0, 1, 0, "y\n" * OUTPUT_LIMIT)
    output = to_json(event)["output"]
    assert len(output) < OUTPUT_LIMIT + 100
    assert "characters left out" in output
