"""Plain `assert`: what each one records and says, and that it still means what Python says."""

from __future__ import annotations

import asyncio
import inspect
import textwrap
from typing import Any

import pytest

from reeval.authoring import asserts
from reeval.authoring.asserts import HOOK, compile_eval
from reeval.authoring.differing import comparison
from reeval.authoring.failures import escaped_failures, only_assertions
from reeval.protocol.messages import Record


def run(source: str, **names: Any) -> dict[str, Any]:
    """Runs an eval file's text; its globals."""
    scope: dict[str, Any] = {"__name__": "eval", HOOK: asserts, **names}
    exec(compile_eval(textwrap.dedent(source), "x.eval.py"), scope)
    return scope


class BrokenRepr:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class BrokenStr:
    def __str__(self) -> str:
        raise RuntimeError("no str")


class Odd:
    """Compares and tests as nothing else does."""

    def __init__(self, result: Any) -> None:
        self.result = result

    def __eq__(self, other: object) -> Any:
        return self.result

    __hash__ = None  # type: ignore[assignment]  # as its equality

    def __repr__(self) -> str:
        return "Odd()"


class BrokenBool:
    def __bool__(self) -> bool:
        raise ValueError("ambiguous")


FAILURES: dict[str, str] = {
    "assert 1 == 2": "assert 1 == 2",
    "assert x != 1": "assert 1 != 1",
    "assert x < 0": "assert 1 < 0",
    "assert x <= 0": "assert 1 <= 0",
    "assert x > 2": "assert 1 > 2",
    "assert x >= 2": "assert 1 >= 2",
    "assert x is None": "assert 1 is None",
    "assert None is not None": "assert None is not None",
    "assert 'b' in 'ac'": "assert 'b' in 'ac'",
    "assert 'a' not in {'a': 1}": "assert 'a' not in {'a': 1}",
    "assert x == 2, 'x counts'": "x counts: assert 1 == 2",
    "assert x == 2, f'x is {x}'": "x is 1: assert 1 == 2",
    "assert x == 2, None": "assert 1 == 2",
    "assert False": "assert False",
    "assert x == 1 and x == 2": "assert x == 1 and x == 2",
    "assert 0 < x < 1": "assert 0 < x < 1",
    "assert not x": "assert not x",
    "assert []": "assert [] ([] is falsy)",
    "assert x - 1": "assert x - 1 (0 is falsy)",
    "assert None, 'why'": "why: assert None (None is falsy)",
    "assert (x\n   ==\n   2)": "assert 1 == 2",
    "assert 'é' + 'x' == 'é', 'ü'": "ü: assert 'éx' == 'é'",
    "assert [x] * 300 == 2": f"assert {repr([1] * 300)[:200]}… == 2",
    "assert 'x' * 300 == 'x' * 299 + 'y'": (
        f"assert '{'x' * 58}… == '{'x' * 58}… (they first differ at index 299: '…{'x' * 16}' and "
        f"'…{'x' * 15}y')"
    ),
    "assert 'x' * 300 != 'x' * 300": f"assert '{'x' * 199}… != '{'x' * 199}…",
    "assert broken == 1": "assert <BrokenRepr> == 1",
    "assert x == 2, unspeakable": "<BrokenStr>: assert 1 == 2",
    "assert odd == 1": "assert Odd() == 1",
}


@pytest.mark.parametrize("source", FAILURES)
def test_a_failed_assert_says_what_was_compared(recording: Any, source: str) -> None:
    names = {"x": 1, "broken": BrokenRepr(), "unspeakable": BrokenStr(), "odd": Odd([])}
    with pytest.raises(AssertionError) as caught:
        run(source, **names)
    assert str(caught.value) == FAILURES[source]
    assert recording.records == []  # a failure is recorded only when it escapes the body
    (record,) = escaped_failures(caught.value)
    assert (record.matcher, record.status, record.message) == ("assert", "fail", FAILURES[source])


