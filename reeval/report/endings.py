"""How a run's attempts ended beyond outcomes: interrupted, never started, passed unchecked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reeval.report.text import plural
from reeval.report.wording import ending

if TYPE_CHECKING:
    from reeval.record.schema import AttemptRecord, EvalEntry, RunRecord

UNCHECKED = "nothing was checked"
TURN_ERROR = "a turn ended in an error"


@dataclass(slots=True)
class Endings:
    """Counts over all attempts that the record's own summary doesn't have.

    `unstarted` has why attempts never started, as the record says it; those of evals that are
    skipped aren't among them. `doubts` has what is odd about attempts that passed.
    """

    interrupted: int = 0
    unstarted: Counter[str] = field(default_factory=Counter)
    doubts: Counter[str] = field(default_factory=Counter)

    def add(self, attempt: AttemptRecord) -> None:
        if attempt["outcome"] == "pass":
            self.doubts.update(doubts(attempt))
        elif interrupted(attempt):
            self.interrupted += 1
        elif attempt["outcome"] == "skipped" and (error := attempt["error"]):
            self.unstarted[error["message"].removeprefix("never started: ")] += 1


def endings(record: RunRecord) -> Endings:
    """Looks once at every attempt."""
    found = Endings()
    for entry in record["evals"]:
        for attempt in entry["attempts"]:
            found.add(attempt)
    return found


def interrupted(attempt: AttemptRecord) -> bool:
    """Whether it was stopped while it ran."""
    return ending(attempt) == "interrupted"


def eval_ending(entry: EvalEntry) -> str:
    """An eval's outcome, but `interrupted` where no infra error but that is its reason."""
    if entry["outcome"] != "infra_error":
        return entry["outcome"]
    broken = [a for a in entry["attempts"] if a["outcome"] == "infra_error"]
    return "interrupted" if broken and all(map(interrupted, broken)) else "infra_error"


def doubts(attempt: AttemptRecord) -> list[str]:
    """What is odd about an attempt that passed."""
    found = []
    if not attempt.get("assertions"):
        found.append(UNCHECKED)
    if any(turn["status"] == "error" for turn in attempt["turns"]):
        found.append(TURN_ERROR)
    return found


def doubted(entry: EvalEntry) -> list[str]:
    """`passed, nothing was checked`; of an eval with several attempts also how many: `(2 of 5)`."""
    count = Counter(d for a in entry["attempts"] if a["outcome"] == "pass" for d in doubts(a))
    total = len(entry["attempts"])
    return [
        f"{passed_though(doubt)}{f' ({many:,} of {total:,})' if total > 1 else ''}"
        for doubt, many in count.items()
    ]


def passed_though(doubt: str) -> str:
    """`passed, nothing was checked`, `passed, though a turn ended in an error`."""
    return f"passed, {doubt}" if doubt == UNCHECKED else f"passed, though {doubt}"


def doubts_line(found: Endings) -> str:
    """`3 attempts passed, nothing was checked · 1 attempt passed, though …`; "" without any."""
    parts = (f"{plural(n, 'attempt')} {passed_though(doubt)}" for doubt, n in found.doubts.items())
    return " · ".join(parts)
