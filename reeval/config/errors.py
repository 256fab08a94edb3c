"""Mistakes a person can fix."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


class UsageError(Exception):
    """A mistake in what a person wrote: printed without a traceback, exit code 2.

    `message` says what happened and what to do. `file` and `line` (from 1) say where, `key` which
    setting, such as `profiles.pr.limit.runs`.
    """

    def __init__(
        self,
        message: str,
        *,
        file: Path | str | None = None,
        line: int | None = None,
        key: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.key = key

    def __str__(self) -> str:
        where = "" if self.file is None else str(self.file)
        if where and self.line is not None:
            where += f":{self.line}"
        # Most messages name the key themselves.
        key = "" if self.key is None or self.key in self.message else self.key
        return ": ".join(part for part in (where, key, self.message) if part)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known spelling closest to `word`, or None when none is close."""
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return found[0] if found else None
