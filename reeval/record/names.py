"""A run's name: when it started, at which commit, by whom."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from reeval.record.places import journal_path, record_path

_AUTHOR_LENGTH = 32


def run_id(now: datetime, sha: str | None, author: str) -> str:
    """Such as `20261130T174047Z_442ac2d_jane`; `now` is any aware time, `sha` None without git."""
    start = now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    return f"{start}_{sha[:7] if sha else 'nogit'}_{slug(author) or 'unknown'}"


def claim(runs: Path, name: str) -> str:
    """Takes `name`, or `name-2`, `name-3`, … for a new run by making its folder, and returns it.

    Two runs that start at once get two names. Raises OSError when the folder can't be made.
    """
    for n in count(1):
        candidate = name if n == 1 else f"{name}-{n}"
        taken = record_path(runs, candidate).exists() or journal_path(runs, candidate).exists()
        if not taken and _made(runs / candidate):
            return candidate
    raise AssertionError("count() never ends")


def _made(folder: Path) -> bool:
    try:
        folder.mkdir()
    except FileExistsError:
        return False
    return True


def slug(text: str) -> str:
    """`text` in lower-case ASCII letters, digits and dashes; empty when nothing of it is left."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:_AUTHOR_LENGTH].strip("-")
