"""How what was received differs from what was expected, as a short diff in plain text."""

from __future__ import annotations

import difflib
import json
from typing import Any

from reeval.grading.shown import printable
from reeval.protocol.cuts import CUT, cut

MAX_LINES = 20
"""Lines of a diff that are shown."""

LINE_WIDTH = 160
_CONTEXT = 2
_TOO_LONG = 2000
"""Lines a side above which only where the sides first differ is shown."""


def difference(expected: Any, received: Any) -> str:
    """A diff from `- expected` to `+ received`; empty when one line says as much.

    Lines that begin with `- ` are only in what was expected, with `+ ` only in what was received.
    """
    if _is_scalar(expected) and _is_scalar(received):
        return ""
    old, new = _lines(expected), _lines(received)
    if old == new or max(len(old), len(new)) == 1:
        return ""
    body = _long(old, new) if max(len(old), len(new)) > _TOO_LONG else _diff(old, new)
    if len(body) > MAX_LINES:
        left = len(body) - MAX_LINES
        body = [*body[:MAX_LINES], f"{CUT} {left:,} more line{'' if left == 1 else 's'}"]
    return "\n".join(["- expected", "+ received", *body])


def _is_scalar(value: Any) -> bool:
    if isinstance(value, str):
        return "\n" not in value
    return not isinstance(value, list | tuple | dict)


def _lines(value: Any) -> list[str]:
    if isinstance(value, str):
        return printable(value).split("\n")
    try:
        text = json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        text = f"<{type(value).__name__}>"
    return printable(text).split("\n")


def _diff(old: list[str], new: list[str]) -> list[str]:
    out: list[str] = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        if out:
            out.append(f"  {CUT}")
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                out += [_line("  ", text) for text in old[old_from:old_to]]
            else:
                out += [_line("- ", text) for text in old[old_from:old_to]]
                out += [_line("+ ", text) for text in new[new_from:new_to]]
    return out


def _long(old: list[str], new: list[str]) -> list[str]:
    shorter = min(len(old), len(new))
    at = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    return [
        f"  {CUT} first difference at line {at + 1:,}, of {len(old):,} and {len(new):,}",
        *(_line("- ", text) for text in old[at : at + 3]),
        *(_line("+ ", text) for text in new[at : at + 3]),
    ]


def _line(mark: str, text: str) -> str:
    return mark + cut(text.rstrip("\r"), LINE_WIDTH)
