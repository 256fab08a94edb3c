"""When two JSON values are the same."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reeval.grading.equality import equal, kind_of

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(json_values)
def test_a_value_equals_what_it_is_after_a_trip_over_the_wire(value):
    assert equal(value, json.loads(json.dumps(value)))


@given(json_values, json_values)
def test_equality_is_symmetric_and_says_what_json_says(a, b):
    assert equal(a, b) == equal(b, a)
    # The same text is the same value; another text may still be, as 1 and 1.0 are.
    if json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True):
        assert equal(a, b)


PAIRS = [
    (1, 1.0, True),
    (0.0, -0.0, True),
    (math.nan, math.nan, True),
    ([math.nan], [math.nan], True),
    (2**63, float(2**63), True),
    (2**63 + 1, float(2**63), False),
    (True, 1, False),
    ([0], [False], False),
    ("1", 1, False),
    (None, False, False),
    ([], {}, False),
    ([1], [1, 2], False),
    ({"a": 1}, {"a": 1, "b": None}, False),
]


@pytest.mark.parametrize(("a", "b", "same"), PAIRS)
def test_by_jsons_types(a, b, same):
    assert equal(a, b) is same


def test_kinds_have_their_articles():
    kinds = [kind_of(value) for value in (None, True, 1, 1.5, "", [], {})]
    assert kinds == [
        "null", "a boolean", "a number", "a number", "a string", "a list", "an object",
    ]  # fmt: skip
