"""Values as messages show them: JSON, on one line, short. Showing a value never raises."""

from __future__ import annotations

import json
from typing import Any

from reeval.protocol.cuts import CUT, cut

SHORT = 200
"""Characters of a value in a sentence."""

_ITEMS = 40
_DEPTH = 6


def shown(value: Any, limit: int = SHORT) -> str:
    """The value as JSON in at most `limit` characters, `…` in the place of what is left out."""
    try:
        text = json.dumps(_pruned(value, limit, _DEPTH), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = f"<{type(value).__name__}>"
    return cut(printable(text), limit)


def printable(text: str) -> str:
    """`text` with lone surrogates written as escapes, so that it can be encoded."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def one_line(text: str) -> str:
    return " ".join(text.split())


def size(count: int, noun: str) -> str:
    """`1 file`, `3 files`, `12,000 files`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _pruned(value: Any, limit: int, depth: int) -> Any:
    """The value without what its shown form would cut anyway, so that a huge one is cheap."""
    if isinstance(value, str):
        return value if len(value) <= limit else value[:limit] + CUT
    if isinstance(value, list | tuple):
        if not depth:
            return CUT if value else []
        kept = [_pruned(item, limit, depth - 1) for item in value[:_ITEMS]]
        return [*kept, CUT] if len(value) > _ITEMS else kept
    if isinstance(value, dict):
        if not depth:
            return CUT if value else {}
        pairs = list(value.items())[:_ITEMS]
        pruned = {str(key): _pruned(item, limit, depth - 1) for key, item in pairs}
        return {**pruned, CUT: CUT} if len(value) > _ITEMS else pruned
    return value
