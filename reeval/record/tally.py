"""What a fold keeps of attempts it doesn't hold: counts, and where each attempt's bytes are."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from reeval.record.outcome import (
    Counts,
    cell_outcome,
    check_verdict,
    eval_outcome,
    lift_between,
)
from reeval.record.schema import (
    AssertionRecord,
    AttemptRecord,
    CellCheck,
    CellGate,
    CheckCounts,
    Cost,
    Lift,
    Outcome,
    PlannedCell,
    TokenUsage,
)

Span = tuple[int, int]
"""Where a line's bytes start in the journal, and how many they are."""

_Status = Literal["pass", "fail", "error"]
_EFFORT = re.compile(r"[\[,]\s*effort=([^\],]+)")


@dataclass(slots=True)
class CellTally:
    """One cell: its attempts by their n, and how they ended."""

    key: str
    harness: str
    sandbox: str
    effort: str | None
    control: bool
    gate: CellGate
    runs: int
    order: int
    counts: Counts = field(default_factory=Counts)
    attempts: dict[int, Span] = field(default_factory=dict)
    checks: dict[str, dict[_Status, int]] | None = None

    @classmethod
    def of(cls, cell: PlannedCell, order: int) -> CellTally:
        """`order` is the cell's place among its eval's."""
        return cls(
            cell["key"],
            cell["harness"],
            cell["sandbox"],
            cell["effort"],
            cell["role"] == "control",
            cell["gate"],
            cell["runs"],
            order,
        )

    def counts_of(self, label: str) -> CheckCounts:
        by = (self.checks or {}).get(label, {})
        answered = sum(by.values())
        return {
            "pass": by.get("pass", 0),
            "fail": by.get("fail", 0),
            "error": by.get("error", 0),
            "notRun": self.counts.counted - answered,
        }


@dataclass(slots=True)
class EvalTally:
    """One eval: its cells by key in their planned order, and the labels of its checks."""

    key: str
    span: Span
    skip: str | None
    min_lift: float | None
    cells: dict[str, CellTally]
    labels: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """Each label's first place: cell, n, position. Their order doesn't hang on who ended first."""

    def add(self, attempt: AttemptRecord, span: Span) -> bool:
        """Counts an attempt; False when it is not of this plan, or was counted before."""
        cell, n = self.cells.get(attempt["cell"]), attempt["n"]
        if cell is None or n in cell.attempts or not 1 <= n <= cell.runs:
            return False
        cell.attempts[n] = span
        cell.counts.add(attempt["outcome"])
        assertions = attempt.get("assertions")
        if assertions:
            self._add_checks(cell, n, assertions, attempt["outcome"] in ("pass", "fail"))
        return True

    def _add_checks(
        self, cell: CellTally, n: int, assertions: list[AssertionRecord], counted: bool
    ) -> None:
        if cell.checks is None:
            cell.checks = {}
        for position, assertion in enumerate(assertions):
            label, here = assertion["label"], (cell.order, n, position)
            first = self.labels.get(label)
            if first is None or here < first:
                self.labels[label] = here
            if counted:
                by = cell.checks.setdefault(label, {})
                by[assertion["status"]] = by.get(assertion["status"], 0) + 1

    def control_of(self, cell: CellTally) -> CellTally | None:
        """A variant's control: of the same harness, and of the same sandbox where there is one."""
        controls = [c for c in self.cells.values() if c.control and c.harness == cell.harness]
        if cell.control or not controls:
            return None
        return next((c for c in controls if c.sandbox == cell.sandbox), controls[0])

    def lift_of(self, cell: CellTally) -> Lift | None:
        control = self.control_of(cell)
        if control is None:
            return None
        return lift_between(control.key, control.counts, cell.counts, self.min_lift)

    def outcome_of(self, cell: CellTally) -> Outcome:
        control = self.control_of(cell) if self.min_lift is not None else None
        if control is None:
            return cell_outcome(cell.counts, cell.gate)
        return cell_outcome(cell.counts, cell.gate, self.lift_of(cell), control.counts)

    def outcome(self) -> Outcome:
        return eval_outcome((c.gate, self.outcome_of(c), c.counts) for c in self.cells.values())

    def rate(self) -> float | None:
        """pass@1 over the gated cells' attempts."""
        gated = [c.counts for c in self.cells.values() if c.gate != "none"]
        counted = sum(c.counted for c in gated)
        return sum(c.passed for c in gated) / counted if counted else None

    def checks_of(self, cell: CellTally) -> list[CellCheck]:
        control = self.control_of(cell)
        return [
            _cell_check(label, cell, control)
            for label, _ in sorted(self.labels.items(), key=lambda item: item[1])
        ]


def _cell_check(label: str, cell: CellTally, control: CellTally | None) -> CellCheck:
    counts = cell.counts_of(label)
    check: CellCheck = {
        "label": label,
        "pass": counts["pass"],
        "fail": counts["fail"],
        "error": counts["error"],
        "notRun": counts["notRun"],
    }
    if control is not None:
        beside = control.counts_of(label)
        check["control"] = beside
        verdict = check_verdict(counts, beside)
        if verdict is not None:
            check["verdict"] = verdict
    return check


@dataclass(slots=True)
class StackTally:
    """What the attempts' records add to the run's stack and cost."""

    models: dict[str, set[str]] = field(default_factory=dict)
    judges: set[str] = field(default_factory=set)
    context: set[tuple[str, str]] = field(default_factory=set)
    usage: TokenUsage | None = None

    def add(self, harness: str, attempt: AttemptRecord) -> None:
        for turn in attempt["turns"]:
            if turn["model"] is not None:
                self.models.setdefault(harness, set()).add(turn["model"])
        for judgement in attempt["judgements"]:
            if "resolvedModel" in judgement:
                self.judges.add(judgement["resolvedModel"])
        for file in attempt["context"]:
            self.context.add((file["path"], file["sha256"]))
        if attempt["usage"] is not None:
            self.usage = _sum(self.usage, attempt["usage"])

    def efforts(self, harness: str) -> list[str]:
        """The reasoning efforts that the models' labels name, such as `luna[effort=medium]`."""
        labels = self.models.get(harness, ())
        return sorted({effort for label in labels for effort in _EFFORT.findall(label)})

    def cost(self) -> Cost:
        usage = self.usage
        if usage is None:
            return {
                "inputTokens": None,
                "outputTokens": None,
                "usage": None,
                "source": "unreported",
            }
        return {
            "inputTokens": usage["input"] + usage["cacheRead"] + usage["cacheWrite"],
            "outputTokens": usage["output"],
            "usage": usage,
            "source": "reported",
        }


def _sum(total: TokenUsage | None, more: TokenUsage) -> TokenUsage:
    if total is None:
        return more.copy()
    reasoning = [u for u in (total["reasoning"], more["reasoning"]) if u is not None]
    return {
        "input": total["input"] + more["input"],
        "output": total["output"] + more["output"],
        "cacheRead": total["cacheRead"] + more["cacheRead"],
        "cacheWrite": total["cacheWrite"] + more["cacheWrite"],
        "reasoning": sum(reasoning) if reasoning else None,
    }
