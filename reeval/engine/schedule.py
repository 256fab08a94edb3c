"""Which attempt starts next: the plan's order, under the caps of harnesses and sandboxes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from reeval.plan.model import Cell, Plan, PlannedEval


class Next(NamedTuple):
    """A planned attempt. `place` is its position in the plan."""

    place: int
    planned: PlannedEval
    cell: Cell
    n: int


class _Caps(NamedTuple):
    """What an attempt needs a slot of, beside the run's: its harness kind and its sandbox kind."""

    harness: str
    sandbox: str


class Schedule:
    """Hands out attempts one by one; `give_back` frees the slots an attempt held.

    Attempts that wait for a busy harness don't hold up those of another: each pair of harness and
    sandbox kind is a queue of its own, and the earliest attempt of those with room goes first.
    """

    def __init__(self, plan: Plan) -> None:
        self._limits: dict[str, int] = {}
        self._busy: Counter[str] = Counter()
        self._queues: dict[_Caps, Iterator[Next]] = {}
        self._heads: dict[_Caps, Next] = {}
        for caps in dict.fromkeys(_caps(cell) for _, cell in _cells(plan)):
            self._queues[caps] = _attempts(plan, caps)
            self._advance(caps)
        for _, cell in _cells(plan):
            self._limit(f"harness {cell.harness.kind}", cell.harness.max_concurrent)
            self._limit(f"sandbox {cell.sandbox.kind}", cell.sandbox.max_concurrent)

    def take(self) -> Next | None:
        """The next attempt that has room, its slots taken; None when there is none now."""
        ready = [caps for caps in self._heads if self._has_room(caps)]
        if not ready:
            return None
        caps = min(ready, key=lambda c: self._heads[c].place)
        head = self._heads[caps]
        self._advance(caps)
        for name in _slots(caps):
            self._busy[name] += 1
        return head

    def give_back(self, turn: Next) -> None:
        """The attempt has ended."""
        for name in _slots(_caps(turn.cell)):
            self._busy[name] -= 1

    @property
    def exhausted(self) -> bool:
        """Whether every attempt was handed out."""
        return not self._heads

    def _has_room(self, caps: _Caps) -> bool:
        return all(
            name not in self._limits or self._busy[name] < self._limits[name]
            for name in _slots(caps)
        )

    def _limit(self, name: str, limit: int | None) -> None:
        """The smallest cap that any cell sets for the kind holds for the whole run."""
        if limit is not None:
            self._limits[name] = min(limit, self._limits.get(name, limit))

    def _advance(self, caps: _Caps) -> None:
        head = next(self._queues[caps], None)
        if head is None:
            self._heads.pop(caps, None)
        else:
            self._heads[caps] = head


def _caps(cell: Cell) -> _Caps:
    return _Caps(cell.harness.kind, cell.sandbox.kind)


def _slots(caps: _Caps) -> tuple[str, str]:
    return f"harness {caps.harness}", f"sandbox {caps.sandbox}"


def _cells(plan: Plan) -> Iterator[tuple[PlannedEval, Cell]]:
    for planned in plan.evals:
        if planned.skip is None:
            for cell in planned.cells:
                yield planned, cell


def _attempts(plan: Plan, caps: _Caps) -> Iterator[Next]:
    """Eval by eval; within one, every cell's first attempt, then every cell's second, …

    Control and variants so run side by side, under the same conditions.
    """
    place = 0
    for planned in plan.evals:
        if planned.skip is not None:
            continue
        for n in range(1, max((c.runs for c in planned.cells), default=0) + 1):
            for cell in planned.cells:
                if n <= cell.runs:
                    if _caps(cell) == caps:
                        yield Next(place, planned, cell, n)
                    place += 1
