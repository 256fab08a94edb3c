"""Short names for attempts, such as `adds#1 cursor`: unique in a run, the same live and later."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reeval.plan.names import SEPARATOR

if TYPE_CHECKING:
    from reeval.plan.model import Cell, Plan, PlannedEval
    from reeval.record.schema import CellRecord, EvalEntry, RunRecord

_LONGEST = 32
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class CellName:
    """What tells a cell from the others of its eval."""

    key: str
    harness: str
    kind: str
    environment: str
    sandbox: str


def eval_names(evals: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Eval id → short name, from (id, name): the first word, or more where that isn't unique."""
    pairs = [(key, _WORD.findall(name.lower()) or ["eval"]) for key, name in evals]
    first = Counter(words[0] for _, words in pairs)
    names: dict[str, str] = {}
    taken: Counter[str] = Counter()
    for key, words in pairs:
        name = words[0] if first[words[0]] == 1 else "-".join(words)
        name = name[:_LONGEST].rstrip("-")
        taken[name] += 1
        names[key] = name if taken[name] == 1 else f"{name}~{taken[name]}"
    return names


def cell_names(cells: Sequence[CellName]) -> dict[str, str]:
    """Cell key → short name: the agent, and what else it takes to tell the cells apart.

    The agent is shown by the id that a person gave it, else by its kind where that is enough.
    """
    if len(cells) == 1:
        return {cells[0].key: _agent(cells[0])}
    kinds = {cell.kind for cell in cells}
    by_id = len({cell.harness for cell in cells}) > len(kinds)
    environments = len({cell.environment for cell in cells}) > 1
    sandboxes = len({cell.sandbox for cell in cells}) > 1
    names = {}
    for cell in cells:
        parts = [cell.harness if by_id else _agent(cell)]
        if environments:
            parts.append(cell.environment)
        if sandboxes:
            parts.append(cell.sandbox)
        names[cell.key] = " ".join(parts)
    return names


def _agent(cell: CellName) -> str:
    """An id that isn't given is made of the kind: `claude`, `claude:opus[effort=low]`."""
    made = cell.harness == cell.kind or cell.harness.startswith((f"{cell.kind}:", f"{cell.kind}["))
    return cell.kind if made else cell.harness


def slug_words(name: str) -> str:
    """`flaky-strict` of `flaky: strict`: the whole of what a short name may be the beginning of."""
    return "-".join(_WORD.findall(name.lower())) or "eval"


def eval_title(file: str, group: Sequence[str], name: str) -> str:
    """`evals/hello.eval.py › greet module › adds a default name`."""
    return SEPARATOR.join((file, *group, name))


def short_title(group: Sequence[str], name: str) -> str:
    """`greet module › adds a default name`."""
    return SEPARATOR.join((*group, name))


class PlanLabels:
    """Labels of a plan's attempts."""

    def __init__(self, plan: Plan) -> None:
        self._evals = eval_names((e.id, e.name) for e in plan.evals)
        self._cells: dict[str, dict[str, str]] = {}

    def of(self, planned: PlannedEval, cell: Cell, n: int) -> str:
        names = self._cells.get(planned.id)
        if names is None:
            names = cell_names([_planned_cell(c) for c in planned.cells])
            self._cells[planned.id] = names
        short = self._evals.get(planned.id) or eval_names([(planned.id, planned.name)])[planned.id]
        return f"{short}#{n} {names.get(cell.key, cell.harness.kind)}"


class RecordLabels:
    """Labels of a record's attempts: what the run itself showed."""

    def __init__(self, record: RunRecord) -> None:
        self._evals = eval_names((e["key"], e["name"]) for e in record["evals"])
        self._cells: dict[str, dict[str, str]] = {}

    def of(self, entry: EvalEntry, cell: str, n: int) -> str:
        names = self._cells.get(entry["key"])
        if names is None:
            names = cell_names([_recorded_cell(c) for c in entry["cells"]])
            self._cells[entry["key"]] = names
        return f"{self._evals[entry['key']]}#{n} {names.get(cell, cell)}"


def _planned_cell(cell: Cell) -> CellName:
    harness = cell.harness
    return CellName(cell.key, harness.id, harness.kind, cell.environment_name, cell.sandbox.id)


def _recorded_cell(cell: CellRecord) -> CellName:
    return CellName(
        cell["key"], cell["harness"], cell["harnessKind"], cell["environment"], cell["sandbox"]
    )
