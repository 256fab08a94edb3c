"""Durations as text: `"90s"`, `"15m"`, `"1h"`, `"250ms"`."""

from __future__ import annotations

import re

_TEXT = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(ms|s|m|h)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def parse_duration(text: str) -> float | None:
    """Seconds, or None when the text isn't a number above zero with its unit."""
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        return None
    # Rounded to the microsecond: 0.1 m is 6 s, not 6.000000000000001.
    return round(float(match[1]) * _SECONDS[match[2]], 6) or None


def format_duration(seconds: float) -> str:
    """The text in the largest whole unit: 90 → `90s`, 900 → `15m`, 0.25 → `250ms`."""
    for unit in ("h", "m", "s"):
        count = seconds / _SECONDS[unit]
        if count >= 1 and count == int(count):
            return f"{int(count)}{unit}"
    return f"{_decimal(seconds * 1000)}ms" if seconds < 1 else f"{_decimal(seconds)}s"


def _decimal(number: float) -> str:
    """Never in the exponent form that durations don't have."""
    return f"{number:.6f}".rstrip("0").rstrip(".")
