"""A stranger's text on a Markdown page stays text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from reeval.report.markdown import code, cut_page, escape, fence
from reeval.report.text import clean

READER = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
MARKUP = st.lists(
    st.one_of(
        st.sampled_from(
            ["`", "``", "```", "|", "<b>", "</details>", "[x](y)", "![i](u)", "*", "_", "\\", "~~",
             "&lt;", "<!--", "@jane", "http://x", "www.x.org", "$x$", "\n", "#", "-", " "]
        ),
        st.text(max_size=4),
    )
).map("".join)  # fmt: skip


def words(text: str) -> str:
    return " ".join(clean(text).split())


@given(MARKUP)
def test_escaped_text_is_read_back_as_it_was(text: str) -> None:
    tokens = READER.parseInline(f"x {escape(text)} x")[0].children or []
    assert {token.type for token in tokens} <= {"text", "text_special"}
    read = "".join(token.content for token in tokens).replace("@\u200b", "@")
    assert " ".join(read.split()) == " ".join(f"x {words(text)} x".split())


@given(MARKUP)
def test_a_code_span_holds_any_text(text: str) -> None:
    tokens = READER.parseInline(f"x {code(text)} x")[0].children or []
    assert [token.type for token in tokens] == ["text", "code_inline", "text"]
    assert tokens[1].content.strip() == words(text).strip()


@given(MARKUP, MARKUP)
def test_a_tables_cell_cannot_be_left(left: str, right: str) -> None:
    row = f"| {escape(left)} | {code(right, in_table=True)} |"
    page = READER.render(f"| a | b |\n|---|---|\n{row}\n")
    assert page.count("<td>") == 2
    assert page.count("<tr>") == 2


@given(MARKUP)
def test_a_code_block_cannot_be_closed_from_within(text: str) -> None:
    lines = clean(text).split("\n")
    tokens = READER.parse("\n".join([*fence(lines), "after"]))
    assert tokens[0].type == "fence"
    assert tokens[0].content == "".join(f"{line}\n" for line in lines)
    assert len(tokens) == 4  # the block, and a paragraph of "after"


@pytest.mark.parametrize(
    ("raw", "safe"),
    [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("a | b", r"a \| b"),
        ("@octocat", "@&#8203;octocat"),
        ("see http://evil.example", "see http&#58;//evil.example"),
        ("www.evil.example", "www&#46;evil.example"),
        ("two\nlines", "two lines"),
    ],
)
def test_markup_mentions_and_links_are_escaped(raw: str, safe: str) -> None:
    assert escape(raw) == safe


def test_a_page_is_cut_between_lines_with_its_code_closed() -> None:
    page = "\n".join(["intro", "````text", *["```é line"] * 200, "````", "outro"])
    cut = cut_page(page, 1000, "_cut_")
    assert len(cut.encode()) <= 1000
    assert cut.startswith("intro\n````text\n```é line\n")
    assert cut.endswith("```é line\n````\n\n_cut_\n")
    assert not re.search("outro", cut)
    assert cut_page("short", 1000, "_cut_") == "short"
