"""What a command line asks of a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reeval.plan.estimate import PastDurations


def _ignore(stream: str, line: str) -> None:
    """Nobody wants to see what eval files print as they load."""


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """`selectors`, `tags` and `harness` choose evals and their cells; `runs` to `timeout` replace
    what the files say.

    `only_changed` is eval id → the fingerprint it passed with; one that still has it isn't planned,
    None plans all. `to_run` False plans what this version can't run yet, or what the budget
    forbids, for a list of it. `on_stray(stream, line)` gets what eval files print as they load.
    """

    selectors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    harness: tuple[str, ...] = ()
    profile: str | None = None
    only_changed: Mapping[str, str] | None = None
    runs: int | None = None
    environment: str | None = None
    timeout: str | float | None = None
    to_run: bool = True
    cwd: Path = field(default_factory=Path.cwd)
    past: PastDurations = field(default_factory=dict)
    on_stray: Callable[[str, str], None] = _ignore

    @property
    def overrides(self) -> Mapping[str, Any]:
        """What replaces the options of every eval, as the config writes it."""
        given = {
            "runs": self.runs,
            "environment": self.environment,
            "timeout": self.timeout,
        }
        return {key: value for key, value in given.items() if value is not None}
