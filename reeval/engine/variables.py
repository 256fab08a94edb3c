"""The variables and secrets of one attempt: who gets which, and what the record may name."""

from __future__ import annotations

import secrets as random
from collections.abc import Mapping
from dataclasses import dataclass

from reeval.config.model import EnvValue, Secret


@dataclass(frozen=True, slots=True)
class Variables:
    """`agent` is what every process in the sandbox gets; `checks` what only setup and checks get.

    `brokered` are secrets bound to hosts: the sandbox holds a placeholder, never the value.
    `missing` are the secrets that must be set and aren't, as `NAME (from HOST_VAR)`.
    """

    agent: Mapping[str, str]
    checks: Mapping[str, str]
    names: tuple[str, ...]
    secrets: tuple[str, ...]
    brokered: tuple[str, ...]
    missing: tuple[str, ...]


_NONE = Variables({}, {}, (), (), (), ())


def resolve_variables(env: Mapping[str, EnvValue], values: Mapping[str, str]) -> Variables:
    """`values` is host variable → value, for the secrets that are set."""
    if not env:
        return _NONE
    agent: dict[str, str] = {}
    checks: dict[str, str] = {}
    secret_names: list[str] = []
    brokered: list[str] = []
    missing: list[str] = []
    for name, value in env.items():
        if not isinstance(value, Secret):
            agent[name] = value
            continue
        real = values.get(value.from_)
        if real is None:
            if not value.optional:
                missing.append(name if name == value.from_ else f"{name} (from {value.from_})")
            continue
        secret_names.append(name)
        side = checks if value.to == "checks" else agent
        if value.hosts:
            brokered.append(name)
            side[name] = _placeholder(len(real))
        else:
            side[name] = real
    plain = tuple(n for n, v in env.items() if not isinstance(v, Secret))
    return Variables(agent, checks, plain, tuple(secret_names), tuple(brokered), tuple(missing))


def _placeholder(length: int) -> str:
    """Random text of the key's length: what a sandbox holds in a brokered key's place."""
    return random.token_hex(length // 2 + 1)[:length]
