"""The plan: evals × harnesses × environments × runs, as immutable data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from reeval.config.model import (
    Egress,
    EnvironmentSpec,
    EnvValue,
    EvalOptions,
    Gate,
    HarnessSpec,
    SandboxSpec,
    Settings,
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One harness, environment and sandbox of an eval. `key` is `harness/environment/sandbox`.

    `env` is the variables and secrets of every level laid over the environment's own;
    `fingerprint_parts` are the record's `FingerprintParts`, `fingerprint` their sha256.
    """

    key: str
    harness: HarnessSpec
    environment: EnvironmentSpec | None
    sandbox: SandboxSpec
    role: Literal["control", "variant"]
    variant: str | None
    gate: Gate
    runs: int
    env: Mapping[str, EnvValue]
    egress: Egress
    overrides: tuple[str, ...]
    environment_digest: str | None
    fingerprint: str
    fingerprint_parts: Mapping[str, str | None]
    gateway: str | None = None

    @property
    def environment_name(self) -> str:
        return self.environment.name if self.environment else "-"

    def to_wire(self) -> dict[str, Any]:
        """The cell as `c.attempt.cell` and the record's `Cell`."""
        out: dict[str, Any] = {
            "key": self.key,
            "harness": self.harness.id,
            "environment": self.environment_name,
            "sandbox": self.sandbox.id,
            "role": self.role,
        }
        if self.variant is not None:
            out["variant"] = self.variant
        return out


@dataclass(frozen=True, slots=True)
class Family:
    """A case of a pooled `evaluate_each`: `case` counts from 0."""

    id: str
    name: str
    case: int
    cases: int


@dataclass(frozen=True, slots=True)
class PlannedEval:
    """`id` is `file › group › … › name`; `body` is the runner's name for the function.

    `skip` says why it never runs (`skip`, `todo`, not selected by `.only`), else it is None.
    `source` and `sources` are the record's fields of that name.
    """

    id: str
    slug: str
    file: str
    group: tuple[str, ...]
    name: str
    body: str
    options: EvalOptions
    cells: tuple[Cell, ...]
    fingerprint: str
    sources: tuple[Mapping[str, str], ...]
    source: Mapping[str, str | None]
    skip: str | None = None
    todo: bool = False
    family: Family | None = None
    compare_baseline: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class LoadFailure:
    """An eval file that didn't load. `message` is one line; `detail` its traceback, if any."""

    file: str
    message: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """`estimate_ms` is how long the last runs of these attempts took in sum, 0 when unknown.

    `profile` is the record's `profile` object, or None; `environments` its `EnvironmentRecord`s;
    `notes` and `warnings` are lines to print before the run; `language_version` is that of the
    Python that loads the eval files.
    """

    settings: Settings
    evals: tuple[PlannedEval, ...] = field(repr=False)  # asyncio.run takes its result's repr
    failures: tuple[LoadFailure, ...] = ()
    profile: Mapping[str, Any] | None = None
    environments: tuple[Mapping[str, Any], ...] = ()
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    estimate_ms: float = 0.0
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    language_version: str | None = None

    @property
    def cells(self) -> int:
        return sum(len(e.cells) for e in self.evals if e.skip is None)

    @property
    def attempts(self) -> int:
        return sum(c.runs for e in self.evals if e.skip is None for c in e.cells)
