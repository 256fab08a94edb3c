"""What counts decide: a cell's outcome by its gate, an eval's over its cells, a run's exit code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from reeval.record.schema import (
    CellGate,
    CheckCounts,
    CheckVerdict,
    Lift,
    Outcome,
    RunStatus,
)
from reeval.stats.proportions import newcombe_difference


@dataclass(slots=True)
class Counts:
    """How a cell's attempts ended."""

    passed: int = 0
    failed: int = 0
    infra: int = 0
    skipped: int = 0

    @property
    def counted(self) -> int:
        return self.passed + self.failed

    @property
    def rate(self) -> float | None:
        """pass@1; infra errors and skips don't count. None when nothing did."""
        return self.passed / self.counted if self.counted else None

    def add(self, outcome: Outcome) -> None:
        if outcome == "pass":
            self.passed += 1
        elif outcome == "fail":
            self.failed += 1
        elif outcome == "infra_error":
            self.infra += 1
        else:
            self.skipped += 1


def cell_outcome(
    counts: Counts, gate: CellGate, lift: Lift | None = None, control: Counts | None = None
) -> Outcome:
    """A cell's outcome by its gate. `lift` and `control` are given where a `minLift` gates it too.

    A lift that can't be computed, because nothing counted on the control's side, is never a pass.
    """
    if not counts.counted:
        return _uncounted(counts)
    if _below(counts, gate) or (
        lift is not None and lift["interval"]["lo"] < lift.get("minLift", -1)
    ):
        return "fail"
    if gate == "none":
        return "infra_error" if counts.infra else "pass"
    if control is not None and lift is None:
        return _uncounted(control)
    return "pass"


def _below(counts: Counts, gate: CellGate) -> bool:
    if isinstance(gate, dict):
        return counts.passed / counts.counted < gate["passRate"]
    return counts.failed > 0


def _uncounted(counts: Counts) -> Outcome:
    return "infra_error" if counts.infra else "skipped"


def eval_outcome(cells: Iterable[tuple[CellGate, Outcome, Counts]]) -> Outcome:
    """An eval's outcome over its gated cells. With none gated, its failures don't matter."""
    cells = list(cells)
    gated = [outcome for gate, outcome, _ in cells if gate != "none"]
    outcomes = gated or ["pass" if c.counted else _uncounted(c) for _, _, c in cells]
    if "fail" in outcomes:
        return "fail"
    if "infra_error" in outcomes:
        return "infra_error"
    return "pass" if "pass" in outcomes else "skipped"


def lift_between(
    control_key: str, control: Counts, variant: Counts, min_lift: float | None
) -> Lift | None:
    """A variant's pass@1 less its control's, with a 95% interval; None when a side has no count."""
    if not control.counted or not variant.counted:
        return None
    sides = (variant.passed, variant.counted, control.passed, control.counted)
    interval = newcombe_difference(*sides)
    lift: Lift = {
        "vs": control_key,
        "control": {"pass": control.passed, "counted": control.counted},
        "variant": {"pass": variant.passed, "counted": variant.counted},
        "points": variant.passed / variant.counted - control.passed / control.counted,
        "interval": {
            "lo": interval.lo,
            "hi": interval.hi,
            "level": 0.95,
            "method": "newcombe-wilson",
        },
        "withinNoise": interval.spans(0.0),
    }
    if min_lift is not None:
        lift["minLift"] = min_lift
    return lift


def check_verdict(variant: CheckCounts, control: CheckCounts) -> CheckVerdict | None:
    """What a check says of a variant against its control; None when a side never answered."""
    sides = {_side(variant), _side(control)}
    if None in sides:
        return None
    if sides == {"pass"}:
        return "both-pass"
    if sides == {"fail"}:
        return "both-fail"
    return "discriminates" if sides == {"pass", "fail"} else "mixed"


def _side(counts: CheckCounts) -> Literal["pass", "fail", "mixed"] | None:
    if counts["pass"] and counts["fail"]:
        return "mixed"
    if counts["pass"]:
        return "pass"
    return "fail" if counts["fail"] else None


def exit_code(
    status: RunStatus,
    *,
    gated_failure: bool,
    errors: bool,
    infra_errors: int,
    unstarted: int,
) -> int:
    """The process's exit code. `unstarted` are attempts left by a budget or `--bail`, not skips."""
    if status == "interrupted":
        return 130
    if gated_failure or errors:
        return 1
    return 3 if infra_errors or unstarted else 0
