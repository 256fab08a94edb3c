"""`toPass`: a judge's verdict."""

from __future__ import annotations

from reeval.grading.answer import Answer, CannotAnswer, answer, arguments, unreadable
from reeval.grading.base import Subjects
from reeval.grading.patterns import Patterns
from reeval.grading.shown import one_line, printable
from reeval.protocol import messages as m
from reeval.protocol.cuts import cut


async def to_pass(call: m.Expect, subjects: Subjects, patterns: Patterns) -> Answer:
    """A judge call that failed is no answer; the body goes on, as the checks after it may pass."""
    arguments(call, 0, 0, "no argument")
    match call.subject:
        case m.ValueSubject(value={"verdict": "error"} as verdict):
            raise CannotAnswer(f"the judge failed: {verdict.get('error', 'no reason given')}", None)
        case m.ValueSubject(value={"verdict": "pass" | "fail" as status} as verdict):
            score, threshold = verdict.get("score"), verdict.get("threshold")
            relation = "at least" if status == "pass" else "below"
            question = cut(one_line(printable(str(verdict.get("question", "")))), 200)
            detail = f", score {score} is {relation} {threshold}: {question}"
            return answer(status == "pass", lambda: "the judge's verdict", "pass", detail)
    raise unreadable(call, "reads a judge's verdict: expect(c.judge(…)).to_pass()")
