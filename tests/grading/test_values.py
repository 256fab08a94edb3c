"""Matchers on values: what passes, and the whole sentence of what fails."""

from __future__ import annotations

import math

import pytest

from reeval.config.errors import UsageError
from reeval.protocol import messages as m

VERSION = {"regexp": r"v(\d+)"}

PASSES = [
    (5, "toBe", (5,)),
    (1, "toBe", (1.0,)),
    ("", "toBe", ("",)),
    (None, "toBe", (None,)),
    (math.nan, "toBe", (math.nan,)),
    ({"a": [1, {"b": None}]}, "toBe", ({"a": [1, {"b": None}]},)),
    ({"a": 1, "b": 2}, "toEqual", ({"b": 2, "a": 1},)),
    (None, "toBeNull", ()),
    ([0], "toBeTruthy", ()),
    ("abc", "toContain", ("b",)),
    ("abc v12", "toContain", (VERSION,)),
    ([1, {"a": 1}], "toContain", ({"a": 1},)),
    (["x", "v1"], "toContain", (VERSION,)),
    ({"key": 1}, "toContain", ("key",)),
    ("abc", "toMatch", ("bc",)),
    ("x\nB", "toMatch", ({"regexp": "^b", "flags": "im"},)),
    ("né", "toHaveLength", (2,)),
    ([], "toHaveLength", (0,)),
    ({"a": 1}, "toHaveLength", (1,)),
    (2, "toBeGreaterThan", (1.5,)),
    (2, "toBeGreaterThanOrEqual", (2,)),
    (1, "toBeLessThan", (2,)),
    (2, "toBeLessThanOrEqual", (2.0,)),
    (0.1 + 0.2, "toBeCloseTo", (0.3,)),
    (10.4, "toBeCloseTo", (10, 0)),
    ({"a": {"b": [{"c": 0}]}}, "toHaveProperty", ("a.b[0].c",)),
    ({"a": {"b": [{"c": 0}]}}, "toHaveProperty", ("a.b.0.c", 0)),
    ({"a": [1]}, "toHaveProperty", (["a", 0], 1)),
    ({"a.b": "v2"}, "toHaveProperty", ("a.b", VERSION)),
]


@pytest.mark.parametrize(("value", "matcher", "args"), PASSES)
def test_it_passes_and_its_opposite_fails(checking, value, matcher, args):
    assert checking(m.ValueSubject(value), matcher, *args).status == "pass"
    assert checking(m.ValueSubject(value), matcher, *args, negated=True).status == "fail"


FAILURES = [
    (5, "toBe", (6,), "expected 5 to be 6"),
    (True, "toBe", (1,), "expected true to be 1"),
    (0, "toBe", (False,), "expected 0 to be false"),
    ("1", "toBe", (1,), 'expected "1" to be 1'),
    (None, "toEqual", ({},), "expected null to equal {}"),
    (
        {"a": 1, "b": [1, 2]},
        "toEqual",
        ({"a": 1, "b": [1, 3]},),
        'expected {"a": 1, "b": [1, 2]} to equal {"a": 1, "b": [1, 3]}\n'
        "- expected\n+ received\n"
        '    "b": [\n      1,\n-     3\n+     2\n    ]\n  }',
    ),
    (
        "a\nb\nc",
        "toBe",
        ("a\nB\nc",),
        'expected "a\\nb\\nc" to be "a\\nB\\nc"\n- expected\n+ received\n  a\n- B\n+ b\n  c',
    ),
    (0, "toBeNull", (), "expected 0 to be null"),
    ("", "toBeTruthy", (), 'expected "" to be truthy'),
    ({}, "toBeTruthy", (), "expected {} to be truthy"),
    ("abc", "toContain", ("x",), 'expected "abc" to contain "x"'),
    ("abc", "toContain", (VERSION,), r"""expected "abc" to contain /v(\d+)/"""),
    ([1, 2], "toContain", (True,), "expected [1, 2] to contain true"),
    ({"a": 1}, "toContain", ("b",), 'expected {"a": 1} to contain "b"'),
    ("abc", "toMatch", ("x",), 'expected "abc" to match "x"'),
    ("abc", "toHaveLength", (2,), 'expected "abc" to have length 2, it has length 3'),
    (1, "toBeGreaterThan", (1,), "expected 1 to be greater than 1"),
    (1, "toBeGreaterThanOrEqual", (2,), "expected 1 to be greater than or equal to 2"),
    (1, "toBeLessThan", (1,), "expected 1 to be less than 1"),
    (2, "toBeLessThanOrEqual", (1,), "expected 2 to be less than or equal to 1"),
    (1.01, "toBeCloseTo", (1,), "expected 1.01 to be close to 1 (2 decimal places)"),
    ({"a": 1}, "toHaveProperty", ("b",), 'expected {"a": 1} to have property "b"'),
    ([], "toHaveProperty", ("x.y",), 'expected [] to have property "x.y"'),
    (
        {"a": 1},
        "toHaveProperty",
        ("a", 2),
        'expected {"a": 1} to have property "a" with value 2, it is 1',
    ),
    (
        {"a": 1},
        "toHaveProperty",
        ("b", 2),
        'expected {"a": 1} to have property "b" with value 2, it has no such property',
    ),
]


