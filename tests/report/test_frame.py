"""The live table fits any terminal and never claims what it doesn't know."""

from collections.abc import Callable
from typing import Any

import pytest

from reeval.engine import events as e
from reeval.report.frame import frame
from reeval.report.progress import Progress
from reeval.report.text import width_of

NAMES = [
    "adds a default name",
    "日本語の名前です",
    "creates",
    "writes-it-all-with-a-very-long-name-that-goes-on",
]


@pytest.fixture
def run(planned: Any, plan: Any, cell: Any, attempt: Any) -> Callable[..., Progress]:
    def make(flying: int = 3, ended: int = 2) -> Progress:
        evals = [planned(name, cell(runs=30)) for name in NAMES]
        progress = Progress()
        progress.on_event(e.RunStarted("r", plan(*evals), 4, 1000.0))
        for n in range(flying + ended):
            one = evals[n % len(evals)]
            progress.on_event(e.AttemptStarted(f"k{n}", one, one.cells[0], n, n, 1000.0 + n))
            if n >= flying:
                outcome = "fail" if n % 2 else "pass"
                progress.on_event(e.AttemptEnded(f"k{n}", one, one.cells[0], attempt(outcome, n)))
        return progress

    return make


def test_a_line_an_attempt_with_phase_time_turn_and_calls(run: Any) -> None:
    progress = run()
    for event in (
        e.TurnStarted("k0", 0, "p", 0.0),
        e.TurnActivity("k0", 0, 3, 1),
        e.Phase("k1", "image", "cache hit", 1.0),
    ):
        progress.on_event(event)
    assert frame(progress, 1074.0, 80, 24) == [
        "2/120 attempts · 1 pass · 1 fail · 1:14 · ? left",
        "  adds#0 cursor              turn 1      1:14  3 tool calls, 1 file edit",
        "  日本語の名前です#1 cursor  image       1:13",
        "  creates#2 cursor           starting    1:12",
    ]


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("height", [1, 3, 5, 24])
@pytest.mark.parametrize("flying", [0, 1, 3, 100])
def test_it_never_outgrows_the_terminal(run: Any, width: int, height: int, flying: int) -> None:
    lines = frame(run(flying), 1074.0, width, height)
    assert 1 <= len(lines) <= max(1, height - 2)
    assert max(map(width_of, lines)) <= width


def test_what_doesnt_fit_is_counted(run: Any) -> None:
    lines = frame(run(100), 1100.0, 80, 8)
    assert len(lines) == 6
    assert lines[-1] == "  … and 96 more running"


def test_a_narrow_headline_keeps_the_counts(run: Any) -> None:
    assert frame(run(0), 1074.0, 41, 24) == ["2/120 · 1 pass · 1 fail · 1:14 · ? left"]


@pytest.mark.parametrize(
    ("now", "left"),
    [(1000.5, "about 5s left"), (1010.0, "about 55s left"), (1100.0, "about 9m 10s left"),
     (1300.0, "about 28m left")],
)  # fmt: skip
def test_the_time_left_is_only_as_exact_as_a_guess(run: Any, now: float, left: str) -> None:
    progress = run(0, ended=20)
    progress.total = 130
    assert frame(progress, now, 80, 24)[0].endswith(left)


def test_a_stopping_run_says_so_instead_of_a_time(run: Any) -> None:
    progress = run(0, ended=20)
    progress.on_event(e.Stopping("budget"))
    assert frame(progress, 1010.0, 80, 24)[0].endswith(" · budget used up")
