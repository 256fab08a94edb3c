"""Makes an eval's cells from its arms: what each runs in, and its fingerprint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reeval.config.model import EvalOptions, Settings
from reeval.plan.digest import digest
from reeval.plan.environments import Environments
from reeval.plan.fingerprint import arm_parts
from reeval.plan.matrix import Arm
from reeval.plan.model import Cell


@dataclass(frozen=True, slots=True)
class _Known:
    """What is the same for every eval that shares an arm, which is kept so its id stays its own."""

    arm: Arm
    parts: Mapping[str, str | None]
    environment_digest: str | None
    gateway: str | None


class Cells:
    """Makes cells; what a family's cases share is hashed once."""

    def __init__(self, settings: Settings, environments: Environments) -> None:
        self._settings = settings
        self._environments = environments
        self._known: dict[int, _Known] = {}

    def make(self, arm: Arm, options: EvalOptions, sources: str) -> Cell:
        """`sources` is the hash of what the eval's file says.

        Raises `UsageError` for a file that the environment names and that can't be read.
        """
        known = self._known.get(id(arm)) or self._learn(arm, options)
        parts = {"sources": sources, **known.parts}
        return Cell(
            key=arm.key,
            harness=arm.harness,
            environment=arm.environment,
            sandbox=arm.sandbox,
            role=arm.role,
            variant=arm.variant,
            gate=arm.gate,
            runs=options.runs,
            env=arm.env,
            egress=arm.egress,
            overrides=arm.overrides,
            environment_digest=known.environment_digest,
            fingerprint=digest(parts),
            fingerprint_parts=parts,
            gateway=known.gateway,
        )

    def _learn(self, arm: Arm, options: EvalOptions) -> _Known:
        described = self._environments.describe(arm)
        gateway = _gateway(arm, self._settings)
        parts = arm_parts(arm, options, described.environment, described.context, gateway)
        known = _Known(arm, parts, described.record_digest, gateway)
        self._known[id(arm)] = known
        return known


def _gateway(arm: Arm, settings: Settings) -> str | None:
    """The model gateway the harness goes through; the fake one calls no model."""
    if arm.harness.kind == "fake":
        return None
    return arm.harness.gateway or next(iter(settings.gateway), None)
