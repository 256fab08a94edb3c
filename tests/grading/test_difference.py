"""Expected against received, as a short diff."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reeval.grading.difference import LINE_WIDTH, MAX_LINES, difference

DIFFS = [
    (1, 2, ""),
    ("a", "b", ""),
    (None, "a", ""),
    ([], {}, ""),
    ([1], [1], ""),
    ("a\nb", "a\nc", "  a\n- b\n+ c"),
    ("a\r\nb", "a\nb", "- a\n+ a\n  b"),
    ("a", "a\n", "  a\n+ "),
    ([1, 2, 3], [1, 3], "  [\n    1,\n-   2,\n    3\n  ]"),
    ({"b": 1, "a": 2}, {"a": 2, "b": 3}, '  {\n    "a": 2,\n-   "b": 1\n+   "b": 3\n  }'),
    (
        "\n".join("abcdefghij"),
        "\n".join("AbcdefghiJ"),
        "- a\n+ A\n  b\n  c\n  …\n  h\n  i\n- j\n+ J",
    ),
    ("x\n" + "y" * 200, "x", "  x\n- " + "y" * 159 + "…"),
]  # fmt: skip


@pytest.mark.parametrize(("expected", "received", "body"), DIFFS)
def test_the_diff(expected, received, body):
    head = "- expected\n+ received\n" if body else ""
    assert difference(expected, received) == head + body


def test_a_long_diff_says_how_much_more_there_is():
    lines = difference([], list(range(100))).splitlines()
    assert len(lines) == MAX_LINES + 3
    assert lines[-1] == "… 83 more lines"


def test_texts_too_long_to_compare_show_where_they_first_differ():
    old = "\n".join(str(n) for n in range(3000))
    assert difference(old, old.replace("2500\n", "x\n")) == (
        "- expected\n+ received\n  … first difference at line 2,501, of 3,000 and 3,000\n"
        "- 2500\n- 2501\n- 2502\n+ x\n+ 2501\n+ 2502"
    )


values = st.recursive(
    st.none() | st.integers() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(values, values)
def test_it_is_short_and_can_be_written_whatever_it_compares(expected, received):
    text = difference(expected, received)
    text.encode("utf-8")
    lines = text.split("\n")
    assert len(lines) <= MAX_LINES + 3
    assert all(len(line) <= LINE_WIDTH + 2 for line in lines)
