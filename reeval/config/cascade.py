"""Lays config, profile, groups, eval and command line over each other to one eval's options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from reeval.config.agents import HarnessEdit, HarnessOption, Name
from reeval.config.limits import narrowed
from reeval.config.machine import DEFAULT, egress_for, sandbox_for
from reeval.config.model import (
    Compare,
    EnvironmentSpec,
    EvalOptions,
    HarnessSpec,
    JudgeSpec,
    Profile,
    Settings,
)
from reeval.config.names import check_gateway, find_environment, find_harness, goes_by, kept
from reeval.config.options import OPTION_KEYS, CompareOption, Layer, check_layer
from reeval.config.source import At, Source

_ABOUT = ("sources", "own", "limited")
_KEYS = tuple(field.name for field in fields(EvalOptions) if field.name not in _ABOUT)


def resolve_options(
    settings: Settings,
    profile: Profile | None,
    layers: Sequence[Layer],
    overrides: Mapping[str, Any] | None = None,
) -> EvalOptions:
    """One eval's options: config, profile defaults, groups (outermost first), eval, command line.

    The last of `layers` is the eval's own. `overrides` are what the command line sets, by option
    (a bare number of a duration is seconds). A profile's limit narrows the result, so `harness`
    may come back empty where the limit names none of the eval's; and `compare` without variants.
    Raises `UsageError` with the file, the eval or group, and the key.
    """
    cascade = Cascade(settings)
    cascade.lay_shared(profile)
    for layer in layers:
        source = Source(base=settings.root, file=layer.file, label=layer.source)
        cascade.lay(check_layer(layer, settings), layer.source, At(source), own=True)
    for key, value in (overrides or {}).items():
        source = Source(base=settings.root, label=f"--{key.replace('_', '-')}")
        checked = OPTION_KEYS[key].field.parse(value, At(source, (key,)))
        cascade.lay({key: checked}, source.label, At(source), own=True)
    where = At(cascade.where)
    options = cascade.options()
    if not options.harness:
        raise where.error(
            'no harness is set: write harness = "fake" or a real agent such as '
            '"claude-code:claude-sonnet-5" in reeval.toml, or pass {"harness": …} in the eval'
        )
    if profile is not None:
        options = narrowed(options, profile, settings)
    _check_machines(options, where)
    return options


def shared_options(settings: Settings, profile: Profile | None) -> EvalOptions:
    """What every eval inherits: the config's options under the profile's defaults."""
    cascade = Cascade(settings)
    cascade.lay_shared(profile)
    return cascade.options()


def config_label(settings: Settings) -> str:
    """The source of what the config sets: its file's name."""
    return "reeval.toml" if settings.file is None else settings.file.name


def check_references(settings: Settings) -> None:
    """Looks up every name that the config itself uses. Raises `UsageError` with its line."""
    for profile in (None, *settings.profiles.values()):
        shared_options(settings, profile)


def laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Checked options over inherited ones, apart from `harness`, whose edits need names.

    Variables merge by name, tags add up, `judge` and `question` merge field by field and their
    `state` key by key, `capture` key by key; everything else is replaced.
    """
    out = dict(below)
    for key, value in above.items():
        out[key] = _merged(key, below[key], value) if key in below else value
    return out


def _merged(key: str, below: Any, above: Any) -> Any:
    if key in ("env", "capture"):
        return {**below, **above}
    if key == "tags":
        return tuple(dict.fromkeys((*below, *above)))
    if key in ("judge", "question"):
        out = {**below, **above}
        if "state" in below and "state" in above:
            out["state"] = {**below["state"], **above["state"]}
        return out
    return above


class Cascade:
    """The layers laid so far. Its harnesses and environments are looked up as they are laid."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._values: dict[str, Any] = {}
        self._sources: dict[str, str] = dict.fromkeys(_KEYS, DEFAULT)
        self._own: set[str] = set()
        self.where = Source(base=settings.root, file=settings.file)
        """The innermost level laid, for messages about the whole."""

    def lay_shared(self, profile: Profile | None) -> None:
        """The config's own options and a profile's defaults."""
        source = Source(base=self._settings.root, file=self._settings.file)
        self.lay(self._settings.options, config_label(self._settings), At(source), own=False)
        if profile is not None:
            at = At(source, ("profiles", profile.name, "defaults"))
            self.lay(profile.defaults, f"profile {profile.name}", at, own=False)

    def lay(self, options: Mapping[str, Any], label: str, at: At, *, own: bool) -> None:
        """One level's checked options. `own`: a group's, eval's or the command line's."""
        found = dict(options)
        if "harness" in found:
            found["harness"] = self._harnesses(found["harness"], at.child("harness"))
        if "environment" in found:
            found["environment"] = find_environment(found["environment"], self._settings)
        if "judge" in found:
            gateway = found["judge"].get("gateway")
            check_gateway(gateway, at.child("judge").child("gateway"), self._settings)
        self._note_sources(found, label)
        if own:
            self._own.update(found)
        self._values = laid_over(self._values, found)
        self.where = at.source if at.source.label or not own else self.where

    def options(self) -> EvalOptions:
        values = dict(self._values)
        if "judge" in values:
            values["judge"] = JudgeSpec(**values["judge"])
        if "questions" in values:
            values["questions"] = tuple(
                {"question": item} if isinstance(item, str) else item
                for item in values["questions"]
            )
        if "compare" in values:
            values["compare"] = self._compare(values["compare"])
        return EvalOptions(**values, sources=self._sources, own=frozenset(self._own))

    def _harnesses(self, option: HarnessOption, at: At) -> tuple[HarnessSpec, ...]:
        inherited: tuple[HarnessSpec, ...] = self._values.get("harness", ())
        if not isinstance(option, HarnessEdit):
            found = tuple(find_harness(item, self._settings) for item in option)
        elif option.only is None:
            found = (*inherited, *(find_harness(item, self._settings) for item in option.add))
        else:
            found = self._only(option, inherited)
        for harness in found:
            check_gateway(harness.gateway, at.child("gateway"), self._settings)
        return _distinct(found, at)

    def _only(
        self, option: HarnessEdit, inherited: tuple[HarnessSpec, ...]
    ) -> tuple[HarnessSpec, ...]:
        names = option.only or ()
        for name in names:
            if not any(goes_by(harness, name.name, self._settings) for harness in inherited):
                known = [harness.id for harness in inherited] + [
                    table
                    for table, harness in self._settings.harnesses.items()
                    if harness in inherited
                ]
                raise name.at.unknown("harness among the inherited ones", name.name, known)
        return kept(inherited, [name.name for name in names], self._settings)

    def _compare(self, option: CompareOption) -> Compare:
        variants = tuple(find_environment(item, self._settings) for item in option.variants)
        baseline = (
            None if option.baseline is None else find_environment(option.baseline, self._settings)
        )
        names = [item.name for item in (*variants, *((baseline,) if baseline else ()))]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise option.at.error(f'compare names the environment "{twice}" twice')
        return Compare(
            variants=variants,
            baseline=baseline,
            harness=tuple(self._compared(item) for item in option.harness),
            gate=option.gate,
            min_lift=option.min_lift,
            stop=option.stop,
        )

    def _compared(self, named: HarnessSpec | Name) -> str:
        """The id of a harness to compare on: one of this eval's, or any known one."""
        if not isinstance(named, HarnessSpec):
            for harness in self._values.get("harness", ()):
                if harness.id == named.name:
                    return named.name
        return find_harness(named, self._settings).id

    def _note_sources(self, options: Mapping[str, Any], label: str) -> None:
        for key, value in options.items():
            before = self._sources[key]
            adds = key == "tags" and before != DEFAULT
            self._sources[key] = f"{before}, {label}" if adds else label
            if key in ("env", "judge", "question", "capture"):
                for name, item in value.items():
                    self._sources[f"{key}.{name}"] = label
                    if name == "state":
                        self._sources.update({f"{key}.state.{part}": label for part in item})


def _distinct(found: Sequence[HarnessSpec], at: At) -> tuple[HarnessSpec, ...]:
    """Each once; two different ones under one id can't be told apart in cells."""
    by_id: dict[str, HarnessSpec] = {}
    for harness in found:
        if by_id.setdefault(harness.id, harness) != harness:
            raise at.error(
                f'{at.dotted} has two harnesses with the id "{harness.id}": give one an id'
            )
    return tuple(by_id.values())


def _check_machines(options: EvalOptions, where: At) -> None:
    """Only the fake harness may run on this machine, where no policy can be enforced."""
    for environment in _environments(options):
        for harness in options.harness:
            sandbox = sandbox_for(harness, environment, options.sandbox)
            if sandbox.kind != "fake":
                continue
            if harness.kind != "fake":
                raise where.error(
                    f"{harness.id} can't run in the fake sandbox, which is this machine: "
                    "only the fake harness may; give it docker()"
                )
            policy = egress_for(environment, options)
            if policy == "deny-all" or isinstance(policy, tuple):
                name = policy if isinstance(policy, str) else "an allow list"
                raise where.error(
                    f"egress: the fake sandbox can't hold {name}: it has this machine's network"
                )


def _environments(options: EvalOptions) -> list[EnvironmentSpec | None]:
    """Every environment of the eval's cells; None is no environment."""
    compare = options.compare
    if compare is None:
        return [options.environment]
    return [compare.baseline or options.environment, *compare.variants]
