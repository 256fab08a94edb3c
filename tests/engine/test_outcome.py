"""The outcome is decided by the first rule that holds."""

from collections.abc import Callable

import pytest

from reeval.engine.facts import Facts
from reeval.engine.outcome import body_message, decide
from reeval.protocol.messages import WireError


def assertion(status: str, matcher: str = "toBe", message: str = "no") -> dict[str, object]:
    return {"label": "it", "labelled": True, "matcher": matcher, "status": status, "soft": False,
            "message": message}  # fmt: skip


def infra(f: Facts) -> None:
    f.fail_infra("the setup step failed")


def timed_out(f: Facts) -> None:
    f.timed_out = True


def cancelled(f: Facts) -> None:
    f.cancelled = True


def judge_call(f: Facts) -> None:
    f.judge_failure = "the provider said 500"


def verdict(f: Facts) -> None:
    f.assertions.append(assertion("fail", "toPass"))


def failed(f: Facts) -> None:
    f.assertions.append(assertion("fail"))


def died(f: Facts) -> None:
    f.process_ended = "exit 3"


def raised(f: Facts) -> None:
    f.body_error = WireError("KeyError", "'x'")


def unanswered(f: Facts) -> None:
    f.assertions.append(assertion("error", "toHaveSearched", "the agent doesn't report searches"))
    f.body_error = WireError("HarnessCapabilityError", "the agent doesn't report searches")


RULES: list[tuple[Callable[[Facts], None], str, str | None]] = [
    (infra, "infra_error", "infra"),
    (timed_out, "fail", "timeout"),
    (cancelled, "infra_error", "aborted"),
    (judge_call, "fail", "judge"),
    (verdict, "fail", "judge"),
    (died, "fail", "assertion"),
    (failed, "fail", "assertion"),
    (raised, "fail", "assertion"),
    (unanswered, "infra_error", "infra"),
]


@pytest.mark.parametrize("place", range(len(RULES)))
def test_a_rule_wins_over_every_later_one(place: int) -> None:
    facts = Facts()
    # Later rules first, so that the order they happened in can't be what decides; but once an
    # attempt is being stopped, what fails is a consequence.
    later_first = RULES[place:][::-1]
    for happen, _, _ in sorted(later_first, key=lambda rule: rule[0] is not infra):
        happen(facts)
    _, outcome, kind = RULES[place]
    decided = decide(facts, 60, "evals/a.eval.py")
    assert (decided.outcome, decided.error and decided.error["kind"]) == (outcome, kind)


def test_what_fails_while_an_attempt_is_stopped_is_not_why() -> None:
    facts = Facts(timed_out=True)
    facts.fail_infra("the agent's process ended: SIGKILL")
    assert decide(facts, 60, "evals/a.eval.py") == (
        "fail",
        {"kind": "timeout", "message": "timed out after 60s, in the eval's own code"},
    )


def test_nothing_wrong_is_a_pass() -> None:
    facts = Facts(assertions=[assertion("pass")])
    assert decide(facts, 60, "evals/a.eval.py") == ("pass", None)


def test_the_first_infra_error_is_the_one_told() -> None:
    facts = Facts()
    facts.fail_infra("the disk is full", "enospc")
    facts.fail_infra("the sandbox is gone")
    assert decide(facts, 60, "evals/a.eval.py").error == {
        "kind": "infra",
        "message": "the disk is full",
        "resource": {"cause": "enospc"},
    }


def test_a_body_error_names_its_place_in_the_eval_file() -> None:
    stack = 'File "/p/evals/a.eval.py", line 12, in body\n  File "/lib/x.py", line 9, in f\n'
    assert body_message(WireError("KeyError", "'x'", stack), "evals/a.eval.py") == (
        "KeyError: 'x' (evals/a.eval.py:12)"
    )


def test_another_error_beside_an_unanswered_matcher_is_a_failure() -> None:
    facts = Facts(assertions=[assertion("error")], body_error=WireError("KeyError", "'x'"))
    assert decide(facts, 60, "evals/a.eval.py").outcome == "fail"


def test_an_exception_is_told_before_a_soft_check_that_failed_earlier() -> None:
    soft = {**assertion("fail"), "soft": True}
    facts = Facts(assertions=[soft], body_error=WireError("KeyError", "'x'"))
    error = decide(facts, 60, "evals/a.eval.py").error
    assert error == {"kind": "assertion", "message": "KeyError: 'x'"}


def test_the_check_that_ended_the_body_is_the_one_told_with_its_place() -> None:
    soft = {**assertion("fail"), "soft": True}
    hard = {**assertion("fail", message="no: assert 1 == 2"), "label": "assert 1 == 2"}
    raised = WireError(
        "AssertionError", "no: assert 1 == 2", 'File "/p/evals/a.eval.py", line 3, in b'
    )
    error = decide(Facts(assertions=[soft, hard], body_error=raised), 60, "evals/a.eval.py").error
    assert error == {
        "kind": "assertion",
        "message": "assert 1 == 2: no: assert 1 == 2 (evals/a.eval.py:3)",
    }
