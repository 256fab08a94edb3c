"""Durations as an eval file writes them (seconds or a `timedelta`), and as the wire has them."""

from __future__ import annotations

import math
import re
from datetime import timedelta

_UNITS = (("h", 3_600_000), ("m", 60_000), ("s", 1000))


def seconds(value: object, where: str) -> float:
    """A duration in seconds. Raises `TypeError` when it is neither a number nor a `timedelta`."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise TypeError(f"{where} takes seconds or a timedelta{_written(value)} (got {value!r})")


_TEXT = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s*(ms|s|m|h|)")
_ARGUMENTS = {"ms": "milliseconds", "s": "seconds", "m": "minutes", "h": "hours", "": "seconds"}


def _written(value: object) -> str:
    """What to write: the same duration, when it was one as `reeval.toml` has them."""
    found = _TEXT.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return ", e.g. 90 or timedelta(minutes=5)"
    number, unit = float(found[1]), _ARGUMENTS[found[2]]
    span = timedelta(**{unit: number})
    return f": write {span.total_seconds():.15g} or timedelta({unit}={number:.15g})"


def milliseconds(value: object, where: str, *, zero: bool = False) -> float:
    """A duration in milliseconds. Raises when it is negative, or zero where that says nothing."""
    ms = seconds(value, where) * 1000
    if not math.isfinite(ms) or ms < 0 or (ms == 0 and not zero):
        least = "0 or more" if zero else "more than zero"
        raise ValueError(f"{where} takes {least} seconds (got {value!r})")
    return int(ms) if ms == int(ms) else ms


def duration_text(value: object, where: str) -> str:
    """A duration as the wire writes one: `"90s"`, `"5m"`, `"1h"` or `"250ms"`."""
    s = seconds(value, where)
    if not math.isfinite(s):
        raise ValueError(f"{where} takes a number of seconds (got {value!r})")
    ms = round(s * 1000, 3)
    for unit, size in _UNITS:
        if ms and ms % size == 0:
            return f"{_number(ms / size)}{unit}"
    return f"{_number(ms)}ms"


def _number(n: float) -> str:
    return str(int(n)) if n == int(n) else f"{n:.3f}".rstrip("0")
