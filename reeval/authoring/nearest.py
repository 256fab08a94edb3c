"""The name a person meant: the nearest of those there are."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NEAR = 0.75
"""How alike two names must be, from 0 to 1."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, whatever the case and camelCase; None when none is."""
    import difflib  # only a mistake needs it

    by_lower = {k.lower(): k for k in known}
    for spelled in (snake(name), name.lower()):
        found = difflib.get_close_matches(spelled, by_lower, n=1, cutoff=_NEAR)
        if found:
            return by_lower[found[0]]
    return None


def snake(name: str) -> str:
    """`toHaveFile` as `to_have_file`."""
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda found: f"_{found[0]}", name).lower()
