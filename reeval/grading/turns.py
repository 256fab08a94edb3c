"""Which turn a matcher or a judge is about."""

from __future__ import annotations

from collections.abc import Sequence

from reeval.grading.answer import CannotAnswer, unreadable
from reeval.grading.base import Subjects, TurnFacts
from reeval.protocol import messages as m


def turn_of(call: m.Expect, subjects: Subjects) -> TurnFacts:
    """The turn the subject names; the latest one for `c`. Raises `CannotAnswer`."""
    turns = subjects.turns
    match call.subject:
        case m.AttemptSubject():
            if turns:
                return turns[-1]
            raise CannotAnswer(
                f"{call.matcher} has no turn to read: call c.send() first", "UsageError"
            )
        case m.TurnSubject(turn=index):
            turn = turn_at(turns, index)
            if turn is not None:
                return turn
            raise CannotAnswer(
                f"{call.matcher} can't read turn {index + 1}: it has not ended", "UsageError"
            )
    raise unreadable(
        call, "reads what an agent did: expect(turn), or expect(c) for its latest turn"
    )


def turn_at(turns: Sequence[TurnFacts], index: int) -> TurnFacts | None:
    """The turn with this index, None when it hasn't ended."""
    return next((turn for turn in turns if turn.index == index), None)
