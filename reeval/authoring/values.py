"""An eval's values as the JSON the engine checks, and patterns that only this side matches."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reeval.authoring.results import Diff, ExecResult, FileChange, Turn, Usage, Verdict

UNSET: Any = object()
"""An argument that was left out, where None means something."""


def plain_json(value: object, accepted: str) -> Any:
    """`value` as JSON, the SDK's results as their wire data.

    Raises `TypeError`, which begins with `accepted`, when a part of it isn't JSON.
    """
    return _json(value, accepted, None)


def _json(value: object, accepted: str, pattern: Callable[[re.Pattern[Any]], Any] | None) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_json(v, accepted, pattern) for v in value]
    if isinstance(value, dict):
        return {_key(k, accepted): _json(v, accepted, pattern) for k, v in value.items()}
    if isinstance(value, ExecResult):
        return {"exitCode": value.exit_code, "stdout": value.stdout, "stderr": value.stderr}
    if isinstance(value, Verdict | Turn):
        return value._data
    if pattern is not None and isinstance(value, re.Pattern):
        return pattern(value)
    if isinstance(value, Diff | FileChange | Usage):
        return _json(dataclasses.asdict(value), accepted, pattern)
    raise TypeError(f"{accepted}: Object of type {type(value).__name__} is not JSON serializable")


def _key(key: object, accepted: str) -> Any:
    if key is None or isinstance(key, str | int | float):
        return key
    raise TypeError(f"{accepted}: a dict's keys are text in JSON (got {key!r})")


class Patterns:
    """The `re` patterns in one call's arguments.

    The engine never compiles them: it asks about the strings a matcher tested, by the pattern's
    name on the wire, and each is answered here with `pattern.search`.
    """

    def __init__(self) -> None:
        self._by_name: dict[str, tuple[re.Pattern[Any], dict[str, bool]]] = {}

    def wire_args(self, args: Sequence[object]) -> tuple[Any, ...]:
        """The arguments as JSON, with every pattern in them, at any depth, named for the wire."""
        accepted = "a matcher takes JSON values and re patterns"
        return tuple(_json(arg, accepted, self._wire) for arg in args)

    def answer(self, untested: Mapping[str, Sequence[str]]) -> None:
        """Matches the strings the engine asks about; the arguments carry the answers from here."""
        for name, strings in untested.items():
            if name not in self._by_name:
                raise RuntimeError(f"reeval asked about {name}, which this check doesn't use")
            pattern, answers = self._by_name[name]
            answers.update((s, _matches(pattern, s)) for s in strings)

    def _wire(self, pattern: re.Pattern[Any]) -> dict[str, Any]:
        name, n = repr(pattern), 1
        # A long pattern's repr is cut short, so two patterns can share one.
        while name in self._by_name and self._by_name[name][0] != pattern:
            n += 1
            name = f"{pattern!r} #{n}"
        _, answers = self._by_name.setdefault(name, (pattern, {}))
        return {"matchedBy": name, "answers": answers}


def _matches(pattern: re.Pattern[Any], text: str) -> bool:
    if isinstance(pattern.pattern, bytes):
        return pattern.search(text.encode("utf-8", "surrogatepass")) is not None
    return pattern.search(text) is not None
