"""Lines are whole whatever the chunks, and a long one costs time that follows its length."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reeval.launcher.lines import Lines


@given(st.lists(st.binary(max_size=20).map(lambda b: b.replace(b"x", b"\n")), max_size=30))
def test_any_chunking_gives_the_same_lines(chunks: list[bytes]) -> None:
    lines = Lines()
    got = [line for chunk in chunks for line in lines.feed(chunk)]
    *whole, rest = b"".join(chunks).split(b"\n")
    assert got == whole
    assert lines.held == len(rest)
    assert lines.rest() == rest
    assert lines.held == 0


def test_a_line_in_many_chunks_is_joined_once() -> None:
    lines = Lines()
    for _ in range(1000):
        assert lines.feed(b"a" * 65536) == []
    assert lines.held == 65_536_000
    (line,) = lines.feed(b"\n")
    assert len(line) == 65_536_000
