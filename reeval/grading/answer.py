"""What a matcher finds, before `.not` and `poll` make an outcome of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reeval.config.errors import UsageError
from reeval.protocol.messages import Expect

Explain = Callable[[bool], str]
"""The sentence for a failure; True when the matcher was negated."""


class CannotAnswer(Exception):
    """The matcher has nothing to answer from: neither a pass nor a failure, negated or not.

    `raises` is the class of error the body sees; None lets it go on.
    """

    def __init__(self, message: str, raises: str | None) -> None:
        super().__init__(message)
        self.raises = raises


@dataclass(frozen=True, slots=True)
class Answer:
    """`holds` None: neither the matcher nor its opposite holds, so that it fails negated too."""

    holds: bool | None
    explain: Explain


def answer(holds: bool | None, subject: Callable[[], str], clause: str, detail: str = "") -> Answer:
    """An answer explained as `expected <subject> [not ]to <clause><detail>`.

    The subject is shown only when the check fails, since showing a large one costs.
    """

    def explain(negated: bool) -> str:
        return f"expected {subject()} {'not ' if negated else ''}to {clause}{detail}"

    return Answer(holds, explain)


def unreadable(call: Expect, what: str) -> CannotAnswer:
    """For a subject this matcher can't read; `what` says what it reads."""
    return CannotAnswer(f"{call.matcher} {what}", "UsageError")


def arguments(call: Expect, least: int, most: int, takes: str) -> tuple[Any, ...]:
    """The call's arguments. Raises `UsageError` when it has too few or too many."""
    if least <= len(call.args) <= most:
        return call.args
    raise UsageError(f"{call.matcher} takes {takes}, got {len(call.args)} arguments")
