"""Text of a stranger made harmless to show: nothing moves the cursor, hides, or commands a CI.

What an agent, a command or an eval printed is data. Escape sequences are dropped; every other
character that can't be seen is shown as a picture (`␛`) or by its number (`<U+202E>`).
"""

from __future__ import annotations

import json
import re
from typing import Any

_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
)
_SUSPECT = re.compile(f"[{_HIDDEN}]")
# A string sequence (OSC, DCS, …) counts only when it is closed, so an open one can't swallow text.
_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]{0,2048}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-Z\\`-~]"
)
# GitHub reads `::…` at a line's start, and `##[…` anywhere in it, as Azure does `##vso[…`.
_COMMAND_AT_START = re.compile(r"(\s*)(:(?=:)|section_(?=start:|end:)|#(?=#teamcity\[))")
_COMMAND_ANYWHERE = re.compile(r"#(?=#(?:vso)?\[)")
_OWN_STYLE = re.compile("(\x1b\\[(?:0|1|2|31|32|33|36)m)")
"""The only escape sequences reeval itself writes in lines; see `terminal.Style`."""


def clean(text: str) -> str:
    """The text with nothing in it that a terminal obeys or hides; newlines and tabs stay."""
    if not _SUSPECT.search(text):
        return text
    return _SUSPECT.sub(_picture, _ESCAPE.sub("", text.replace("\r\n", "\n")))


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"<U+{code:04X}>"


def split(text: str) -> list[str]:
    """The cleaned text's lines. The end of the last line opens no further one."""
    lines = clean(text).split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def defuse(line: str) -> str:
    """A line that no CI takes for a command of its own: a space is put into the marker."""
    if ":" not in line and "#" not in line:
        return line
    found = _COMMAND_AT_START.match(line)
    if found:
        line = f"{line[: found.end()]} {line[found.end() :]}"
    return _COMMAND_ANYWHERE.sub("# ", line)


def shown(text: str, *, styled: bool = False) -> list[str]:
    """The lines to write for one line of a report: the last guard before a stream.

    `styled` lets the few colour codes pass that reeval writes itself.
    """
    if text.isascii() and text.isprintable():
        return [defuse(text)]
    if not styled:
        return [defuse(line) for line in clean(text).split("\n")]
    parts = _OWN_STYLE.split(text)
    parts[::2] = ["\n".join(map(defuse, clean(part).split("\n"))) for part in parts[::2]]
    return "".join(parts).split("\n")


# ── fitting a width ──────────────────────────────────────────────────────────────────────────


def width_of(text: str) -> int:
    """How many terminal cells the text takes: two for most of CJK and for emoji."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, width: int | None) -> str:
    """The text in at most `width` cells, an `…` where something was left out; None cuts nothing."""
    if width is None or len(text) * 2 <= width or width_of(text) <= width:
        return text
    if width <= 1:
        return "…"[:width]
    if text.isascii():
        return text[: width - 1] + "…"
    from rich.cells import set_cell_size

    return set_cell_size(text, width - 1).rstrip() + "…"


def wrapped(text: str, width: int | None, indent: str = "") -> list[str]:
    """The text in lines of at most `width` cells, broken between words; None breaks nothing."""
    lines = [indent]
    for word in text.split(" "):
        line = f"{lines[-1]}{'' if lines[-1] == indent else ' '}{word}"
        if width is None or width_of(line) <= width or lines[-1] == indent:
            lines[-1] = line
        else:
            lines.append(indent + word)
    return lines


def pad(text: str, width: int) -> str:
    """The text filled up with spaces to `width` cells, and never without one space after it."""
    return text + " " * max(1, width - width_of(text))


def one_line(text: str, width: int | None = None) -> str:
    """The first line that says something, an `…` where more follows, cut to `width` cells."""
    lines = [line for line in clean(text).replace("\t", " ").split("\n") if line.strip()]
    if not lines:
        return ""
    first = lines[0].strip()
    more = len(lines) > 1 and not first.endswith("…")
    return cut(first + ("…" if more else ""), width)


def excerpt(text: str, limit: int) -> str:
    """Text of at most about `limit` characters: head and tail, and how much is missing between."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n… {len(text) - 2 * half:,} characters left out …\n{text[-half:]}"


def excerpt_lines(lines: list[str], limit: int, where: str = "") -> list[str]:
    """At most `limit` lines and one that says how many are missing; `where` says where they are."""
    if len(lines) <= limit:
        return lines
    head, tail = limit - limit // 2, limit // 2
    missing = f"… {len(lines) - limit:,} lines left out{where} …"
    return [*lines[:head], missing, *(lines[-tail:] if tail else [])]


def plural(count: int, word: str, many: str | None = None) -> str:
    """`1 file edit`, `2 file edits`, `1,200 tries`."""
    return f"{count:,} {word if count == 1 else many or word + 's'}"


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────


_compact = json.JSONEncoder(separators=(",", ":")).encode


def safe_json(value: Any, *, indent: int | None = None) -> str:
    """JSON in ASCII, so nothing in it is a control character, and no CI finds a command in it."""
    text = _compact(value) if indent is None else json.dumps(value, indent=indent)
    return _COMMAND_ANYWHERE.sub(r"\\u0023", text) if "##" in text else text
