"""What a person is told before a run: the profile that sizes it, and what its limit took away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reeval.plan.model import PlannedEval

_SHOWN = 6


def profile_notes(
    profile: Mapping[str, Any] | None, evals: Iterable[PlannedEval]
) -> tuple[str, ...]:
    """`profile pr (ci, event pull_request): runs 9 → 2 in 3 evals`; `profile` is the record's."""
    if profile is None:
        return ()
    limited = Counter(change for e in evals if e.skip is None for change in e.options.limited)
    said = [f"{change} in {_evals(count)}" for change, count in limited.most_common(_SHOWN)]
    if len(limited) > _SHOWN:
        said.append("…")
    about = f": {', '.join(said)}" if said else ""
    return (f"profile {profile['name']} ({profile['reason']}){about}",)


def warnings(evals: Iterable[PlannedEval]) -> Iterator[str]:
    """What of a plan doesn't do what one may take it to do."""
    running = [e for e in evals if e.skip is None]
    if asked := sum(bool(e.options.questions) for e in running):
        yield f"questions are not in this version yet: those of {_evals(asked)} aren't asked"
    if ungated := sum(map(_gates_nothing, running)):
        yield (
            f"without its variants the control of {_evals(ungated)} is all that runs, and it gates "
            'nothing: set compare\'s gate to "all" where a control may fail the run'
        )


def _gates_nothing(planned: PlannedEval) -> bool:
    """A limit took the variants, which were all that was gated."""
    compare = planned.options.compare
    lost = compare is not None and not compare.variants and compare.gate == "variants"
    return lost and planned.options.gate != "none"


def _evals(count: int) -> str:
    return f"{count} eval" if count == 1 else f"{count} evals"