@pytest.mark.parametrize(("value", "matcher", "args", "message"), FAILURES)
def test_it_fails_with_this_sentence_and_its_opposite_passes(
    checking, value, matcher, args, message
):
    outcome = checking(m.ValueSubject(value), matcher, *args)
    assert (outcome.status, outcome.message) == ("fail", message)
    assert checking(m.ValueSubject(value), matcher, *args, negated=True).status == "pass"


NEGATED = [
    (5, "toBe", (5,), "expected 5 not to be 5"),
    ({"a": 1}, "toEqual", ({"a": 1},), 'expected {"a": 1} not to equal {"a": 1}'),
    ("abc", "toContain", ("b",), 'expected "abc" not to contain "b"'),
    ("ab", "toHaveLength", (2,), 'expected "ab" not to have length 2, it has length 2'),
    ({"a": 1}, "toHaveProperty", ("a",), 'expected {"a": 1} not to have property "a", it is 1'),
]


@pytest.mark.parametrize(("value", "matcher", "args", "message"), NEGATED)
def test_negated_it_says_so(checking, value, matcher, args, message):
    assert checking(m.ValueSubject(value), matcher, *args, negated=True).message == message


WRONG_KINDS = [
    (5, "toContain", ("5",), 'expected 5 to contain "5": a number contains nothing'),
    (None, "toContain", ("x",), 'expected null to contain "x": null contains nothing'),
    ("5", "toContain", (5,), 'expected "5" to contain 5: a string contains strings, not a number'),
    ([], "toMatch", ("x",), 'expected [] to match "x": it is a list, not a string'),
    (5, "toHaveLength", (1,), "expected 5 to have length 1: a number has no length"),
    (
        "5",
        "toBeGreaterThan",
        (1,),
        'expected "5" to be greater than 1: it is a string, not a number',
    ),
    (True, "toBeLessThan", (2,), "expected true to be less than 2: it is a boolean, not a number"),
    (
        None,
        "toBeCloseTo",
        (1,),
        "expected null to be close to 1 (2 decimal places): it is null, not a number",
    ),
]


@pytest.mark.parametrize(("value", "matcher", "args", "message"), WRONG_KINDS)
def test_a_value_of_the_wrong_kind_fails_negated_too(checking, value, matcher, args, message):
    outcome = checking(m.ValueSubject(value), matcher, *args)
    assert (outcome.status, outcome.message) == ("fail", message)
    assert checking(m.ValueSubject(value), matcher, *args, negated=True).status == "fail"


