"""Declarations: the tree each file gives, and what is refused where it is declared."""

from __future__ import annotations

import functools
import string
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reeval import define_environment, evaluate, evaluate_each, group, todo
from reeval.authoring.collector import collecting
from reeval.authoring.declare import case_name


def body(c: Any) -> None:
    pass


async def async_body(c: Any) -> None:
    pass


def leaf(name: str, number: int, **rest: Any) -> dict[str, Any]:
    return {
        "type": "eval", "name": name, "mode": "run", "options": {}, "body": f"b{number}", **rest,
    }  # fmt: skip


def test_an_eval_is_declared_by_decorator_or_call_with_or_without_options() -> None:
    with collecting() as found:
        assert evaluate("one")(body) is body
        assert evaluate("two", {"runs": 3})(body) is body
        assert evaluate("three", body) is body
        assert evaluate("four", {"timeout": timedelta(minutes=5)}, async_body) is async_body
        assert evaluate("five", None)(body) is body
    assert found.finish() == [
        leaf("one", 1),
        leaf("two", 2, options={"runs": 3}),
        leaf("three", 3),
        leaf("four", 4, options={"timeout": "5m"}),
        leaf("five", 5),
    ]
    assert found.bodies == {"b1": body, "b2": body, "b3": body, "b4": async_body, "b5": body}


def test_modes_are_an_attribute_or_an_argument() -> None:
    with collecting() as found:
        evaluate.skip("one", body)
        evaluate.only("two", {"runs": 1})(body)
        evaluate("three", body, mode="skip")
        group("four", lambda: None, mode="only")
        todo("five")
        nodes = found.finish()
    assert [(n["name"], n.get("mode")) for n in nodes] == [
        ("one", "skip"), ("two", "only"), ("three", "skip"), ("four", "only"), ("five", None),
    ]  # fmt: skip


def test_groups_run_after_the_file_outer_ones_first() -> None:
    ran: list[str] = []

    def inner() -> None:
        ran.append("inner")
        evaluate("deep", body)

    def outer() -> None:
        ran.append("outer")
        group("inner", {"tags": ["a"]}, inner)
        evaluate("in outer", body)

    def other() -> None:
        ran.append("other")
        evaluate("in other", body)

    with collecting() as found:
        group("outer", outer)
        group("other", other)
        evaluate("top", body)
        assert ran == []
        nodes = found.finish()
    assert nodes == [
        {
            "type": "group",
            "name": "outer",
            "mode": "run",
            "options": {},
            "children": [
                {
                    "type": "group",
                    "name": "inner",
                    "mode": "run",
                    "options": {"tags": ["a"]},
                    "children": [leaf("deep", 4)],
                },
                leaf("in outer", 2),
            ],
        },
        {
            "type": "group",
            "name": "other",
            "mode": "run",
            "options": {},
            "children": [leaf("in other", 3)],
        },
        leaf("top", 1),
    ]
    assert ran == ["outer", "other", "inner"]


def test_each_case_is_an_eval_of_one_family() -> None:
    seen: list[object] = []
    cases = [{"lang": "en", "n": 1}, {"lang": "$n", "n": 2}]
    with collecting() as found:

        @evaluate_each(cases, "in $lang (#%#) $none", {"runs": 2})
        def greets(c: Any, case: dict[str, object]) -> None:
            seen.append((c, case))

        evaluate_each([1, 2], "%s apart", pool=False)(lambda c, case: None)
        evaluate_each([7], "alone %s")(lambda c, case: None)
    template = "in $lang (#%#) $none"
    assert found.finish() == [
        leaf("in en (#0) $none", 1, options={"runs": 2},
             family={"name": template, "case": 0, "cases": 2}),
        leaf("in $n (#1) $none", 2, options={"runs": 2},
             family={"name": template, "case": 1, "cases": 2}),
        leaf("1 apart", 3),
        leaf("2 apart", 4),
        leaf("alone 7", 5),
    ]  # fmt: skip
    found.bodies["b2"]("c")
    assert seen == [("c", cases[1])]


def test_one_name_in_two_groups_is_two_evals() -> None:
    with collecting() as found:
        evaluate("same", body)
        group("a", lambda: evaluate("same", body))
        group("b", lambda: evaluate("same", body))
        found.finish()
    assert sorted(found.bodies) == ["b1", "b2", "b3"]


def generator_body(c: Any) -> Any:
    yield


async def async_generator_body(c: Any) -> Any:
    yield


@functools.wraps(generator_body)
def wrapped_generator(c: Any) -> Any:
    return generator_body(c)


def twice(name: str) -> None:
    evaluate(name, body)
    evaluate(name, body)


def twice_in_a_group() -> None:
    group("net", lambda: twice("x"))


YIELDS = "an eval body can't yield, or it never runs: declare it def or async def without yield"

