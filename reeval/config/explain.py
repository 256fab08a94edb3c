"""What `reeval config` shows: each value as the config would say it, with where it comes from."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reeval.config.agents import Name, harness_id
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
    SetupStep,
    SkillSource,
)
from reeval.config.source import dotted

_SECONDS = ("timeout", "duration", "start_timeout")
_NOT_SHOWN = ("root", "file", "options", "profiles", "sources", "hash")
_ABOUT = ("sources", "own", "limited")
_SAID = {"from_": "from", "in_": "in", "parent": "extends"}
"""What the config calls a field that has another name here."""

Row = tuple[tuple[str, ...], Any, str]
"""A setting's path, its value as JSON, and its source."""


@dataclass(frozen=True, slots=True)
class Explained:
    """`head` are lines of (title, text), such as `("eval", "evals/a.eval.py › greets")`."""

    head: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]

    def text(self) -> str:
        """A line each: `runs = 3  # reeval.toml:4`. Sources stand in one column where they can."""
        head = [f"{title:<8}{text}" for title, text in self.head]
        left = [f"{dotted(path)} = {_toml(value)}" for path, value, _ in self.rows]
        width = max((len(text) for text in left if len(text) <= 60), default=0)
        sources = (source for *_, source in self.rows)
        told = [f"{text:<{width}}  # {s}" for text, s in zip(left, sources, strict=True)]
        return "\n".join([*head, "", *told]) + "\n"

    def json(self) -> dict[str, Any]:
        """`{"project": …, "settings": {"runs": {"value": 3, "source": "reeval.toml:4"}, …}}`."""
        settings = {dotted(path): {"value": v, "source": s} for path, v, s in self.rows}
        return {**dict(self.head), "settings": settings}


def explain_settings(
    settings: Settings, profile: Profile | None = None, reason: str = ""
) -> Explained:
    """The config's settings and what evals inherit. What nobody set and is empty is left out."""
    options = shared_options(settings, profile)
    shows = _Shows(settings)
    rows: list[Row] = []
    for name in _fields(settings):
        if name not in _NOT_SHOWN:
            path = ("runner", "module") if name == "runner_module" else (name,)
            rows += shows.rows(path, getattr(settings, name), settings.sources)
    for name, chosen in settings.profiles.items():
        parts = {"when": chosen.when, "defaults": chosen.defaults, "limit": chosen.limit}
        rows += shows.rows(("profiles", name), parts, settings.sources)
    inherited = {
        key: settings.sources.get(key, source) if source == config_label(settings) else source
        for key, source in options.sources.items()
    }
    rows += shows.options(options, inherited, whole=False)
    head = [("project", str(settings.root))]
    head.append(("config", settings.file.name if settings.file else "none: these are the defaults"))
    if profile is not None:
        head.append(("profile", f"{profile.name} ({reason})" if reason else profile.name))
    return Explained(tuple(head), tuple(rows))


def explain_eval(name: str, options: EvalOptions, settings: Settings) -> Explained:
    """One eval's options after the cascade, each with the level that set it."""
    rows = _Shows(settings).options(options, options.sources, whole=True)
    return Explained((("eval", name),), tuple(rows))


class _Shows:
    """Values as the config says them: by the names that this project gives."""

    def __init__(self, settings: Settings) -> None:
        self._harnesses = settings.harnesses

    def options(
        self, options: EvalOptions, sources: Mapping[str, str], *, whole: bool
    ) -> list[Row]:
        """`whole`: with all that the environment is made of, not only its name."""
        rows: list[Row] = []
        for name in _fields(options):
            value = getattr(options, name)
            if name == "environment" and value is not None:
                rows.append(((name,), value.name, _source((name,), sources)))
            if name not in _ABOUT and (whole or name != "environment"):
                rows += self.rows((name,), value, sources)
        return rows

    def rows(self, path: tuple[str, ...], value: Any, sources: Mapping[str, str]) -> Iterator[Row]:
        """A row of a value, or of each part of a table."""
        parts = _parts(value)
        if parts:
            for key, item in parts.items():
                yield from self.rows((*path, key), item, sources)
            return
        empty = parts is not None or _unset(value)
        if not empty or sources.get(dotted(path), DEFAULT) != DEFAULT:
            yield path, self._plain(value, path[-1]), _source(path, sources)

    def _plain(self, value: Any, key: str = "") -> Any:
        """The value as JSON. `key` is what it is of, which decides how some values are said."""
        match value:
            case bool() | str() | None:
                return value
            case int() | float() if key in _SECONDS:
                return format_duration(value)
            case float() if key == "gate":
                return {"pass_rate": value}
            case Path():
                return str(value)
            case Name() | EnvironmentSpec():
                return value.name
            case list() | tuple():
                items = [self._plain(item) for item in value]
                return {"allow": items} if key == "egress" else items
        parts = _parts(value) if isinstance(value, Mapping) else _fields_set(value)
        if parts is None:
            return value
        said = {name: self._plain(item, name) for name, item in parts.items()}
        return self._in_short(value, said)

    def _in_short(self, value: Any, said: dict[str, Any]) -> Any:
        match value:
            case HarnessSpec():
                named = (name for name, spec in self._harnesses.items() if spec == value)
                short = value.id if set(said) <= {"kind", "model"} else said
                return next(named, short)
            case Secret():
                return {"secret": said.pop("from"), **said}
            case HostFile():
                return {"file": said["path"]}
            case FakeJudge():
                return {"kind": "fake-judge", **said}
            case SetupStep() if set(said) == {"run"}:
                return said["run"]
            case SkillSource() if set(said) == {"source", "path"}:
                return said["path"]
        return said


def _parts(value: Any) -> Mapping[str, Any] | None:
    """What a table is made of, without what is unset; None of what is shown as one value."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, Name | Secret | SecretTemplate | HostFile | FakeJudge):
        return None
    return _fields_set(value)


def _fields_set(value: Any) -> dict[str, Any] | None:
    """A dataclass' fields that aren't as they are by default, under the config's names for them."""
    if not dataclasses.is_dataclass(value):
        return None
    parts: dict[str, Any] = {}
    for field in dataclasses.fields(value):
        part = getattr(value, field.name)
        if field.name == "fields":
            parts.update({_SAID.get(key, key): item for key, item in part.items()})
        elif not (_unset(part) or part == field.default or _derived(value, field.name)):
            parts[_SAID.get(field.name, field.name)] = part
    if "max_variants" in parts:
        parts["compare"] = {"max_variants": parts.pop("max_variants")}
    return parts


def _derived(value: Any, field: str) -> bool:
    """Whether nobody writes this field: a table's name is in its path, an id may be made."""
    if field == "id" and isinstance(value, HarnessSpec):
        return bool(value.id == harness_id(value.kind, value.model, value.effort))
    if field == "id":
        return bool(value.id == value.kind)
    return field in ("name", "overrides", "at")


def _unset(value: Any) -> bool:
    return value is None or value in ((), {}, [])


def _source(path: tuple[str, ...], sources: Mapping[str, str]) -> str:
    """The source of the key, or of the nearest table around it that has one."""
    for end in range(len(path), 0, -1):
        found = sources.get(dotted(path[:end]))
        if found is not None:
            return found
    return DEFAULT


def _toml(value: Any) -> str:
    """JSON much as the config would say it; None is `unset`."""
    if value is None:
        return "unset"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        items = (f"{dotted((key,))} = {_toml(item)}" for key, item in value.items())
        return f"{{ {', '.join(items)} }}" if value else "{}"
    return json.dumps(value, ensure_ascii=False)


def _fields(value: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(value)]
