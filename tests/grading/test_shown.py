"""Values as messages show them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reeval.grading.shown import shown, size

SHOWN = [
    (None, "null"),
    (True, "true"),
    (1.5, "1.5"),
    (float("nan"), "NaN"),
    ('a "b"\n', '"a \\"b\\"\\n"'),
    ("né\x1b[31m", '"né\\u001b[31m"'),
    ("\ud800", '"\\ud800"'),
    ([1, {"a": "b"}], '[1, {"a": "b"}]'),
    ("x" * 300, '"' + "x" * 198 + "…"),
    ([[[[[[[1]]]]]]], '[[[[[["…"]]]]]]'),
    (list(range(100)), "[" + ", ".join(str(n) for n in range(40)) + ', "…"]'),
    (object, "<type>"),
]


@pytest.mark.parametrize(("value", "text"), SHOWN)
def test_a_value_is_shown_as_json(value, text):
    assert shown(value) == text


class Odd:
    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize("value", [Odd(), {"a": {1, 2}}, [Odd()], b"x"])
def test_showing_what_is_no_json_does_not_raise(value):
    assert shown(value).startswith("<")


values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(values, st.integers(min_value=5, max_value=300))
def test_it_is_short_enough_and_can_be_written(value, limit):
    text = shown(value, limit)
    text.encode("utf-8")
    assert len(text) <= limit


def test_a_huge_value_is_shown_without_writing_it_whole():
    assert len(shown({"a": ["x" * 10_000_000] * 1000})) == 200


def test_a_size_has_its_noun_in_number():
    assert [size(n, "file") for n in (0, 1, 12_000)] == ["0 files", "1 file", "12,000 files"]
