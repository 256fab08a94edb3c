"""Finds `reeval.toml` and turns it into checked settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli

from reeval.config.agents import Name
from reeval.config.cascade import check_references
from reeval.config.environment import extended
from reeval.config.errors import UsageError
from reeval.config.leaks import refuse_secrets
from reeval.config.lines import KeyPath, key_lines
from reeval.config.model import EnvironmentSpec, HarnessSpec, Limit, Profile, Settings
from reeval.config.names import check_gateway, find_harness, goes_by
from reeval.config.options import OPTION_KEYS
from reeval.config.source import At, Source, dotted
from reeval.config.tables import CONFIG, NOT_DECIDING

FILE = "reeval.toml"


@dataclass(frozen=True, slots=True)
class _Found:
    """The file, its text, the settings in it, and the keys under which they stand there."""

    file: Path
    text: str
    document: Mapping[str, Any]
    prefix: KeyPath = ()


def load_settings(start: Path, environ: Mapping[str, str]) -> Settings:
    """The settings of the project that `start` (a folder) lies in.

    They are in `reeval.toml`, or in `pyproject.toml` under `[tool.reeval]`, in `start` or the
    nearest folder above it, up to the root of its git repository. Without either: the defaults,
    with `start` as the project. `environ` is only asked whether a text in the file is the value
    of a variable that holds a secret. Raises `UsageError` with file, line and key.
    """
    found = _find(start.resolve())
    if found is None:
        return Settings(root=start.resolve(), hash=_hash({}))
    source = Source(
        base=found.file.parent,
        file=found.file,
        lines=key_lines(found.text),
        prefix=found.prefix,
    )
    at = At(source)
    refuse_secrets(found.document, at, environ)
    checked: dict[str, Any] = CONFIG.parse(found.document, at)
    settings = _settings(found, checked, at)
    _check_names(settings, at)
    return settings


def _find(start: Path) -> _Found | None:
    for folder in (start, *start.parents):
        if (folder / FILE).is_file():
            return _read(folder / FILE, ())
        project = folder / "pyproject.toml"
        if project.is_file() and "reeval" in _text(project):
            found = _read(project, ("tool", "reeval"))
            if found is not None:
                return found
        if (folder / ".git").exists():
            return None
    return None


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = file.read_bytes()[: error.start].count(b"\n") + 1
        raise UsageError("this is not UTF-8 text: save it as UTF-8", file=file, line=line) from None
    except OSError as error:
        raise UsageError(f"it can't be read: {error.strerror}", file=file) from None


def _read(file: Path, prefix: KeyPath) -> _Found | None:
    text = _text(file)
    try:
        document: Any = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        message = f"this is not TOML: {error.msg[:1].lower()}{error.msg[1:]}"
        raise UsageError(message, file=file, line=error.lineno) from None
    for key in prefix:
        document = document.get(key) if isinstance(document, dict) else None
    return None if document is None else _Found(file, text, document, prefix)


def _settings(found: _Found, checked: Mapping[str, Any], at: At) -> Settings:
    own = {
        key: value
        for key, value in checked.items()
        if key not in OPTION_KEYS and key not in ("runner", "profiles", "environments")
    }
    return Settings(
        root=found.file.parent,
        file=found.file,
        runner_module=checked.get("runner", {}).get("module"),
        environments=_environments(checked.get("environments", {})),
        profiles={
            name: Profile(
                name,
                when=profile.get("when", {}),
                defaults=profile.get("defaults", {}),
                limit=profile.get("limit", Limit()),
            )
            for name, profile in checked.get("profiles", {}).items()
        },
        options={key: value for key, value in checked.items() if key in OPTION_KEYS},
        sources=_places(found.file, at.source),
        hash=_hash(found.document),
        **own,
    )


def _places(file: Path, source: Source) -> dict[str, str]:
    depth = len(source.prefix)
    return {
        dotted(path[depth:]): f"{file.name}:{line}"
        for path, line in source.lines.items()
        if path[:depth] == source.prefix and len(path) > depth
    }


def _environments(tables: Mapping[str, tuple[dict[str, Any], At]]) -> dict[str, EnvironmentSpec]:
    """Each with what it extends laid under it."""
    done: dict[str, EnvironmentSpec] = {}

    def build(name: str, inside: tuple[str, ...]) -> EnvironmentSpec:
        if name not in done:
            spec, at = tables[name]
            own = {key: value for key, value in spec.items() if key != "extends"}
            done[name] = extended(below(spec.get("extends"), at, (*inside, name)), name, own)
        return done[name]

    def below(parent: str | None, at: At, inside: tuple[str, ...]) -> EnvironmentSpec | None:
        if parent is None:
            return None
        if parent not in tables:
            raise at.child("extends").unknown("environment", parent, tables)
        if parent in inside:
            chain = " → ".join((*inside, parent))
            raise at.child("extends").error(f"{at.dotted}.extends leads back to itself: {chain}")
        return build(parent, inside)

    for name in tables:
        build(name, ())
    return done


def _check_names(settings: Settings, at: At) -> None:
    """Looks up every harness, environment and gateway that the file names."""
    for n, name in enumerate(settings.gateway):
        check_gateway(name, at.child("gateway").child(n), settings)
    for name, harness in settings.harnesses.items():
        place = at.child("harnesses").child(name).child("gateway")
        check_gateway(harness.gateway, place, settings)
    for name, profile in settings.profiles.items():
        place = at.child("profiles").child(name).child("limit").child("harness")
        for word in profile.limit.harness or ():
            _check_limited(word, place, settings)
    check_references(settings)


def _check_limited(word: str, at: At, settings: Settings) -> None:
    """A limit may use a name, a kind, `kind:model`, or an id that a harness here was given."""
    known: Iterator[HarnessSpec] = iter(settings.harnesses.values())
    if not any(goes_by(harness, word, settings) for harness in known):
        find_harness(Name(word, at), settings)


def _hash(document: Mapping[str, Any]) -> str:
    """sha256 of what decides results, as canonical JSON."""
    deciding = {key: value for key, value in document.items() if key not in NOT_DECIDING}
    text = json.dumps(deciding, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
