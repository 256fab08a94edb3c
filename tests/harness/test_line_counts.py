"""Lines added and removed by an edit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reeval.harness.line_counts import EXACT_LINES, edit_counts

CASES = [
    ("", "", (0, 0)),
    ("", "a\nb\n", (2, 0)),
    ("a\nb\n", "", (0, 2)),
    ("a\nb\nc\n", "a\nX\nc\n", (1, 1)),
    ("a\n", "a", (1, 1)),
    ("a\na\na\n", "a\na\n", (0, 1)),
    ("a\nb\nc\nd\n", "a\nc\nb\nd\n", (1, 1)),
]


@pytest.mark.parametrize(("before", "after", "counts"), CASES)
def test_counts(before, after, counts):
    assert edit_counts(before, after) == counts


text = st.lists(st.sampled_from(["a\n", "b\n", "c\n"]), max_size=12).map("".join)


@given(text, text)
def test_what_is_added_less_what_is_removed_is_the_growth(before, after):
    added, removed = edit_counts(before, after)
    assert added - removed == after.count("\n") - before.count("\n")
    assert removed <= before.count("\n")
    assert ((added, removed) == (0, 0)) is (before == after)


def test_a_huge_rewrite_counts_as_replaced_whole():
    before = "".join(f"{n}\n" for n in range(EXACT_LINES + 2))
    after = "x\n" + before.replace("\n", "\r\n")
    assert edit_counts(before, after) == (EXACT_LINES + 3, EXACT_LINES + 2)
