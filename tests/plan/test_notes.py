"""What is said before a run names the profile and counts what its limit took away."""

from __future__ import annotations

from typing import Any

import pytest

from reeval.config.model import Compare, EnvironmentSpec, EvalOptions
from reeval.plan.notes import profile_notes, warnings

PROFILE = {"name": "pr", "reason": "ci, event push", "defaults": {}, "limit": {}}
VARIANT = EnvironmentSpec("v")


def test_without_a_profile_there_is_nothing_to_say(made: Any) -> None:
    assert profile_notes(None, [made.eval("a")]) == ()


def test_a_profile_is_said_with_its_reason_and_what_it_took_away(made: Any) -> None:
    runs, both = ("runs 9 → 2",), ("runs 9 → 2", "compare dropped")
    evals = [
        made.eval("a", options=EvalOptions(limited=runs)),
        made.eval("b", options=EvalOptions(limited=both)),
        made.eval("c"),
        made.eval("d", skip="skip", options=EvalOptions(limited=both)),
    ]
    said = "profile pr (ci, event push)"
    assert profile_notes(PROFILE, evals) == (
        f"{said}: runs 9 → 2 in 2 evals, compare dropped in 1 eval",
    )
    assert profile_notes(PROFILE, evals[2:]) == (said,)


@pytest.mark.parametrize(
    ("compare", "gate", "told"),
    [
        (Compare(variants=()), "all", True),
        (Compare(variants=(), gate="all"), "all", False),
        (Compare(variants=(), gate="none"), "all", False),
        (Compare(variants=()), "none", False),
        (Compare(variants=(VARIANT,)), "all", False),
        (None, "all", False),
    ],
)
def test_a_control_that_is_left_alone_and_gates_nothing_is_told(
    made: Any, compare: Compare | None, gate: Any, told: bool
) -> None:
    planned = made.eval("a", options=EvalOptions(compare=compare, gate=gate))
    assert any("it gates nothing" in line for line in warnings([planned])) is told


def test_questions_that_are_not_asked_are_told(made: Any) -> None:
    asks = EvalOptions(questions=({"question": "Why?"},))
    evals = [made.eval("a", options=asks), made.eval("b"), made.eval("c", skip="x", options=asks)]
    assert list(warnings(evals)) == [
        "questions are not in this version yet: those of 1 eval aren't asked"
    ]
