"""The names of checks, and checks as the record has them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reeval.grading.base import Outcome
from reeval.grading.naming import CheckNames
from reeval.protocol import messages as m

PASS = Outcome("pass")
VERDICT = {"verdict": "pass", "score": 1, "threshold": 0.8, "question": "Is it  small?"}


def expect(subject: m.Subject, matcher: str, *args: object, **options: object) -> m.Expect:
    return m.Expect(subject, matcher, args, **options)


LABELS = [
    (expect(m.AttemptSubject(), "toHaveFile", "greet.py", "def"), "toHaveFile greet.py"),
    (expect(m.ValueSubject(1), "toBe", 5), "toBe 5"),
    (expect(m.ValueSubject(1), "toBe", None), "toBe null"),
    (expect(m.ValueSubject(1), "toEqual", {"a": [1]}), 'toEqual {"a": [1]}'),
    (expect(m.ValueSubject(1), "toContain", {"regexp": "x", "flags": "i"}), "toContain /x/i"),
    (
        expect(m.TurnSubject(0), "toHaveRun", {"matchedBy": "re.compile('x')", "answers": {}}),
        "toHaveRun re.compile('x')",
    ),
    (expect(m.ExecSubject("npm  test\n"), "toSucceed"), "toSucceed npm test"),
    (expect(m.ExecSubject("cat x"), "toContain", "ok"), "toContain ok"),
    (expect(m.FileSubject("ready"), "toBeNull"), "toBeNull ready"),
    (expect(m.ValueSubject(VERDICT), "toPass"), "toPass Is it small?"),
    (expect(m.ValueSubject(0), "toBeTruthy"), "toBeTruthy"),
    (expect(m.TurnSubject(0), "toHaveChanged"), "toHaveChanged"),
    (expect(m.ValueSubject(1), "toBe", 5, negated=True), "not.toBe 5"),
    (expect(m.FileSubject("a"), "toBe", "x", poll=m.Poll()), "poll.toBe x"),
    (expect(m.FileSubject("a"), "toBe", "x", poll=m.Poll(), negated=True), "poll.not.toBe x"),
    (expect(m.ValueSubject(1), "toBe", "x" * 100), "toBe " + "x" * 54 + "…"),
]


@pytest.mark.parametrize(("call", "label"), LABELS)
def test_a_check_is_named_by_its_matcher_and_first_argument_or_subject(call, label):
    record = CheckNames().assertion(call, PASS, 1.0)
    assert (record["label"], record["labelled"]) == (label, False)


def test_a_given_label_is_the_name_on_one_line_and_cut():
    names = CheckNames()
    call = expect(m.ValueSubject(1), "toBe", 1, label="flow\n works")
    assert names.assertion(call, PASS, 1.0) == {
        "label": "flow works",
        "labelled": True,
        "matcher": "toBe",
        "status": "pass",
        "soft": False,
    }
    call = expect(m.ValueSubject(1), "toBe", 1, label="é" * 61)
    assert names.assertion(call, PASS, 1.0)["label"] == "é" * 59 + "…"


def test_an_empty_label_is_none():
    call = expect(m.ValueSubject(1), "toBe", 1, label=" ")
    assert names_of(call) == [("toBe 1", False)]


def names_of(*calls: m.Expect) -> list[tuple[str, bool]]:
    names = CheckNames()
    records = [names.assertion(call, PASS, 1.0) for call in calls]
    return [(record["label"], record["labelled"]) for record in records]


def test_repeats_are_counted():
    labels = ["a", "a", "b", "a #2", "a", "a #2"]
    calls = [expect(m.ValueSubject(1), "toBe", 1, label=label) for label in labels]
    assert [label for label, _ in names_of(*calls)] == [
        "a",
        "a #2",
        "b",
        "a #2 #2",
        "a #3",
        "a #2 #3",
    ]


@given(st.lists(st.sampled_from(["a", "a #2", "a #3", "b", "a #2 #2", "c" * 70]), max_size=30))
def test_no_two_checks_of_an_attempt_share_a_name(labels):
    names = CheckNames()
    found = [names.recorded(m.Record("assert", "pass", label))["label"] for label in labels]
    assert len(set(found)) == len(found)
    assert all(len(label) <= 70 for label in found)


def test_a_failure_carries_its_message_and_a_timed_matcher_its_duration():
    names = CheckNames()
    call = expect(m.AttemptSubject(), "toHaveFile", "a", soft=True)
    assert names.assertion(call, Outcome("fail", "no a"), 12.5) == {
        "label": "toHaveFile a",
        "labelled": False,
        "matcher": "toHaveFile",
        "status": "fail",
        "soft": True,
        "message": "no a",
        "durationMs": 12.5,
    }


@pytest.mark.parametrize(
    ("call", "timed"),
    [
        (expect(m.ExecSubject("x"), "toSucceed"), True),
        (expect(m.AttemptSubject(), "toHaveFile", "x"), True),
        (expect(m.ValueSubject(1), "toBe", 1), False),
        (expect(m.TurnSubject(0), "toHaveRun"), False),
        (expect(m.FileSubject("x"), "toBe", 1, poll=m.Poll()), True),
    ],
)
def test_only_what_takes_time_has_a_duration(call, timed):
    assert ("durationMs" in CheckNames().assertion(call, PASS, 1.0)) is timed


def test_an_assert_is_named_by_its_test():
    names = CheckNames()
    call = m.Record("assert", "fail", None, "a  ==\n b", "assert 1 == 2")
    assert names.recorded(call) == {
        "label": "assert a == b",
        "labelled": False,
        "matcher": "assert",
        "status": "fail",
        "soft": False,
        "message": "assert 1 == 2",
    }
    assert names.recorded(m.Record("assert", "pass", "sum", "a == b")) == {
        "label": "sum",
        "labelled": True,
        "matcher": "assert",
        "status": "pass",
        "soft": False,
    }


def test_a_message_is_cut_at_1_kb_and_says_so():
    call = m.Record("assert", "fail", None, "x", "é" * 1000)
    message = CheckNames().recorded(call)["message"]
    assert message.endswith("é… (cut, 2,000 bytes in all)")
    assert len(message.encode()) <= 1024


def test_secrets_are_masked_before_anything_is_cut():
    secret = "s3cret-" * 20
    names = CheckNames(lambda text: text.replace(secret, "[secret TOKEN]"))
    call = m.Expect(m.ExecSubject(f"curl -H {secret}"), "toSucceed", ())
    record = names.assertion(call, Outcome("fail", "x" * 950 + secret), 1.0)
    assert record["label"] == "toSucceed curl -H [secret TOKEN]"
    assert record["message"] == "x" * 950 + "[secret TOKEN]"


SCHEMA = json.loads((Path(__file__).parents[1] / "record.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator({**SCHEMA, "$ref": "#/$defs/AssertionRecord"})
texts = st.none() | st.text()


@given(texts, st.text(), texts, st.sampled_from(["pass", "fail", "error"]), st.booleans())
def test_every_check_is_valid_in_the_record_and_can_be_written(label, value, message, status, soft):
    names = CheckNames()
    call = expect(m.ValueSubject(1), "toBe", value, label=label, soft=soft)
    record = names.assertion(call, Outcome(status, message), 1.0)
    VALIDATOR.validate(record)
    json.dumps(record, ensure_ascii=False).encode("utf-8")
