"""How long something took, and when it happened, as a person reads it: `103ms`, `8s`, `+0:14`."""

from __future__ import annotations

import time
from functools import lru_cache

UNKNOWN = "–"


def took(ms: float | None) -> str:
    """Milliseconds as `103ms`, `8s`, `1m 12s` or `2h 5m`; None, which nobody measured, as `–`."""
    if ms is None:
        return UNKNOWN
    whole = round(max(0.0, ms))
    if whole < 1000:
        return f"{whole}ms"
    seconds = (whole + 500) // 1000
    if seconds < 60:
        return f"{seconds}s"
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes}m {seconds}s" if seconds else f"{minutes}m"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes}m" if minutes else f"{hours}h"


def clock(ms: float) -> str:
    """Milliseconds since a start as `0:14`, `12:05` or `1:02:03`."""
    minutes, seconds = divmod(int(max(0.0, ms)) // 1000, 60)
    if minutes < 60:
        return f"{minutes}:{seconds:02}"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"


def time_of_day(at: float) -> str:
    """Seconds since the epoch as this machine's `17:40:47`."""
    return _time_of_day(int(at))


@lru_cache(maxsize=4)
def _time_of_day(second: int) -> str:
    return time.strftime("%H:%M:%S", time.localtime(second))
