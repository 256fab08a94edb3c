"""When two JSON values are the same."""

from __future__ import annotations

from typing import Any


def equal(a: Any, b: Any) -> bool:
    """Deep, by JSON's types: `true` is not 1, 1 is 1.0, and NaN is itself."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return a == b or (a != a and b != b)  # noqa: PLR0124  only NaN differs from itself
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return False
        return all(equal(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        if a.keys() != b.keys():
            return False
        return all(equal(x, b[key]) for key, x in a.items())
    return type(a) is type(b) and bool(a == b)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def kind_of(value: Any) -> str:
    """What a JSON value is, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "a list" if isinstance(value, list) else "an object"
