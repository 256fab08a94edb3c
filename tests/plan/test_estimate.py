"""How long the last runs took, for what is planned now."""

from __future__ import annotations

from typing import Any

from reeval.plan.estimate import estimate_ms

PAST = {("a", "fake/-/fake"): 10.0, ("b", "fake/-/fake"): 100.0}


def test_known_attempts_add_up(made: Any) -> None:
    evals = (made.eval("a", made.cell(runs=3)), made.eval("b", made.cell(runs=1)))
    assert estimate_ms(evals, PAST) == 130.0


def test_a_new_cell_counts_as_the_average(made: Any) -> None:
    evals = (made.eval("a", made.cell(runs=3)), made.eval("new", made.cell(runs=2)))
    assert estimate_ms(evals, PAST) == 50.0


def test_nothing_known_is_nothing_said(made: Any) -> None:
    assert estimate_ms((made.eval("new", made.cell()),), PAST) == 0.0
    assert estimate_ms((), PAST) == 0.0


def test_what_never_runs_takes_no_time(made: Any) -> None:
    evals = (made.eval("a", made.cell(), skip="skip"), made.eval("b", made.cell()))
    assert estimate_ms(evals, PAST) == 100.0
