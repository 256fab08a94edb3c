"""Looks up what options name: harnesses, environments and model gateways."""

from __future__ import annotations

from collections.abc import Iterable

from reeval.config.agents import KINDS, Name, plain_harness
from reeval.config.model import EnvironmentSpec, HarnessSpec, Settings
from reeval.config.source import At

GATEWAYS = ("direct", "vercel", "openrouter")
"""Model gateways that need no table in the config."""


def find_harness(named: HarnessSpec | Name, settings: Settings) -> HarnessSpec:
    """A harness of the config by its table's name, or a kind with or without a model."""
    if isinstance(named, HarnessSpec):
        return named
    if named.name in settings.harnesses:
        return settings.harnesses[named.name]
    kind, colon, model = named.name.partition(":")
    if kind in KINDS and bool(model) == bool(colon):
        return plain_harness(kind, model or None)
    raise named.at.unknown("harness", named.name, (*settings.harnesses, *KINDS))


def find_environment(named: EnvironmentSpec | Name, settings: Settings) -> EnvironmentSpec:
    if isinstance(named, EnvironmentSpec):
        return named
    if named.name in settings.environments:
        return settings.environments[named.name]
    hint = "define it in reeval.toml or with define_environment"
    if named.at.source.label.startswith("--"):
        hint = "only those of reeval.toml can be named here, not an eval file's own"
    raise named.at.unknown("environment", named.name, settings.environments, hint)


def check_gateway(name: str | None, at: At, settings: Settings) -> None:
    known = (*GATEWAYS, *settings.gateways)
    if name is not None and name not in known:
        raise at.unknown("gateway", name, known)


def goes_by(harness: HarnessSpec, word: str, settings: Settings) -> bool:
    """Whether a word means this harness: its id, its kind, or the name of its table."""
    named = settings.harnesses.get(word)
    return word in (harness.id, harness.kind) or (named is not None and named.id == harness.id)


def kept(
    harnesses: Iterable[HarnessSpec], words: Iterable[str], settings: Settings
) -> tuple[HarnessSpec, ...]:
    """The harnesses that any of the words means."""
    wanted = tuple(words)
    return tuple(h for h in harnesses if any(goes_by(h, word, settings) for word in wanted))
