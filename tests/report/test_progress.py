"""Counts and the time left: known or unknown, never invented."""

from collections.abc import Callable
from typing import Any

import pytest

from reeval.engine import events as e
from reeval.report.progress import Progress


@pytest.fixture
def run(planned: Any, plan: Any, cell: Any, attempt: Any) -> Callable[..., Progress]:
    def make(ended: int, *, runs: int = 40, estimate: float = 0.0, at_once: int = 4) -> Progress:
        one = planned("greets", cell(runs=runs))
        progress = Progress()
        progress.on_event(e.RunStarted("r", plan(one, estimate_ms=estimate), at_once, 1000.0))
        for n in range(ended):
            progress.on_event(e.AttemptStarted(f"k{n}", one, one.cells[0], n, n, 1000.0))
            progress.on_event(e.AttemptEnded(f"k{n}", one, one.cells[0], attempt("pass", n)))
        return progress

    return make


@pytest.mark.parametrize(
    ("ended", "estimate", "elapsed_s", "left_ms"),
    [
        (0, 0.0, 5, None),  # nothing to go by
        (3, 0.0, 5, None),  # less than one round of the slots
        (0, 400_000.0, 20, 80_000),  # 400 s of work, four at once
        (0, 400_000.0, 150, None),  # the last runs' time is over, and says nothing now
        (10, 400_000.0, 20, 60_000),  # this run's own pace counts more
        (40, 0.0, 20, None),  # done
    ],
)
def test_the_time_left_is_a_pace_an_estimate_or_unknown(
    run: Any, ended: int, estimate: float, elapsed_s: float, left_ms: float | None
) -> None:
    assert run(ended, estimate=estimate).left_ms(1000.0 + elapsed_s) == left_ms


def test_no_time_is_promised_once_the_run_is_stopping(run: Any) -> None:
    progress = run(10)
    progress.on_event(e.Stopping("interrupt"))
    assert progress.left_ms(1020.0) is None


def test_what_ended_leaves_nothing_behind(run: Any) -> None:
    progress = run(500, runs=500)
    assert (progress.ended, progress.flying) == (500, {})


def test_tool_calls_add_up_over_turns(planned: Any, plan: Any) -> None:
    one = planned("greets")
    progress = Progress()
    for event in (
        e.RunStarted("r", plan(one), 1, 1000.0),
        e.AttemptStarted("k", one, one.cells[0], 1, 1, 1000.0),
        e.TurnStarted("k", 0, "p", 0.0),
        e.TurnActivity("k", 0, 1, 0),
        e.TurnEnded("k", 0, "completed", 0.0, 1.0, 3, 1),
        e.TurnStarted("k", 1, "p", 2.0),
        e.TurnActivity("k", 1, 2, 1),
    ):
        progress.on_event(event)
    flight = progress.flying["k"]
    assert (flight.phase, flight.turn, flight.tools, flight.edits) == ("turn", 2, 5, 2)
