"""Matchers on a value: a JSON value, a file's contents, or what a command printed.

`toBe` and `toEqual` are the same here, both deep: an object's identity doesn't cross the wire.
A value of a kind a matcher isn't about, such as the length of a number, fails negated too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reeval.config.errors import UsageError
from reeval.grading.answer import Answer, answer, arguments, unreadable
from reeval.grading.base import Subjects
from reeval.grading.commands import result_of
from reeval.grading.difference import difference
from reeval.grading.equality import equal, is_number, kind_of
from reeval.grading.patterns import Patterns, described, is_pattern
from reeval.grading.shown import shown
from reeval.protocol import messages as m

_SUBJECT = 100
"""Characters of a value as a sentence's subject."""


@dataclass(frozen=True, slots=True)
class Actual:
    """The value to check. `name` is the file or command it came from, None for a plain value.

    `text` is what text matchers read: a command's output is its stdout, then its stderr.
    """

    value: Any
    text: Any
    name: str | None = None

    def subject(self) -> str:
        return shown(self.value, _SUBJECT) if self.name is None else self.name

    def received(self) -> str:
        """What a named subject held, for the end of a sentence."""
        if self.name is None:
            return ""
        if self.text is None:
            return ", but there is no such file"
        return f", received {shown(self.text)}"


ValueMatcher = Callable[[m.Expect, Actual, Patterns], Answer]


async def read_actual(call: m.Expect, subjects: Subjects) -> Actual:
    """The subject's value. Raises `CannotAnswer` for a turn or the attempt."""
    match call.subject:
        case m.ValueSubject(value=value):
            return Actual(value, value)
        case m.FileSubject(path=path):
            contents = await subjects.read_file(path)
            text = None if contents is None else contents.decode("utf-8", "replace")
            return Actual(text, text, path)
        case m.ExecSubject() as subject:
            result = await result_of(subject, subjects)
            value = {
                "exitCode": result.exit_code,
                "stdout": result.stdout,
                "stderr": result.stderr,
            }
            return Actual(value, result.stdout + result.stderr, f"`{subject.command}`")
        case m.TurnSubject():
            raise unreadable(call, "reads a value, not a turn: check a field, such as turn.text")
        case m.AttemptSubject():
            raise unreadable(
                call, "reads a value, not c: check a value, such as c.read_file(…) or c.turns"
            )


# ── the same, null, truthy ───────────────────────────────────────────────────────────────────


def _to_be(call: m.Expect, actual: Actual, patterns: Patterns) -> Answer:
    (expected,) = arguments(call, 1, 1, "one expected value")
    holds = equal(actual.value, expected)
    verb = "be" if call.matcher == "toBe" else "equal"

    def explain(negated: bool) -> str:
        clause = f"not to {verb}" if negated else f"to {verb}"
        text = f"expected {actual.subject()} {clause} {shown(expected, _SUBJECT)}"
        if negated:
            return text
        diff = difference(expected, actual.value)
        return f"{text}\n{diff}" if diff else text + actual.received()

    return Answer(holds, explain)


def _to_be_null(call: m.Expect, actual: Actual, patterns: Patterns) -> Answer:
    arguments(call, 0, 0, "no argument")
    return answer(actual.value is None, actual.subject, "be null", actual.received())


def _to_be_truthy(call: m.Expect, actual: Actual, patterns: Patterns) -> Answer:
    """As Python has it: false, null, 0 and what is empty are not."""
    arguments(call, 0, 0, "no argument")
    return answer(bool(actual.value), actual.subject, "be truthy", actual.received())


# ── text and lists ───────────────────────────────────────────────────────────────────────────


def _to_contain(call: m.Expect, actual: Actual, patterns: Patterns) -> Answer:
    """A string in text or a pattern found in it, an item of a list, a key of an object."""
    (needle,) = arguments(call, 1, 1, "one value to look for")
    clause = f"contain {described(needle)}"
    text = actual.text
    if isinstance(text, str):
        if not (isinstance(needle, str) or is_pattern(needle)):
            return _wrong_kind(actual, clause, f"a string contains strings, not {kind_of(needle)}")
        holds = patterns.contained(needle, "toContain")(text)
        return answer(holds, actual.subject, clause, actual.received())
    if isinstance(text, list):
        holds = any(_is(item, needle, patterns) for item in text)
        return answer(holds, actual.subject, clause)
    if isinstance(text, dict):
        holds = any(_is(key, needle, patterns) for key in text)
        return answer(holds, actual.subject, clause)
    if actual.name is not None:
        return answer(None, actual.subject, clause, actual.received())
    return _wrong_kind(actual, clause, f"{kind_of(text)} contains nothing")


def _is(item: Any, needle: Any, patterns: Patterns) -> bool:
    if is_pattern(needle):
        return isinstance(item, str) and patterns.searched(needle)(item)
    return equal(item, needle)


