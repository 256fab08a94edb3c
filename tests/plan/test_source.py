"""The hash of an eval's body follows its function and the file's rest, but no other eval's."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from reeval.config.errors import UsageError
from reeval.plan.declarations import DeclaredEval
from reeval.plan.model import Family
from reeval.plan.source import SourceFile

FILE = "a.eval.py"


def body(root: Path, text: str, name: str, template: str | None = None) -> str:
    (root / FILE).write_text(text)
    family = None if template is None else Family("id", template, 0, 2)
    return SourceFile(root, FILE).body(DeclaredEval(FILE, (), name, family=family))


DECORATED = """
import reeval
from reeval import evaluate, group

@evaluate("a", {"runs": 3})
def a(c):
    assert c.exec("true").ok

@reeval.evaluate.skip("b")
async def b(c):
    pass
"""


def test_it_follows_the_function(tmp_path: Path) -> None:
    before = body(tmp_path, DECORATED, "a")
    assert body(tmp_path, DECORATED.replace('"true"', '"false"'), "a") != before
    other = body(tmp_path, DECORATED, "b")
    assert body(tmp_path, DECORATED.replace("pass", "return"), "b") != other


@pytest.mark.parametrize(
    "change",
    [
        ('"runs": 3', '"runs": 5'),
        ("pass", "return"),
        ("import reeval\n", "import reeval\n# a comment\n\n"),
        ("@evaluate(", "@evaluate.only("),
        ("\n", "\r\n"),
        ("    assert", "    # a comment\n\n    assert"),
        ("pass", 'pass\n\n@evaluate("c")\ndef third(c):\n    pass'),
    ],
)
def test_it_follows_nothing_else(tmp_path: Path, change: tuple[str, str]) -> None:
    assert body(tmp_path, DECORATED.replace(*change), "a") == body(tmp_path, DECORATED, "a")


def test_it_follows_the_other_decorators(tmp_path: Path) -> None:
    with_retry = DECORATED.replace("def a", "@retry(2)\ndef a")
    assert body(tmp_path, with_retry, "a") != body(tmp_path, DECORATED, "a")
    assert body(tmp_path, with_retry.replace("2", "4"), "a") != body(tmp_path, with_retry, "a")


@pytest.mark.parametrize(
    "declaration",
    [
        'evaluate("a", f)',
        'evaluate("a", {"runs": 2}, f)',
        'evaluate("a", f, mode="only")',
        'evaluate_each([1], "%s")(f)',
        'evaluate_each([1], name_template="%s")(f)',
    ],
)
def test_a_function_that_is_passed_is_found(tmp_path: Path, declaration: str) -> None:
    text = f"def f(c):\n    return 1\n\n{declaration}\ndef g(c):\n    return 5\nevaluate('b', g)\n"
    before = body(tmp_path, text, "a")
    assert body(tmp_path, text.replace("return 5", "return 9"), "a") == before
    assert body(tmp_path, text.replace("return 1", "return 2"), "a") != before


def test_cases_of_a_template_share_their_function(tmp_path: Path) -> None:
    text = """
@evaluate_each(CASES, "case $n")
def one(c, case):
    return 1

@evaluate_each(CASES, "other %#")
def two(c, case):
    return 2
"""
    pooled = body(tmp_path, text, "case 7", template="case $n")
    assert body(tmp_path, text, "case 8", template="case $n") == pooled
    assert body(tmp_path, text, "case 7") == pooled
    assert body(tmp_path, text, "other 0") != pooled
    assert body(tmp_path, text.replace("return 2", "return 3"), "case 7") == pooled


@pytest.mark.parametrize(
    "text",
    [
        'evaluate("a", lambda c: None)\n',
        'for n in "ab":\n    @evaluate(n)\n    def f(c): pass\n',
        'from reeval import evaluate as e\n@e("a")\ndef a(c): pass\n',
        "def broken(:\n",
    ],
)
def test_where_no_function_is_found_the_whole_file_counts(tmp_path: Path, text: str) -> None:
    assert body(tmp_path, text, "a") == hashlib.sha256(text.encode()).hexdigest()


def test_two_functions_of_one_name_both_count(tmp_path: Path) -> None:
    text = """
def one():
    @evaluate("a")
    def f(c): return 1

def two():
    @evaluate("a")
    def f(c): return 2
"""
    before = body(tmp_path, text, "a")
    assert body(tmp_path, text.replace("return 1", "return 3"), "a") != before
    assert body(tmp_path, text.replace("return 2", "return 3"), "a") != before


REST = """
import os
from reeval import evaluate, evaluate_each, group, todo

LIMIT = 3
CASES = [1, 2]

def helper(c):
    return c.exec("true").ok and re.match("x", c.text).group(1)

@evaluate("a", {"runs": 3})
def a(c):
    assert helper(c)

@evaluate("calls another")
def other(c):
    a(c)

@evaluate_each(CASES, "case %s")
def case(c, n):
    assert n < LIMIT

def inside():
    evaluate("in a group", late, mode="only")

def late(c):
    print("late")

group("g", {"runs": 2}, inside)
todo("more")
"""


@pytest.mark.parametrize(
    "change",
    [
        ("import os", "import os, sys"),
        ("LIMIT = 3", "LIMIT = 4"),
        ("[1, 2]", "[1, 3]"),
        ("true", "false"),
        ("group(1)", "group(2)"),
        ("assert helper(c)", "assert not helper(c)"),
    ],
)
def test_imports_globals_and_helpers_count_for_each_eval(
    tmp_path: Path, change: tuple[str, str]
) -> None:
    for name in ("a", "calls another", "case 1", "in a group"):
        assert body(tmp_path, REST.replace(*change), name) != body(tmp_path, REST, name)


@pytest.mark.parametrize(
    "change",
    [
        ("    a(c)", "    a(c)\n    a(c)"),
        ("n < LIMIT", "n <= LIMIT"),
        ('"late"', '"later"'),
        ('group("g", {"runs": 2}', 'group("g", {"runs": 3}'),
        ('mode="only"', 'mode="skip"'),
        ('todo("more")', 'todo("less")'),
        ("LIMIT = 3", "LIMIT = 3  # at most"),
    ],
)
def test_what_is_another_evals_or_a_declarations_does_not_count(
    tmp_path: Path, change: tuple[str, str]
) -> None:
    assert body(tmp_path, REST.replace(*change), "a") == body(tmp_path, REST, "a")


def test_the_cases_in_a_declaration_count_for_its_evals_only(tmp_path: Path) -> None:
    text = REST.replace("(CASES, ", "([1, 2, 3], ")
    changed = text.replace("[1, 2, 3]", "[1, 2, 4]")
    assert body(tmp_path, changed, "case 1") != body(tmp_path, text, "case 1")
    assert body(tmp_path, changed, "a") == body(tmp_path, text, "a")


def test_values_that_look_alike_differ(tmp_path: Path) -> None:
    hashes = {body(tmp_path, f"x = {x}\n{DECORATED}", "a") for x in ("1", "True", "'1'", "1.0")}
    assert len(hashes) == 4


def test_long_sums_and_numbers_are_read(tmp_path: Path) -> None:
    text = f"{DECORATED}\nx = {'1 + ' * 1500}1\ny = 0x{'f' * 9000}\n"
    assert body(tmp_path, text, "a") != body(tmp_path, text.replace("ff\n", "fe\n"), "a")


def test_a_file_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^a\.eval\.py: it can't be read"):
        SourceFile(tmp_path, FILE)
