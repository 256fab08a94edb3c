"""A stranger's text inside a Markdown page: shown as it is, never as markup, link or mention."""

from __future__ import annotations

import re

from reeval.report.text import clean, cut

_MARKUP = re.compile(r"[\\`*_{}\[\]|~$#!]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "@&#8203;"}
_ENTITY = re.compile("[&<>@]")
# GFM turns these into links by itself; an entity in the middle stops it.
_LINKS = re.compile(r":(?=//)|(?<=\bwww)\.", re.IGNORECASE)
_TICKS = re.compile("`+")
_FENCE_LINE = re.compile(r" {0,3}(`{3,}|~{3,})")


def escape(text: str, width: int | None = None) -> str:
    """Text for a paragraph or a table's cell, on one line."""
    line = cut(" ".join(clean(text).split()), width)
    line = _MARKUP.sub(r"\\\g<0>", line)
    line = _ENTITY.sub(lambda found: _ENTITIES[found[0]], line)
    return _LINKS.sub(lambda found: f"&#{ord(found[0])};", line)


def code(text: str, width: int | None = None, *, in_table: bool = False) -> str:
    """Text as a code span, whatever backticks it has. `in_table`: it can't leave the cell."""
    line = cut(" ".join(clean(text).split()), width)
    if not line:
        return "` `"
    ticks = "`" * (_longest_run(line) + 1)
    gap = " " if "`" in line else ""
    if in_table:  # the one place where a backslash means something in a code span
        line = line.replace("|", r"\|")
    return f"{ticks}{gap}{line}{gap}{ticks}"


def fence(lines: list[str], info: str = "text", indent: str = "") -> list[str]:
    """Cleaned lines as a code block that none of them can close."""
    ticks = "`" * max(3, _longest_run("\n".join(lines)) + 1)
    return [f"{indent}{ticks}{info}", *(indent + line for line in lines), f"{indent}{ticks}"]


def _longest_run(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)


def cut_page(page: str, limit: int, note: str) -> str:
    """A page of at most `limit` bytes of UTF-8, cut between lines, open code blocks closed."""
    if len(page.encode()) <= limit:
        return page
    room = limit - len(note.encode()) - 200
    kept: list[str] = []
    open_fence = ""
    for line in page.split("\n"):
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(line)
        found = _FENCE_LINE.match(line)
        if found and not open_fence:
            open_fence = found[1]
        elif found and found[1].startswith(open_fence) and not line.strip(" `~"):
            open_fence = ""
    if open_fence:
        kept.append(open_fence)
    return "\n".join([*kept, "", note, ""])
