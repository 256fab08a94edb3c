"""How long a plan's attempts took the last time, in sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reeval.plan.model import PlannedEval

PastDurations = Mapping[tuple[str, str], float]
"""(eval key, cell key) → how many milliseconds one attempt took the last time it ran."""


def estimate_ms(evals: Sequence[PlannedEval], past: PastDurations) -> float:
    """Milliseconds of attempts one after another; 0 when none of them ran before.

    A cell that never ran counts as much as the average of those that did.
    """
    runs: list[int] = []
    known: list[tuple[int, float]] = []
    for planned in evals:
        if planned.skip is not None:
            continue
        for cell in planned.cells:
            runs.append(cell.runs)
            if (took := past.get((planned.id, cell.key))) is not None:
                known.append((cell.runs, took))
    if not known:
        return 0.0
    attempts = sum(count for count, _ in known)
    mean = sum(count * took for count, took in known) / attempts if attempts else 0.0
    return mean * sum(runs)
