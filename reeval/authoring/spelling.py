"""Options from an eval file's spelling (snake_case, seconds) to the wire's (camelCase, text)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reeval.authoring.descriptor import Descriptor
from reeval.authoring.durations import duration_text
from reeval.authoring.values import plain_json

_CAMEL = {
    "delay_ms": "delayMs",
    "fail_with": "failWith",
    "flake_rate": "flakeRate",
    "ignore_abort": "ignoreAbort",
    "max_concurrent": "maxConcurrent",
    "max_variants": "maxVariants",
    "min_lift": "minLift",
    "pass_rate": "passRate",
    "provider_options": "providerOptions",
    "served_model": "servedModel",
    "start_hangs": "startHangs",
    "start_timeout": "startTimeout",
    "with_skill": "withSkill",
}
"""reeval's own keys of two words. Any other key goes out as written, so an error can name it."""

_DURATIONS = frozenset({"timeout", "startTimeout"})

_NAMED_BY_THE_USER = frozenset({"env", "files", "headers", "mcp", "params", "write"})
"""Maps whose keys are the user's own; their values are reeval's again."""

_OPAQUE = frozenset({"providerOptions", "input", "output"})
"""Values that are the user's own, whole."""


def options_to_wire(options: Mapping[str, Any]) -> dict[str, Any]:
    """An eval's, a group's or a judge's options as the wire has them.

    Raises `TypeError` for a duration that is neither seconds nor a `timedelta`, and for a value
    that is not data.
    """
    return {wire_key(k): _value(wire_key(k), k, v) for k, v in options.items()}


def as_dict(keywords: Mapping[str, Any]) -> str:
    """Options that were given as keywords, as the dict to write instead."""
    return "{" + ", ".join(f'"{k}": {v!r}' for k, v in keywords.items()) + "}"


def wire_key(key: str) -> str:
    return _CAMEL.get(key, key)


def _value(name: str, written: str, value: Any) -> Any:
    if name in _DURATIONS:
        return duration_text(value, written)
    if name in _OPAQUE:
        return plain_json(value, f"{written} takes JSON")
    if name in _NAMED_BY_THE_USER and isinstance(value, Mapping):
        return {k: to_wire(v) for k, v in value.items()}
    return to_wire(value)


def to_wire(value: Any) -> Any:
    """Any value inside the options: the SDK's objects as data, lists and dicts all the way down."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Descriptor):
        return value._to_wire()
    if isinstance(value, Mapping):
        return options_to_wire(value)
    if isinstance(value, list | tuple):
        return [to_wire(v) for v in value]
    raise TypeError(f"options are data: text, numbers, lists and dicts (got {value!r})")