def _to_match(call: m.Expect, actual: Actual, patterns: Patterns) -> Answer:
    (wanted,) = arguments(call, 1, 1, "one string or pattern")
    clause = f"match {described(wanted)}"
    test = patterns.contained(wanted, "toMatch")
    if isinstance(actual.text, str):
        return answer(test(actual.text), actual.subject, clause, actual.received())
    if actual.name is not None:
        return answer(None, actual.subject, clause, actual.received())
    return _wrong_kind(actual, clause, f"it is {kind_of(actual.text)}, not a string")


def _to_have_length(call: m.Expect, actual: Actual, patterns: Patterns) -> Answer:
    (length,) = arguments(call, 1, 1, "one length")
    if not isinstance(length, int) or isinstance(length, bool) or length < 0:
        raise UsageError(f"toHaveLength takes a whole number from 0, got {shown(length)}")
    value = actual.text
    clause = f"have length {length}"
    if not isinstance(value, str | list | dict):
        if actual.name is not None:
            return answer(None, actual.subject, clause, actual.received())
        return _wrong_kind(actual, clause, f"{kind_of(value)} has no length")
    return answer(len(value) == length, actual.subject, clause, f", it has length {len(value)}")


# ── numbers ──────────────────────────────────────────────────────────────────────────────────


def _compares(words: str, holds: Callable[[Any, Any], bool]) -> ValueMatcher:
    def matcher(call: m.Expect, actual: Actual, patterns: Patterns) -> Answer:
        (bound,) = arguments(call, 1, 1, "one number")
        if not is_number(bound):
            raise UsageError(f"{call.matcher} takes a number, got {shown(bound)}")
        clause = f"be {words} {shown(bound)}"
        if not is_number(actual.value):
            return _wrong_kind(actual, clause, f"it is {kind_of(actual.value)}, not a number")
        return answer(holds(actual.value, bound), actual.subject, clause)

    return matcher


def _to_be_close_to(call: m.Expect, actual: Actual, patterns: Patterns) -> Answer:
    """Within half a unit of the given decimal place, 2 when none is given."""
    expected, digits = (*arguments(call, 1, 2, "a number and how many digits count"), 2)[:2]
    if not is_number(expected) or not isinstance(digits, int) or isinstance(digits, bool):
        raise UsageError(
            "toBeCloseTo takes a number and how many decimal places count, "
            f"got {shown(expected)} and {shown(digits)}"
        )
    clause = f"be close to {shown(expected)} ({digits} decimal places)"
    if not is_number(actual.value):
        return _wrong_kind(actual, clause, f"it is {kind_of(actual.value)}, not a number")
    holds = actual.value == expected or abs(actual.value - expected) < 10.0**-digits / 2
    return answer(holds, actual.subject, clause)


# ── properties ───────────────────────────────────────────────────────────────────────────────

_MISSING = object()


def _to_have_property(call: m.Expect, actual: Actual, patterns: Patterns) -> Answer:
    """A key, or a path of keys and positions: `"a.b.0"`, `"a[0].b"` or a list of them."""
    path, *rest = arguments(call, 1, 2, "a path and, if it matters, its value")
    keys = _keys(path)
    found = actual.value
    if isinstance(found, dict) and isinstance(path, str) and path in found:
        found = found[path]
    else:
        for key in keys:
            found = _member(found, key)
    clause = f"have property {shown(path)}"
    if not rest:
        detail = "" if found is _MISSING else f", it is {shown(found)}"
        return answer(found is not _MISSING, actual.subject, clause, detail)
    clause += f" with value {described(rest[0])}"
    if found is _MISSING:
        return answer(False, actual.subject, clause, ", it has no such property")
    return answer(_is(found, rest[0], patterns), actual.subject, clause, f", it is {shown(found)}")


def _keys(path: Any) -> list[str | int]:
    if isinstance(path, list) and path and all(isinstance(k, str | int) for k in path):
        return path
    if isinstance(path, str) and path:
        return [key for key in path.replace("[", ".").replace("]", "").split(".") if key]
    raise UsageError(f'toHaveProperty takes a path such as "a.b.0" or a list, got {shown(path)}')


def _member(value: Any, key: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(str(key), _MISSING)
    if isinstance(value, list):
        try:
            index = int(key)
        except ValueError:
            return _MISSING
        return value[index] if 0 <= index < len(value) else _MISSING
    return _MISSING


def _wrong_kind(actual: Actual, clause: str, why: str) -> Answer:
    return answer(None, actual.subject, clause, f": {why}")


VALUE_MATCHERS: dict[str, ValueMatcher] = {
    "toBe": _to_be,
    "toEqual": _to_be,
    "toBeNull": _to_be_null,
    "toBeTruthy": _to_be_truthy,
    "toContain": _to_contain,
    "toMatch": _to_match,
    "toHaveLength": _to_have_length,
    "toBeGreaterThan": _compares("greater than", operator.gt),
    "toBeGreaterThanOrEqual": _compares("greater than or equal to", operator.ge),
    "toBeLessThan": _compares("less than", operator.lt),
    "toBeLessThanOrEqual": _compares("less than or equal to", operator.le),
    "toBeCloseTo": _to_be_close_to,
    "toHaveProperty": _to_have_property,
}
