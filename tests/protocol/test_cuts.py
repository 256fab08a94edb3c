"""Texts cut to a limit, with the mark where they were cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reeval.protocol.cuts import cut, tail


def test_what_fits_is_left_alone_and_what_does_not_is_marked():
    assert (cut("abc", 3), cut("abcd", 3)) == ("abc", "ab…")
    assert (tail("abc", 3), tail("abcd", 3)) == ("abc", "…cd")


@given(st.text(min_size=2), st.data())
def test_a_cut_text_is_as_long_as_the_limit_with_its_mark(text, data):
    limit = data.draw(st.integers(min_value=1, max_value=len(text) - 1))
    assert cut(text, limit) == text[: limit - 1] + "…"
    assert tail(text, limit) == "…" + text[len(text) - limit + 1 :]
    assert len(cut(text, limit)) == len(tail(text, limit)) == limit
