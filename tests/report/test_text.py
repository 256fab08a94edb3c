"""Nothing that a stranger wrote can move the cursor, hide, or command a CI."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reeval.report.text import (
    clean,
    cut,
    defuse,
    excerpt,
    excerpt_lines,
    one_line,
    pad,
    plural,
    safe_json,
    shown,
    split,
    width_of,
)  # fmt: skip

HOSTILE = [
    "\x1b[2J\x1b[H", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\link", "\x9b31m", "\x1b", "\r",
    "\0", "\x08\x08", "\u202e", "\u200b", "\ud800", "\u2028", "\x7f", "\x1b[8m", "\x1bc",
    "::error::x", "  ::set-output name=a::b", "##[error]x", "##vso[task.complete]",
    "section_start:1:x\r\x1b[0K", "##teamcity[x]", "\n", "日本", "👩\u200d👩", "plain", "\t",
]  # fmt: skip
hostile_text = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=5))).map("".join)
DANGER = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
COMMAND = re.compile(r"^\s*(::|section_(start|end):)|##(vso)?\[|^\s*##teamcity\[")


@pytest.mark.parametrize(
    ("raw", "safe"),
    [
        ("plain\n\ttext é 日本", "plain\n\ttext é 日本"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;pwned\x07title", "title"),
        ("\x1b]8;;https://evil\x1b\\click\x1b]8;;\x1b\\", "click"),
        ("\x1bP1;2qdata\x1b\\after", "after"),
        ("\x9b2Jgone", "gone"),
        ("an open \x1b]0;sequence hides nothing", "an open ␛]0;sequence hides nothing"),
        ("\x1b\x1b[0m[31m", "␛[31m"),
        ("50%\r100%\r\ndone", "50%␍100%\ndone"),
        ("a\0b\x07\x08\x7f", "a␀b␇␈␡"),
        ("user\u202etxt.exe", "user<U+202E>txt.exe"),
        ("pay\u200bpal", "pay<U+200B>pal"),
        ("\ud83d alone", "<U+D83D> alone"),
        ("one\u2028line", "one<U+2028>line"),
        ("tag\U000e0041s", "tag<U+E0041>s"),
        ("👩\u200d👩\u200d👧 joins", "👩\u200d👩\u200d👧 joins"),
    ],
)
def test_what_cannot_be_seen_is_dropped_or_made_visible(raw: str, safe: str) -> None:
    assert clean(raw) == safe


@pytest.mark.parametrize(
    ("raw", "safe"),
    [
        ("::error file=a::b", ": :error file=a::b"),
        ("\t ::stop-commands::x", "\t : :stop-commands::x"),
        ("a::b and ::c", "a::b and ::c"),
        ("x ##[group]y", "x # #[group]y"),
        ("##vso[task.setvariable]", "# #vso[task.setvariable]"),
        ("###[x]", "## #[x]"),
        ("section_start:1:name", "section_ start:1:name"),
        ("##teamcity[x]", "# #teamcity[x]"),
        ("## a heading", "## a heading"),
    ],
)
def test_a_ci_finds_no_command_in_a_line(raw: str, safe: str) -> None:
    assert defuse(raw) == safe


@given(hostile_text, st.booleans())
def test_no_line_that_is_written_is_dangerous(text: str, styled: bool) -> None:
    own = "\x1b[31m" if styled else ""
    for line in shown(own + text, styled=styled):
        bare = re.sub("\x1b\\[(0|1|2|31|32|33|36)m", "", line) if styled else line
        assert not DANGER.search(bare)
        assert not COMMAND.search(bare)


@given(hostile_text)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(hostile_text, st.integers(0, 30))
def test_a_cut_text_fits_its_width(text: str, width: int) -> None:
    line = one_line(text)
    assert width_of(cut(line, width)) <= width
    assert width_of(line) > width or cut(line, width) == line


@pytest.mark.parametrize(
    ("text", "width", "out"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde…"),
        ("日本語", 6, "日本語"),
        ("日本語です", 6, "日本…"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
        ("x" * 500, None, "x" * 500),
    ],
)
def test_cutting_counts_wide_characters_twice(text: str, width: int | None, out: str) -> None:
    assert cut(text, width) == out


def test_one_line_of_several_says_that_there_is_more() -> None:
    assert one_line('\n\n  node -e "a((m) => {\n  b\n})"') == 'node -e "a((m) => {…'
    assert one_line("a\tb\n") == "a b"
    assert one_line("cut already…\nmore") == "cut already…"
    assert one_line(" \n ") == ""


def test_lines_end_at_newlines_alone() -> None:
    assert split("a\x0bb\nc\r\nd\n") == ["a␋b", "c", "d"]
    assert split("") == []
    assert split("\n\n") == ["", ""]


def test_padding_always_leaves_a_gap() -> None:
    assert pad("日本", 6) == "日本  "
    assert pad("too long", 3) == "too long "


def test_an_excerpt_keeps_both_ends_and_counts_the_rest() -> None:
    assert excerpt("a" * 50 + "b" * 51, 20) == (
        "aaaaaaaaaa\n… 81 characters left out …\nbbbbbbbbbb"
    )
    assert excerpt_lines([str(n) for n in range(10)], 5) == [
        "0", "1", "2", "… 5 lines left out …", "8", "9",
    ]  # fmt: skip
    assert excerpt_lines(["a"], 5) == ["a"]


def test_a_plural_follows_its_count() -> None:
    assert plural(1, "try", "tries") == "1 try"
    assert plural(0, "file edit") == "0 file edits"
    assert plural(1200, "try", "tries") == "1,200 tries"


@given(st.dictionaries(hostile_text, st.lists(hostile_text, max_size=3), max_size=3))
def test_json_reads_back_and_holds_no_command(value: Any) -> None:
    line = safe_json(value)
    assert json.loads(line) == value
    assert line.isascii()
    assert line.isprintable()
    assert not COMMAND.search(line)
