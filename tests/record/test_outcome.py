"""Gates decide cells, cells decide evals, and the exit code says what a CI must know."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reeval.record.outcome import (
    Counts,
    cell_outcome,
    check_verdict,
    eval_outcome,
    exit_code,
    lift_between,
)

counts = st.builds(Counts, *[st.integers(0, 4)] * 4)


@pytest.mark.parametrize(
    ("tally", "gate", "expected"),
    [
        ((3, 0, 0, 0), "all", "pass"),
        ((3, 1, 0, 0), "all", "fail"),
        ((3, 0, 2, 1), "all", "pass"),
        ((0, 0, 1, 0), "all", "infra_error"),
        ((0, 0, 1, 5), "all", "infra_error"),
        ((0, 0, 0, 2), "all", "skipped"),
        ((0, 0, 0, 0), "all", "skipped"),
        ((4, 1, 0, 0), {"passRate": 0.8}, "pass"),
        ((7, 3, 0, 0), {"passRate": 0.7}, "pass"),
        ((6, 4, 0, 0), {"passRate": 0.7}, "fail"),
        ((0, 0, 1, 0), {"passRate": 0.7}, "infra_error"),
        ((3, 1, 0, 0), "none", "fail"),
        ((3, 0, 1, 0), "none", "infra_error"),
        ((3, 0, 0, 1), "none", "pass"),
        ((0, 0, 0, 1), "none", "skipped"),
    ],
)
def test_a_cells_outcome_is_by_its_gate(tally, gate, expected):
    assert cell_outcome(Counts(*tally), gate) == expected


@given(counts)
def test_every_attempt_passing_is_a_pass_rate_of_1(tally):
    assert cell_outcome(tally, "all") == cell_outcome(tally, {"passRate": 1.0})


@pytest.mark.parametrize(
    ("control", "expected"), [((0, 0, 2, 0), "infra_error"), ((0, 0, 0, 2), "skipped")]
)
def test_a_lift_that_cannot_be_known_is_never_a_pass(control, expected):
    variant, control = Counts(passed=3), Counts(*control)
    lift = lift_between("c", control, variant, 0.1)
    assert lift is None
    assert cell_outcome(variant, "all", lift, control) == expected


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (["pass", "fail", "infra_error"], "fail"),
        (["pass", "infra_error"], "infra_error"),
        (["pass", "skipped"], "pass"),
        (["skipped", "skipped"], "skipped"),
        ([], "skipped"),
    ],
)
def test_an_evals_outcome_is_its_worst_gated_cells(outcomes, expected):
    for order in itertools.permutations(outcomes):
        assert eval_outcome([("all", outcome, Counts(1)) for outcome in order]) == expected


def test_an_ungated_cells_failure_does_not_fail_the_eval():
    failed = Counts(failed=2)
    assert eval_outcome([("none", "fail", failed), ("all", "pass", Counts(1))]) == "pass"
    assert eval_outcome([("none", "fail", failed)]) == "pass"
    assert eval_outcome([("none", "infra_error", Counts(infra=1))]) == "infra_error"


@pytest.mark.parametrize(
    ("variant", "control", "verdict"),
    [
        ((2, 0), (0, 2), "discriminates"),
        ((0, 2), (2, 0), "discriminates"),
        ((2, 0), (1, 0), "both-pass"),
        ((0, 1), (0, 3), "both-fail"),
        ((1, 1), (2, 0), "mixed"),
        ((1, 1), (1, 1), "mixed"),
        ((0, 0), (1, 0), None),
        ((1, 0), (0, 0), None),
    ],
)
def test_what_a_check_says_of_a_variant(variant, control, verdict):
    def side(passed, failed):
        return {"pass": passed, "fail": failed, "error": 1, "notRun": 1}

    assert check_verdict(side(*variant), side(*control)) == verdict


@pytest.mark.parametrize(
    ("status", "facts", "code"),
    [
        ("complete", {}, 0),
        ("complete", {"gated_failure": True}, 1),
        ("complete", {"errors": True}, 1),
        ("complete", {"infra_errors": 1}, 3),
        ("complete", {"unstarted": 1}, 3),
        ("budget", {"unstarted": 1}, 3),
        ("budget", {}, 0),
        ("complete", {"gated_failure": True, "infra_errors": 1, "unstarted": 1}, 1),
        ("interrupted", {"gated_failure": True}, 130),
    ],
)
def test_the_exit_code(status, facts, code):
    given = {"gated_failure": False, "errors": False, "infra_errors": 0, "unstarted": 0}
    assert exit_code(status, **(given | facts)) == code
