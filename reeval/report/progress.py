"""How far a run is: counts, the attempts in flight, and an honest guess of the time left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from reeval.engine import events as e
from reeval.report.labels import PlanLabels, eval_title
from reeval.report.wording import ending

_ENOUGH = 3
"""Attempts that must have ended, and one round of the slots, before their pace says anything."""


@dataclass(slots=True)
class Flight:
    """An attempt under way. `began` is seconds since the epoch; `turn` counts from 1, 0 is none."""

    label: str
    title: str
    began: float
    phase: str = "starting"
    turn: int = 0
    tools: int = 0
    edits: int = 0
    past_tools: int = 0
    past_edits: int = 0


@dataclass(slots=True)
class Progress:
    """Folds a run's events. Memory grows with the attempts in flight, not with those that ended."""

    total: int = 0
    concurrency: int = 1
    estimate_ms: float = 0.0
    began: float = 0.0
    done: Counter[str] = field(default_factory=Counter)
    flying: dict[str, Flight] = field(default_factory=dict)
    stopping: str | None = None
    labels: PlanLabels | None = None

    @property
    def ended(self) -> int:
        return self.done.total()

    def on_event(self, event: e.RunEvent) -> None:
        fold = _FOLDS.get(type(event))
        if fold is not None:
            fold(self, event)

    def label(self, attempt: str) -> str:
        """The attempt's short name while it is in flight, else its key."""
        flight = self.flying.get(attempt)
        return flight.label if flight else attempt

    def left_ms(self, now: float) -> float | None:
        """Milliseconds until the run's end at this run's own pace, else by the last runs' times.

        None when neither says anything, or when what they say is already over.
        """
        remaining = self.total - self.ended
        if self.stopping or remaining <= 0:
            return None
        elapsed = (now - self.began) * 1000
        paced = self.ended - self.done["skipped"]
        if paced >= max(_ENOUGH, self.concurrency):
            return elapsed / paced * remaining
        if self.estimate_ms <= 0:
            return None
        left = self.estimate_ms / max(1, min(self.concurrency, self.total)) - elapsed
        return left if left > 0 else None

    def _run_started(self, event: e.RunStarted) -> None:
        self.total = event.plan.attempts
        self.concurrency = event.concurrency
        self.estimate_ms = event.plan.estimate_ms
        self.began = event.at
        self.labels = PlanLabels(event.plan)

    def _attempt_started(self, event: e.AttemptStarted) -> None:
        planned = event.eval
        label = self.labels.of(planned, event.cell, event.n) if self.labels else event.attempt
        title = eval_title(planned.file, planned.group, planned.name)
        self.flying[event.attempt] = Flight(label, title, event.at)

    def _phase(self, event: e.Phase) -> None:
        flight = self.flying.get(event.attempt)
        if flight:
            flight.phase = event.phase

    def _turn_started(self, event: e.TurnStarted) -> None:
        flight = self.flying.get(event.attempt)
        if flight:
            flight.phase, flight.turn = "turn", flight.turn + 1

    def _turn_activity(self, event: e.TurnActivity) -> None:
        flight = self.flying.get(event.attempt)
        if flight:
            flight.tools = flight.past_tools + event.tools
            flight.edits = flight.past_edits + event.edits

    def _turn_ended(self, event: e.TurnEnded) -> None:
        flight = self.flying.get(event.attempt)
        if flight:
            flight.past_tools += event.tools
            flight.past_edits += event.edits
            flight.tools, flight.edits = flight.past_tools, flight.past_edits
            flight.phase = "eval"

    def _attempt_ended(self, event: e.AttemptEnded) -> None:
        self.flying.pop(event.attempt, None)
        self.done[ending(event.record)] += 1

    def _stopping(self, event: e.Stopping) -> None:
        self.stopping = event.reason


_FOLDS: Mapping[type, Callable[[Progress, Any], None]] = {
    e.RunStarted: Progress._run_started,
    e.AttemptStarted: Progress._attempt_started,
    e.Phase: Progress._phase,
    e.TurnStarted: Progress._turn_started,
    e.TurnActivity: Progress._turn_activity,
    e.TurnEnded: Progress._turn_ended,
    e.AttemptEnded: Progress._attempt_ended,
    e.Stopping: Progress._stopping,
}
