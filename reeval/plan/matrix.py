"""Crosses one eval's harnesses with its environments: the arms that become its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from reeval.config.errors import UsageError
from reeval.config.machine import egress_for, sandbox_for
from reeval.config.model import (
    Compare,
    Egress,
    EnvironmentSpec,
    EnvValue,
    EvalOptions,
    Gate,
    HarnessSpec,
    SandboxSpec,
    Settings,
)
from reeval.config.names import goes_by, kept


@dataclass(frozen=True, slots=True)
class Arm:
    """One cell as the options decide it; `env` and `egress` are what an attempt runs under."""

    key: str
    harness: HarnessSpec
    environment: EnvironmentSpec | None
    sandbox: SandboxSpec
    role: Literal["control", "variant"]
    gate: Gate
    env: Mapping[str, EnvValue]
    egress: Egress
    overrides: tuple[str, ...]

    @property
    def variant(self) -> str | None:
        """The variant's name, on a variant."""
        return self.environment.name if self.role == "variant" and self.environment else None


def arms(options: EvalOptions, settings: Settings, wanted: Sequence[str] = ()) -> tuple[Arm, ...]:
    """An eval's cells: of each harness the control, then the variants it is compared on.

    `wanted` narrows the harnesses to these ids, names or kinds. Raises `UsageError` when two cells
    would have the same key.
    """
    harnesses = kept(options.harness, wanted, settings) if wanted else options.harness
    found = tuple(arm for h in harnesses for arm in _of_harness(h, options, settings))
    _check_unique(found)
    return found


def baseline(compare: Compare, options: EvalOptions) -> EnvironmentSpec:
    """The control's environment: the given one, else the cascaded one, else an empty `baseline`."""
    return compare.baseline or options.environment or EnvironmentSpec("baseline")


def baseline_record(options: EvalOptions) -> dict[str, str] | None:
    """The record's `EvalEntry.compare`."""
    compare = options.compare
    if compare is None:
        return None
    record = {"baseline": baseline(compare, options).name}
    if compare.baseline is None:
        record["from"] = "environment" if options.environment else "empty"
    return record


def _of_harness(harness: HarnessSpec, options: EvalOptions, settings: Settings) -> list[Arm]:
    compare = options.compare
    if compare is None:
        return [_arm(harness, options.environment, options, options.gate)]
    control = baseline(compare, options)
    # Also with no variants (a profile's limit): what a control may fail never depends on a limit.
    made = [_arm(harness, control, options, options.gate if compare.gate == "all" else "none")]
    if compare.harness and not any(goes_by(harness, word, settings) for word in compare.harness):
        return made
    gate = "none" if compare.gate == "none" else options.gate
    return made + [_variant(harness, v, control, options, gate) for v in compare.variants]


def _arm(
    harness: HarnessSpec, environment: EnvironmentSpec | None, options: EvalOptions, gate: Gate
) -> Arm:
    sandbox = sandbox_for(harness, environment, options.sandbox)
    name = environment.name if environment else "-"
    return Arm(
        key=f"{harness.id}/{name}/{sandbox.id}",
        harness=harness,
        environment=environment,
        sandbox=sandbox,
        role="control",
        gate=gate,
        env={**(environment.env if environment else {}), **options.env},
        egress=egress_for(environment, options),
        overrides=environment.overrides if environment else (),
    )


def _variant(
    harness: HarnessSpec,
    environment: EnvironmentSpec,
    control: EnvironmentSpec,
    options: EvalOptions,
    gate: Gate,
) -> Arm:
    arm = _arm(harness, environment, options, gate)
    overrides = arm.overrides
    if environment.parent != control.name:
        overrides = _differences(control, environment)
    return replace(arm, role="variant", overrides=overrides)


_WHOLE = ("sandbox", "workspace", "rules", "setup", "skills", "plugins", "egress")
_BY_NAME = ("env", "files", "mcp")


def _differences(control: EnvironmentSpec, variant: EnvironmentSpec) -> tuple[str, ...]:
    """The keys of the control that the variant replaces, such as `env.KEY` or `rules`."""
    found = [
        key
        for key in _WHOLE
        if getattr(control, key) and getattr(control, key) != getattr(variant, key)
    ]
    for key in _BY_NAME:
        mine, theirs = getattr(variant, key), getattr(control, key)
        found += [f"{key}.{name}" for name in theirs if name in mine and mine[name] != theirs[name]]
    return tuple(found)


def _check_unique(found: Sequence[Arm]) -> None:
    seen: set[str] = set()
    for arm in found:
        if arm.key in seen:
            raise UsageError(
                f"two cells are named {arm.key}: give the harnesses, environments or sandboxes "
                "that share a name an id of their own"
            )
        seen.add(arm.key)
