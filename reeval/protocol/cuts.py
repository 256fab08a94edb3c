"""Cutting a text to a limit, always with the mark by which the masker knows where it was cut."""

from __future__ import annotations

CUT = "…"
"""Stands in the place of what was left out.

What is left of a secret that was cut can't be told from other text. Masking therefore hides what
begins like a secret before this mark and what ends like one after it, and every cut of ours sets
the mark.
"""


def cut(text: str, limit: int) -> str:
    """The beginning of `text`, in at most `limit` characters with the mark."""
    return text if len(text) <= limit else text[: limit - len(CUT)] + CUT


def tail(text: str, limit: int) -> str:
    """The end of `text`, in at most `limit` characters with the mark."""
    return text if len(text) <= limit else CUT + text[len(text) - limit + len(CUT) :]