MISTAKES = [
    ("toBe", (), "toBe takes one expected value, got 0 arguments"),
    ("toBeNull", (1,), "toBeNull takes no argument, got 1 arguments"),
    ("toMatch", (5,), "toMatch takes a string or a pattern, got 5"),
    (
        "toMatch",
        ({"regexp": "("},),
        "/(/ is not a regular expression: missing ), unterminated subpattern at position 0",
    ),
    (
        "toMatch",
        ({"regexp": "a", "flags": "x"},),
        "/a/x has the flag 'x', which reeval doesn't have",
    ),
    ("toHaveLength", (-1,), "toHaveLength takes a whole number from 0, got -1"),
    ("toBeGreaterThan", ("1",), 'toBeGreaterThan takes a number, got "1"'),
    (
        "toBeCloseTo",
        (1, "2"),
        'toBeCloseTo takes a number and how many decimal places count, got 1 and "2"',
    ),
    ("toHaveProperty", ("",), 'toHaveProperty takes a path such as "a.b.0" or a list, got ""'),
]


@pytest.mark.parametrize(("matcher", "args", "message"), MISTAKES)
def test_an_argument_that_cannot_be_is_a_usage_error(checking, matcher, args, message):
    with pytest.raises(UsageError) as error:
        checking(m.ValueSubject("x"), matcher, *args)
    assert str(error.value) == message


# ── files and commands as values ─────────────────────────────────────────────────────────────


def test_a_files_contents_are_read(checking, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"hi \xff\n")
    assert checking(m.FileSubject("a.txt"), "toBe", "hi \ufffd\n").status == "pass"
    outcome = checking(m.FileSubject("a.txt"), "toContain", "bye")
    assert outcome.message == 'expected a.txt to contain "bye", received "hi \ufffd\\n"'
    assert checking(m.FileSubject("a.txt"), "toBe", "bye").message == (
        'expected a.txt to be "bye"\n- expected\n+ received\n- bye\n+ hi \ufffd\n+ '
    )


def test_a_file_that_is_not_there_is_null_and_contains_nothing(checking):
    missing = m.FileSubject("nope.txt")
    assert checking(missing, "toBeNull").status == "pass"
    for negated in (False, True):
        outcome = checking(missing, "toContain", "x", negated=negated)
        assert outcome.status == "fail"
        assert outcome.message.endswith('contain "x", but there is no such file')


def test_a_commands_output_is_its_stdout_then_its_stderr(checking):
    command = m.ExecSubject("echo out; echo err >&2")
    assert checking(command, "toContain", "out").status == "pass"
    assert checking(command, "toMatch", {"regexp": r"^out\nerr\n$"}).status == "pass"
    outcome = checking(command, "toContain", "x")
    assert outcome.message == (
        'expected `echo out; echo err >&2` to contain "x", received "out\\nerr\\n"'
    )


def test_a_command_the_body_ran_is_not_run_again(checking, tmp_path):
    ran = m.ExecSubject("touch again", m.ExecResult(0, "done", ""))
    assert checking(ran, "toContain", "done").status == "pass"
    assert checking(ran, "toHaveProperty", "exitCode", 0).status == "pass"
    assert not (tmp_path / "again").exists()


UNREADABLE = [
    (m.TurnSubject(0), "toBe reads a value, not a turn: check a field, such as turn.text"),
    (
        m.AttemptSubject(),
        "toBe reads a value, not c: check a value, such as c.read_file(…) or c.turns",
    ),
]


@pytest.mark.parametrize(("subject", "message"), UNREADABLE)
@pytest.mark.parametrize("negated", [False, True])
def test_a_turn_is_no_value(checking, subject, message, negated):
    outcome = checking(subject, "toBe", 1, negated=negated)
    assert (outcome.status, outcome.message, outcome.raises) == ("error", message, "UsageError")


def test_values_nested_too_deep_to_compare_are_no_answer(checking):
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    outcome = checking(m.ValueSubject(deep), "toBe", deep)
    assert outcome.status == "error"
