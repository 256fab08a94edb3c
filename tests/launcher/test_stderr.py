"""What a runner writes to stderr is passed on at once and never kept without bound."""

from __future__ import annotations

from reeval.launcher.stderr import Stderr


def test_lines_are_passed_on_as_they_end() -> None:
    seen: list[str] = []
    stderr = Stderr(seen.append)
    stderr.feed(b"one\r\ntw")
    assert seen == ["one"]
    stderr.feed(b"o\nthr")
    stderr.end()
    assert seen == ["one", "two", "thr"]
    assert stderr.tail == "one\r\ntwo\nthr"


def test_the_tail_is_the_last_64_kib() -> None:
    stderr = Stderr(lambda line: None)
    for number in range(10_000):
        stderr.feed(b"%09d\n" % number)
    assert stderr.tail.endswith("000009999")
    assert 64 * 1024 - 10 <= len(stderr.tail) <= 64 * 1024


def test_a_line_without_end_comes_in_pieces() -> None:
    seen: list[str] = []
    stderr = Stderr(seen.append)
    for _ in range(5):
        stderr.feed(b"x" * 50_000)
    assert [len(piece) for piece in seen] == [100_000, 100_000]


def test_bytes_that_are_no_text_are_replaced() -> None:
    seen: list[str] = []
    Stderr(seen.append).feed(b"a\xff\n")
    assert seen == ["a\ufffd"]