REFUSED: dict[str, tuple[Any, str]] = {
    "one name twice": (
        lambda: twice("x"),
        "ValueError: evaluate('x') is declared twice in this file. Each eval needs its own name, "
        "or its attempts are merged into one eval.",
    ),
    "one name twice in a group": (
        twice_in_a_group,
        "ValueError: evaluate('net › x') is declared twice in this file. Each eval needs its own "
        "name, or its attempts are merged into one eval.",
    ),
    "cases of one name": (
        lambda: evaluate_each([1, 2], "same")(lambda c, case: None),
        "ValueError: evaluate('same') is declared twice in this file. Each eval needs its own "
        "name, or its attempts are merged into one eval. For evaluate_each, put $key, %s or %# in "
        "the name ('same') so each case's name differs.",
    ),
    "a generator": (
        lambda: evaluate("x", generator_body),
        f"TypeError: evaluate('x'): {YIELDS}",
    ),
    "an async generator": (
        lambda: evaluate("x", async_generator_body),
        f"TypeError: evaluate('x'): {YIELDS}",
    ),
    "a generator in a wrapper": (
        lambda: evaluate("x", wrapped_generator),
        f"TypeError: evaluate('x'): {YIELDS}",
    ),
    "a generator for cases": (
        lambda: evaluate_each([1], "x")(generator_body),
        f"TypeError: evaluate_each('x'): {YIELDS}",
    ),
    "no name": (
        lambda: evaluate(body),
        'TypeError: evaluate takes the eval\'s name first: @evaluate("body") above the body, or '
        'evaluate("body", body)',
    ),
    "options as keywords": (
        lambda: evaluate("x", runs=3, tags=["a"]),
        "TypeError: evaluate takes its options as a dict: evaluate('x', {\"runs\": 3, "
        "\"tags\": ['a']})",
    ),
    "options that aren't a dict": (
        lambda: evaluate("x", ["runs"], body),
        "TypeError: evaluate('x'): options are a dict, e.g. {\"runs\": 3} (got ['runs'])",
    ),
    "options after the body": (
        lambda: evaluate("x", body, {"runs": 3}),
        "TypeError: evaluate takes a name, options and a function: evaluate('x', {…}, fn)",
    ),
    "a duration as text": (
        lambda: evaluate("x", {"timeout": "5m"}),
        "TypeError: evaluate('x'): timeout takes seconds or a timedelta: write 300 or "
        "timedelta(minutes=5) (got '5m')",
    ),
    "a duration as other text": (
        lambda: evaluate("x", {"timeout": "soon"}),
        "TypeError: evaluate('x'): timeout takes seconds or a timedelta, e.g. 90 or "
        "timedelta(minutes=5) (got 'soon')",
    ),
    "a long duration as text": (
        lambda: evaluate("x", {"timeout": "1000000 s"}),
        "TypeError: evaluate('x'): timeout takes seconds or a timedelta: write 1000000 or "
        "timedelta(seconds=1000000) (got '1000000 s')",
    ),
    "a number of seconds as text": (
        lambda: group("x", {"timeout": "1.5"}, lambda: None),
        "TypeError: group('x'): timeout takes seconds or a timedelta: write 1.5 or "
        "timedelta(seconds=1.5) (got '1.5')",
    ),
    "an empty name": (
        lambda: evaluate("", body),
        "ValueError: evaluate(''): a name is text that isn't blank.",
    ),
    "a blank name in a group": (
        lambda: group("g", lambda: evaluate(" ", body)),
        "ValueError: evaluate('g ›  '): a name is text that isn't blank.",
    ),
    "an empty name of a group": (
        lambda: group("", lambda: None),
        "ValueError: group(''): a name is text that isn't blank.",
    ),
    "an empty name of a todo": (
        lambda: todo(""),
        "ValueError: todo(''): a name is text that isn't blank.",
    ),
    "a case without a name": (
        lambda: evaluate_each([""], "%s")(lambda c, case: None),
        "ValueError: evaluate(''): a name is text that isn't blank. For evaluate_each, put $key, "
        "%s or %# in the name ('%s') so each case's name differs.",
    ),
    "no cases": (
        lambda: evaluate_each([], "x"),
        "ValueError: evaluate_each('x') got no cases, so it would declare nothing: give it some",
    ),
    "options of cases as keywords": (
        lambda: evaluate_each([1], "x", runs=3),
        "TypeError: evaluate_each takes its options as a dict: evaluate_each(cases, 'x', "
        '{"runs": 3})',
    ),
    "one todo twice": (
        lambda: (todo("x"), todo("x")),
        "ValueError: todo('x') is declared twice in this file. Each eval needs its own name, or "
        "its attempts are merged into one eval.",
    ),
    "a field that no case has": (
        lambda: evaluate_each([{"a": 1}, {"a": 2, "c": 3}], "n $b")(lambda c, case: None),
        "ValueError: evaluate('n $b') is declared twice in this file. Each eval needs its own "
        "name, or its attempts are merged into one eval. In evaluate_each's name 'n $b', $b is no "
        "field of the cases: they have $a, $c; %s is the whole case and %# its index.",
    ),
    "a field of cases that aren't dicts": (
        lambda: evaluate_each([1, 2], "n $b")(lambda c, case: None),
        "ValueError: evaluate('n $b') is declared twice in this file. Each eval needs its own "
        "name, or its attempts are merged into one eval. In evaluate_each's name 'n $b', $b is no "
        "field of the cases: they aren't dicts; %s is the whole case and %# its index.",
    ),
    "a field that no case has, named as another eval": (
        lambda: (evaluate("$b", body), evaluate_each([{"a": 1}], "$b")(lambda c, case: None)),
        "ValueError: evaluate('$b') is declared twice in this file. Each eval needs its own name, "
        "or its attempts are merged into one eval. In evaluate_each's name '$b', $b is no field "
        "of the cases: they have $a; %s is the whole case and %# its index.",
    ),
    "an environment as keywords": (
        lambda: define_environment("e", rules="Be brief."),
        "TypeError: define_environment takes what the environment holds as a dict: "
        "define_environment('e', {\"rules\": 'Be brief.'})",
    ),
    "an extended environment as keywords": (
        lambda: define_environment("e", {}).extend("f", rules="Be brief."),
        "TypeError: env.extend takes what the environment holds as a dict: "
        "env.extend('f', {\"rules\": 'Be brief.'})",
    ),
    "a value that isn't data": (
        lambda: evaluate("x", {"tags": {"a"}}),
        "TypeError: evaluate('x'): options are data: text, numbers, lists and dicts (got {'a'})",
    ),
    "a mode there isn't": (
        lambda: evaluate("x", body, mode="ony"),
        'TypeError: evaluate(\'x\'): mode is "run", "skip" or "only" (got \'ony\')',
    ),
    "a body without the attempt": (
        lambda: evaluate("x", lambda: None),
        "TypeError: evaluate('x'): the body takes the attempt, e.g. def body(c)",
    ),
    "a body without the case": (
        lambda: evaluate_each([1], "x")(body),
        "TypeError: evaluate_each('x'): the body takes the attempt and its case, e.g. "
        "def body(c, case)",
    ),
    "cases that aren't a list": (
        lambda: evaluate_each({"a": 1}, "x"),
        "TypeError: evaluate_each takes a list of cases (got dict), e.g. "
        'evaluate_each([{"n": 1}, {"n": 2}], "case $n")',
    ),
    "a group without its function": (
        lambda: group("net", {"runs": 3}),
        "TypeError: group('net') needs the function that declares what is in it: group('net', fn), "
        "or group('net', options, fn)",
    ),
    "a todo without a name": (
        lambda: todo(body),
        f'TypeError: todo takes a name, e.g. todo("handles an empty list") (got {body!r})',
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_wrong_declaration_is_refused_where_it_is_made(what: str) -> None:
    declare, message = REFUSED[what]
    with pytest.raises((TypeError, ValueError)) as caught, collecting() as found:
        declare()
        found.finish()
    assert f"{type(caught.value).__name__}: {caught.value}" == message


def test_declaring_outside_a_load_says_how_to_run_the_file() -> None:
    with pytest.raises(RuntimeError, match="run it with `reeval run`"):
        evaluate("x", body)


# ── name templates ───────────────────────────────────────────────────────────────────────────

words = st.text(string.ascii_letters, min_size=1)
anything = st.text()


@given(st.dictionaries(words, anything), st.integers(0, 99), st.data())
def test_each_placeholder_is_filled_once_and_text_is_kept(
    case: dict[str, str], index: int, data: st.DataObject
) -> None:
    parts = data.draw(
        st.lists(
            st.one_of(
                st.just(("%#", str(index))),
                st.just(("%s", str(case))),
                st.text(string.punctuation.replace("%", "").replace("$", ""), min_size=1).map(
                    lambda text: (text, text)
                ),
                *([st.sampled_from(sorted(case)).map(lambda k: (f"${k} ", f"{case[k]} "))]
                  if case else []),
            )
        )
    )  # fmt: skip
    template = "".join(written for written, _ in parts)
    assert case_name(template, case, index) == "".join(filled for _, filled in parts)


@given(words, st.one_of(anything, st.integers(), st.none(), st.lists(st.integers())))
def test_a_case_without_the_field_leaves_it_as_written(field: str, case: object) -> None:
    assert case_name(f"${field}", case, 0) == f"${field}"