LONG = "x" * 300
LINES = "".join(f"line {n}\n" for n in range(100))
DIFFERENCES: dict[str, tuple[object, object, str]] = {
    "texts": (
        LONG + "A" + LONG,
        LONG + "B" + LONG,
        f"'{'x' * 58}… == '{'x' * 58}… (they first differ at index 300: "
        f"'…{'x' * 15}A{'x' * 29}…' and '…{'x' * 15}B{'x' * 29}…')",
    ),
    "a text and its beginning": (
        LONG + "A",
        LONG,
        f"'{'x' * 58}… == '{'x' * 58}… (they first differ at index 300: "
        f"'…{'x' * 15}A' and '…{'x' * 15}')",
    ),
    "a long text and a short one": (
        "y" + LONG,
        "z",
        f"'y{'x' * 57}… == 'z' (they first differ at index 0: 'y{'x' * 29}…' and 'z')",
    ),
    "texts of many lines": (
        LINES,
        LINES.replace("line 70", "line x"),
        r"'line 0\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\nli… == "
        r"'line 0\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\nli… (they first differ at "
        r"line 71: '…line 70\n…' and '…line x\n…')",
    ),
    "a text and one without its last line's end": (
        LINES,
        LINES[:-1],
        r"'line 0\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\nli… == "
        r"'line 0\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\nli… (they first differ at "
        r"line 100: '…line 99\n' and '…line 99')",
    ),
    "bytes": (
        b"x" * 300 + b"A",
        b"x" * 300 + b"B",
        f"b'{'x' * 57}… == b'{'x' * 57}… (they first differ at index 300: "
        f"b'…{'x' * 15}A' and b'…{'x' * 15}B')",
    ),
    "lists": (
        [*range(100), "a", 3],
        [*range(100), "b", 3],
        "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, … == "
        "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, … (they first differ at "
        "[100], index 0: 'a' and 'b')",
    ),
    "a list and a longer one": (
        [1] * 100,
        [1] * 101,
        "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1… == "
        "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1… (they first differ at "
        "[100]: nothing and 1)",
    ),
    "dicts of lists": (
        {"long": LONG, "items": [{"n": 1}, {"n": 2}]},
        {"long": LONG, "items": [{"n": 1}, {"n": 3}]},
        f"{{'long': '{'x' * 49}… == {{'long': '{'x' * 49}… (they first differ at "
        "['items'][1]['n']: 2 and 3)",
    ),
    "values of two kinds": (
        [LONG],
        (LONG,),
        f"['{'x' * 198}… == ('{'x' * 198}…",
    ),
    "values whose comparison raises": (
        [LONG, Odd(BrokenBool())],
        [LONG, 2],
        f"['{'x' * 198}… == ['{'x' * 198}…",
    ),
}


@pytest.mark.parametrize("what", DIFFERENCES)
def test_long_values_say_where_they_first_differ(what: str) -> None:
    left, right, message = DIFFERENCES[what]
    assert comparison(left, "==", right) == message


@pytest.mark.parametrize(
    ("source", "subject"),
    [
        ("assert x == 1", "x == 1"),
        ("assert x == 1, 'message'", "x == 1"),
        ("assert (  x   ==\n  1  )", "x == 1"),
        ("assert x", "x"),
        ("assert 'é' and x", "'é' and x"),
        ("if x:\n\tassert x, 'tab'", "x"),
        ("assert odd == 3", "odd == 3"),
        (f"assert x or {'y' * 300}", f"x or {'y' * 194}…"),
    ],
)
def test_a_passed_assert_is_recorded_at_once_by_its_source(
    recording: Any, source: str, subject: str
) -> None:
    run(source, x=1, odd=Odd([0]))
    assert recording.records == [Record("assert", "pass", subject=subject)]


def test_a_message_is_evaluated_only_on_failure_and_operands_once(recording: Any) -> None:
    said: list[str] = []

    def note(what: str, value: Any) -> Any:
        said.append(what)
        return value

    run("assert note('left', 1) == note('right', 1), note('message', 'm')", note=note)
    with pytest.raises(AssertionError):
        run("assert note('left', 1) == note('right', 2), note('message', 'm')", note=note)
    assert said == ["left", "right", "left", "right", "message"]


def test_a_message_that_raises_raises_its_own_error_which_carries_the_check(
    recording: Any,
) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run("assert 1 == 2, 1 / 0")
    text = "<the message raised ZeroDivisionError: division by zero>: assert 1 == 2"
    assert escaped_failures(caught.value) == [
        Record("assert", "fail", subject="1 == 2", message=text)
    ]
    assert not only_assertions(caught.value)


def test_an_operator_that_raises_raises_as_without_rewriting(recording: Any) -> None:
    with pytest.raises(TypeError, match="not supported between"):
        run("assert 1 < 'a'")
    with pytest.raises(TypeError, match="not iterable"):
        run("assert 1 in 2")


