"""A value as a message shows it: one short line, whatever its `repr` does."""

from __future__ import annotations

from reeval.protocol.cuts import CUT, cut

LIMIT = 200
"""Characters of a value or a name; what is longer is cut."""


def shown(value: object) -> str:
    """A value's repr, cut short. Never raises, whatever the value's own code does."""
    try:
        text = repr(value)
    except Exception:
        return f"<{type(value).__name__}>"
    return text if len(text) <= LIMIT else text[:LIMIT] + CUT


def shown_error(error: BaseException | None) -> str:
    """An error as `Class: message`, or its class alone when it says nothing."""
    if error is None:
        return "nothing"
    text = error_text(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def error_text(error: BaseException) -> str:
    """An error's message. Never raises."""
    try:
        return str(error)
    except Exception:
        return f"<{type(error).__name__} whose message can't be shown>"


def name_of(source: str) -> str:
    """Source text on one line, short enough to be a check's name."""
    return cut(" ".join(source.split()), LIMIT)
