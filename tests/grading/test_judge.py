"""`c.judge`: the fake judge's verdicts, merged options, and what can't be graded."""

from __future__ import annotations

import asyncio
import hashlib

import pytest

from reeval.config.errors import UsageError
from reeval.config.model import FakeJudge, JudgeSpec
from reeval.grading.judge import Judging, judge, judge_spec
from reeval.protocol.messages import Judge

SPEC = JudgeSpec(FakeJudge(0.75), threshold=0.7, state={"diff": False, "task": True})
KEY = hashlib.sha256(b"Is it small?").hexdigest()[:12]


def ask(turns, spec: JudgeSpec = SPEC, index: int = 0, **options) -> Judging:
    return asyncio.run(judge(Judge("Is it small?", options), spec, turns, index))


def test_the_fake_judge_gives_its_score(turn):
    judging = ask([turn()], index=3)
    assert judging.to_wire() == {
        "verdict": "pass",
        "score": 0.75,
        "threshold": 0.7,
        "question": "Is it small?",
        "model": "fake-judge",
    }
    assert judging.to_record() == {
        "question": "Is it small?",
        "verdict": "pass",
        "score": 0.75,
        "threshold": 0.7,
        "model": "fake-judge",
        "key": f"3:{KEY}",
    }


@pytest.mark.parametrize(("threshold", "verdict"), [(0.75, "pass"), (0.76, "fail"), (0, "pass")])
def test_a_score_at_the_threshold_passes(turn, threshold, verdict):
    assert ask([turn()], threshold=threshold).verdict == verdict


FAILURES = [
    (
        "anthropic/claude-sonnet-5",
        "anthropic/claude-sonnet-5",
        "judge anthropic/claude-sonnet-5: judge providers are not in this version yet, use "
        "fake_judge(score=…)",
    ),
    (
        None,
        "",
        'no judge model is set: set the judge option, such as judge={"model": fake_judge(score=1)}',
    ),
]


@pytest.mark.parametrize(("model", "named", "error"), FAILURES)
def test_a_call_that_failed_has_no_score_and_no_judgement(turn, model, named, error):
    judging = ask([turn()], JudgeSpec(model))
    assert judging.to_wire() == {
        "verdict": "error",
        "score": 0,
        "threshold": 0.8,
        "question": "Is it small?",
        "model": named,
        "error": error,
    }
    assert (judging.score, judging.to_record()) == (None, None)


def test_a_calls_options_lie_over_the_attempts_and_state_is_merged_by_key():
    options = {
        "model": {"kind": "fake-judge", "score": 1},
        "threshold": 1,
        "state": {"task": False, "transcript": "tools"},
        "providerOptions": {"openai": {"x": 1}},
        "maxConcurrent": 2,
        "gateway": {"kind": "direct"},
        "on": {"value": 1},
    }
    assert judge_spec(options, SPEC) == JudgeSpec(
        FakeJudge(1.0),
        1.0,
        {"diff": False, "task": False, "transcript": "tools"},
        {"openai": {"x": 1}},
        2,
        "direct",
    )
    assert judge_spec({}, SPEC) is SPEC


def test_a_value_or_an_earlier_turn_may_be_graded(turn):
    assert ask([], on={"value": None}).verdict == "pass"
    assert ask([turn(), turn(index=1)], on={"turn": 0}).verdict == "pass"


MISTAKES = [
    ({}, "c.judge() grades a turn, and there is none yet: call c.send() first"),
    ({"on": {"turn": 1}}, "c.judge(on=turn 2): the attempt has no such turn"),
    ({"on": 5}, "c.judge(on=…) takes a turn or a value, got 5"),
    ({"treshold": 1}, "c.judge has no option 'treshold', did you mean 'threshold'?"),
    ({"threshold": 2}, "c.judge's threshold is a number from 0 to 1, got 2"),
    ({"threshold": True}, "c.judge's threshold is a number from 0 to 1, got true"),
    (
        {"model": {"kind": "fake-judge", "score": "1"}},
        'c.judge\'s fake_judge(score=…) is a number from 0 to 1, got "1"',
    ),
    (
        {"model": 5},
        "c.judge(model=…) takes 'provider/model' or fake_judge(score=…), got 5",
    ),
    ({"state": 5}, "c.judge's state is a mapping, got 5"),
    ({"gateway": 5}, "c.judge's gateway is a gateway's name, got 5"),
    ({"artifacts": True}, "c.judge(artifacts=…) is not in this version yet: nor is c.capture"),
]


@pytest.mark.parametrize(("options", "message"), MISTAKES)
def test_options_that_cannot_be_are_usage_errors(options, message):
    with pytest.raises(UsageError) as error:
        ask([], **options)
    assert str(error.value) == message