def test_asserts_leave_no_names_behind(recording: Any) -> None:
    scope = run(
        """
        assert True
        class Body:
            here = 1
            assert here == 1, "class scope"
        """
    )
    assert sorted(n for n in scope if not n.startswith("__")) == ["Body"]
    assert [n for n in vars(scope["Body"]) if n.startswith("@")] == []


def test_await_and_yield_work_in_operands_and_messages(recording: Any) -> None:
    scope = run(
        """
        async def one(): return 1
        async def passes():
            assert await one() == 1, await one()
        async def fails():
            assert await one() == 2, f"got {await one()}"
        def generator():
            assert (yield "a") == 1, (yield "b")
        class Scoped:
            name = "in class"
            try:
                assert not name, name
            except AssertionError as error:
                said = str(error)
        """
    )
    asyncio.run(scope["passes"]())
    with pytest.raises(AssertionError, match="got 1: assert 1 == 2"):
        asyncio.run(scope["fails"]())
    running = scope["generator"]()
    assert (next(running), running.send(2)) == ("a", "b")
    with pytest.raises(AssertionError, match=r"^said: assert 2 == 1$"):
        running.send("said")
    assert scope["Scoped"].said == "in class: assert not name"


def test_an_assert_in_an_assert_s_call_has_its_own_check(recording: Any) -> None:
    with pytest.raises(AssertionError) as caught:
        run(
            """
            def inner(x):
                assert x, "inner"
                return x
            assert inner(1) == 2, inner(3)
            """
        )
    assert str(caught.value) == "3: assert 1 == 2"
    assert [r.subject for r in recording.records] == ["x", "x"]
    assert [r.subject for r in escaped_failures(caught.value)] == ["inner(1) == 2"]


def test_a_failure_the_body_catches_is_not_a_failed_check(recording: Any) -> None:
    scope = run(
        """
        def body():
            try:
                assert 1 == 2
            except AssertionError:
                pass
            raise ValueError("after")
        """
    )
    with pytest.raises(ValueError, match="after") as caught:
        scope["body"]()
    assert escaped_failures(caught.value) == []


def test_a_failure_an_error_was_raised_while_handling_is_recorded(recording: Any) -> None:
    with pytest.raises(ValueError, match="then") as caught:
        run(
            """
            try:
                assert 1 == 2
            except AssertionError:
                raise ValueError("then")
            """
        )
    assert [r.message for r in escaped_failures(caught.value)] == ["assert 1 == 2"]


def test_every_failure_of_a_group_is_recorded(recording: Any) -> None:
    errors: list[Exception] = []
    for source in ("assert 1 == 2", "assert 3 == 4"):
        with pytest.raises(AssertionError) as caught:
            run(source)
        errors.append(caught.value)
    group = ExceptionGroup("both", errors)
    assert [r.message for r in escaped_failures(group)] == ["assert 1 == 2", "assert 3 == 4"]
    assert only_assertions(group)
    assert not only_assertions(ExceptionGroup("mixed", [*errors, ValueError()]))


def test_an_assert_of_another_file_is_named_by_its_source(recording: Any) -> None:
    def elsewhere() -> None:
        assert 1 + 1 == 3, "sums"

    with pytest.raises(AssertionError) as caught:
        elsewhere()
    (record,) = escaped_failures(caught.value)
    assert record.subject == "1 + 1 == 3"


def test_an_assertion_error_raised_by_hand_is_named_so(recording: Any) -> None:
    error = AssertionError("by hand")
    assert escaped_failures(error) == [
        Record("assert", "fail", subject="AssertionError", message="by hand")
    ]


def test_an_assert_of_a_tuple_warns_as_python_does() -> None:
    with pytest.warns(SyntaxWarning, match="assertion is always true"):
        compile_eval("assert (1, 'message')", "x.eval.py")


def test_an_assert_outside_an_attempt_still_asserts() -> None:
    run("assert True")
    with pytest.raises(AssertionError, match="assert 1 == 2"):
        run("assert 1 == 2")


def test_a_future_import_and_a_docstring_stay_first() -> None:
    scope = run('"""Doc."""\nfrom __future__ import annotations\nassert True\nx: undefined = 1\n')
    assert scope["__doc__"] == "Doc."


def test_a_traceback_points_at_the_assert(recording: Any) -> None:
    with pytest.raises(AssertionError) as caught:
        run("x = 1\n\nassert x == 2\n")
    frames = inspect.getinnerframes(caught.value.__traceback__)
    assert (frames[-1].filename, frames[-1].lineno) == ("x.eval.py", 3)
