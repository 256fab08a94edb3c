"""`toPass`."""

from __future__ import annotations

import pytest

from reeval.grading.base import Outcome
from reeval.protocol import messages as m


def verdict(status: str, score: float | None, **more: object) -> m.ValueSubject:
    fields = {"verdict": status, "score": score, "threshold": 0.8, "question": "Is it\n small?"}
    return m.ValueSubject({**fields, "model": "fake-judge", **more})


def test_a_verdict_passes_or_fails_with_its_score(checking):
    assert checking(verdict("pass", 0.9), "toPass").status == "pass"
    assert checking(verdict("fail", 0.4), "toPass") == Outcome(
        "fail", "expected the judge's verdict to pass, score 0.4 is below 0.8: Is it small?"
    )
    assert checking(verdict("pass", 1), "toPass", negated=True) == Outcome(
        "fail", "expected the judge's verdict not to pass, score 1 is at least 0.8: Is it small?"
    )


@pytest.mark.parametrize("negated", [False, True])
def test_a_judge_that_failed_is_no_answer_and_the_body_goes_on(checking, negated):
    subject = verdict("error", 0, error="429 from the provider")
    assert checking(subject, "toPass", negated=negated) == Outcome(
        "error", "the judge failed: 429 from the provider", None
    )


@pytest.mark.parametrize("subject", [m.ValueSubject({"verdict": "maybe"}), m.ValueSubject(1)])
def test_anything_else_is_no_answer(checking, subject):
    assert checking(subject, "toPass", negated=True) == Outcome(
        "error", "toPass reads a judge's verdict: expect(c.judge(…)).to_pass()", "UsageError"
    )
