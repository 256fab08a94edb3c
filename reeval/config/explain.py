"""What `reeval config` prints: each value with where it comes from."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reeval.config.cascade import config_label, shared_options
from reeval.config.durations import format_duration
from reeval.config.machine import DEFAULT
from reeval.config.model import (
    EnvironmentSpec,
    EvalOptions,
    FakeJudge,
    HarnessSpec,
    HostFile,
    Profile,
    Secret,
    SecretTemplate,
    Settings,
)
from reeval.config.source import dotted

_SECONDS = ("timeout", "duration", "start_timeout")
_NOT_SHOWN = ("root", "file", "options", "profiles", "sources", "hash")


def explain_settings(settings: Settings, profile: Profile | None = None, reason: str = "") -> str:
    """The config's settings and what evals inherit, a line each: `runs = 3  # reeval.toml:4`."""
    options = shared_options(settings, profile)
    rows: list[tuple[str, str, str]] = []
    for name in _fields(settings):
        if name not in _NOT_SHOWN:
            path = tuple(name.split("_", 1)) if name == "runner_module" else (name,)
            rows += _rows(path, getattr(settings, name), settings.sources)
    for name, chosen in settings.profiles.items():
        shown = {"when": chosen.when, "limit": chosen.limit}
        rows += _rows(("profiles", name), shown, settings.sources)
    inherited = {
        key: settings.sources.get(key, source) if source == config_label(settings) else source
        for key, source in options.sources.items()
    }
    rows += _option_rows(options, inherited, whole=False)
    head = [f"project {settings.root}"]
    head.append(
        f"config  {settings.file.name if settings.file else 'none: these are the defaults'}"
    )
    if profile is not None:
        head.append(f"profile {profile.name} ({reason})" if reason else f"profile {profile.name}")
    return "\n".join([*head, "", *_aligned(rows)]) + "\n"


def explain_eval(name: str, options: EvalOptions) -> str:
    """One eval's options after the cascade, each with the level that set it."""
    rows = _option_rows(options, options.sources, whole=True)
    return "\n".join([name, "", *_aligned(rows)]) + "\n"


def _option_rows(
    options: EvalOptions, sources: Mapping[str, str], *, whole: bool
) -> list[tuple[str, str, str]]:
    """`whole`: with all that the environment is made of, not only its name."""
    rows: list[tuple[str, str, str]] = []
    for name in _fields(options):
        value = getattr(options, name)
        if name == "environment" and value is not None:
            rows.append((name, _toml(value), _source((name,), sources)))
        if name not in ("sources", "own", "limited") and (whole or name != "environment" or value is None):
            rows += _rows((name,), value, sources)
    return rows


def _rows(
    path: tuple[str, ...], value: Any, sources: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """(key, value, source) of a value, or of each part of a table."""
    parts = _parts(value)
    if parts is None:
        yield dotted(path), _shown(value, path[-1]), _source(path, sources)
        return
    for key, item in parts.items():
        yield from _rows((*path, key), item, sources)


def _parts(value: Any) -> Mapping[str, Any] | None:
    """What a table is made of; None when it is shown as one value. Unset parts are left out."""
    if isinstance(value, Mapping):
        return value or None
    if not dataclasses.is_dataclass(value) or _in_one(value):
        return None
    defaults = {field.name: field.default for field in dataclasses.fields(value)}
    parts: dict[str, Any] = {}
    for name in _fields(value):
        part = getattr(value, name)
        if name == "fields":
            parts.update(part)
        elif name != "name" and part not in (None, (), {}, defaults[name]):
            parts[name] = part
    return parts


def _in_one(value: Any) -> bool:
    return isinstance(value, HarnessSpec | Secret | SecretTemplate | HostFile | FakeJudge)


def _source(path: tuple[str, ...], sources: Mapping[str, str]) -> str:
    """The source of the key, or of the nearest table around it that has one."""
    for end in range(len(path), 0, -1):
        found = sources.get(dotted(path[:end]))
        if found is not None:
            return found
    return DEFAULT


def _shown(value: Any, key: str) -> str:
    if isinstance(value, float | int) and not isinstance(value, bool) and key in _SECONDS:
        return json.dumps(format_duration(value))
    return _toml(value)


def _toml(value: Any) -> str:
    """A value much as the config would say it; None is `unset`."""
    if value is None:
        return "unset"
    if isinstance(value, HarnessSpec):
        return _toml(value.id)
    if isinstance(value, EnvironmentSpec):
        return _toml(value.name)
    if isinstance(value, Secret):
        return f'{{ secret = "{value.from_}" }}'
    if isinstance(value, HostFile):
        return f"{{ file = {_toml(value.path)} }}"
    if isinstance(value, FakeJudge):
        return f'{{ kind = "fake-judge", score = {value.score} }}'
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml(item) for item in value)}]"
    if dataclasses.is_dataclass(value):
        return _toml(_parts(value) or {})
    if not value and isinstance(value, Mapping):
        return "{}"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_toml(item)}' for key, item in value.items())} }}"
    if isinstance(value, Path):
        value = str(value)
    return json.dumps(value, ensure_ascii=False)


def _aligned(rows: list[tuple[str, str, str]]) -> list[str]:
    """Sources in one column, except after values too long for it."""
    left = [f"{key} = {value}" for key, value, _ in rows]
    width = max((len(text) for text in left if len(text) <= 60), default=0)
    return [f"{text:<{width}}  # {source}" for text, (_, _, source) in zip(left, rows, strict=True)]


def _fields(value: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(value)]
