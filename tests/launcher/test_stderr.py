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
    assert stderr.tail.startswith("…")
    assert 64 * 1024 - 10 <= len(stderr.tail) - len("…") <= 64 * 1024


def test_a_line_without_end_comes_in_pieces_with_marks_where_they_were_cut() -> None:
    seen: list[str] = []
    stderr = Stderr(seen.append)
    for _ in range(5):
        stderr.feed(b"x" * 50_000)
    assert seen == ["x" * 100_000 + "…", "…" + "x" * 100_000 + "…"]
    stderr.feed(b"y\nnext\n")
    assert seen[2:] == ["…" + "x" * 50_000 + "y", "next"]


def test_what_fits_in_the_tail_has_no_mark() -> None:
    stderr = Stderr(lambda line: None)
    stderr.feed(b"x" * 64 * 1024)
    assert stderr.tail == "x" * 64 * 1024


def test_bytes_that_are_no_text_are_replaced() -> None:
    seen: list[str] = []
    Stderr(seen.append).feed(b"a\xff\n")
    assert seen == ["a\ufffd"]
