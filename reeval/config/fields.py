"""What one setting may be: a description that checks it, names it and gives its JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, TypeAlias

from reeval.config.durations import parse_duration
from reeval.config.source import At

Schema: TypeAlias = dict[str, Any]

ANYTHING = r"(?s).+"
"""The pattern of text that isn't empty."""


class Field(Protocol):
    """`expects` completes "runs takes …"."""

    @property
    def expects(self) -> str: ...

    def takes(self, value: object) -> bool:
        """Whether the value is of this field's kind, right or wrong in itself."""
        ...

    def parse(self, value: object, at: At) -> Any:
        """The value as the inside knows it. Raises `UsageError`."""
        ...

    def schema(self) -> Schema: ...


@dataclass(frozen=True, slots=True)
class Text:
    """Text, not empty. `pattern` must match all of it; `expects` says what that means."""

    pattern: str = ANYTHING
    expects: str = "text"

    def takes(self, value: object) -> bool:
        return isinstance(value, str)

    def parse(self, value: object, at: At) -> str:
        if not isinstance(value, str):
            raise at.wrong(self.expects, value)
        if not compiled(self.pattern).fullmatch(value):
            raise at.wrong(self.expects, value)
        return value

    def schema(self) -> Schema:
        if self.pattern == ANYTHING:
            return {"type": "string", "minLength": 1}
        if self.pattern.startswith("(?s)"):
            return {"type": "string"}
        return {"type": "string", "pattern": f"^(?:{self.pattern})$"}


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number."""

    minimum: int = 1

    @property
    def expects(self) -> str:
        return f"a whole number from {self.minimum}"

    def takes(self, value: object) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool)

    def parse(self, value: object, at: At) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < self.minimum:
            raise at.wrong(self.expects, value)
        return value

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.minimum}


@dataclass(frozen=True, slots=True)
class Number:
    """A number; an unset bound is open."""

    minimum: float
    maximum: float | None = None

    @property
    def expects(self) -> str:
        if self.maximum is None:
            return f"a number from {self.minimum:g}"
        return f"a number from {self.minimum:g} to {self.maximum:g}"

    def takes(self, value: object) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool)

    def parse(self, value: object, at: At) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise at.wrong(self.expects, value)
        # Written so that NaN is refused.
        if not (value >= self.minimum and (self.maximum is None or value <= self.maximum)):
            raise at.wrong(self.expects, value)
        if value == float("inf"):
            raise at.wrong(self.expects, value)
        return value

    def schema(self) -> Schema:
        bounds: Schema = {"type": "number", "minimum": self.minimum}
        return bounds if self.maximum is None else {**bounds, "maximum": self.maximum}


@dataclass(frozen=True, slots=True)
class Flag:
    """true or false; `only` one of them where it is given."""

    only: bool | None = None

    @property
    def expects(self) -> str:
        return "true or false" if self.only is None else str(self.only).lower()

    def takes(self, value: object) -> bool:
        return isinstance(value, bool)

    def parse(self, value: object, at: At) -> bool:
        if not isinstance(value, bool) or (self.only is not None and value is not self.only):
            raise at.wrong(self.expects, value)
        return value

    def schema(self) -> Schema:
        return {"type": "boolean"} if self.only is None else {"const": self.only}


@dataclass(frozen=True, slots=True)
class Duration:
    """Seconds above zero: text with a unit, or a bare number (seconds; on the wire ms)."""

    expects: str = 'a duration such as "90s" or "15m", or a number of seconds'

    def takes(self, value: object) -> bool:
        return isinstance(value, str | int | float) and not isinstance(value, bool)

    def parse(self, value: object, at: At) -> float:
        seconds: float | None = None
        if isinstance(value, str):
            seconds = parse_duration(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if at.source.wire else float(value)
        if seconds is None or not 0 < seconds < float("inf"):
            raise at.wrong(self.expects, value)
        return seconds

    def schema(self) -> Schema:
        text = {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?\s*(ms|s|m|h)$"}
        return {"anyOf": [text, {"type": "number", "exclusiveMinimum": 0}]}


@dataclass(frozen=True, slots=True)
class OneWord:
    """One of a few words."""

    words: tuple[str, ...]

    @property
    def expects(self) -> str:
        quoted = [f'"{word}"' for word in self.words]
        return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"

    def takes(self, value: object) -> bool:
        return isinstance(value, str) and value in self.words

    def parse(self, value: object, at: At) -> str:
        if not isinstance(value, str) or value not in self.words:
            raise at.wrong(self.expects, value)
        return value

    def schema(self) -> Schema:
        return {"enum": list(self.words)}


@dataclass(frozen=True, slots=True)
class Json:
    """Any value; `table` ones only take a table."""

    table: bool = False

    @property
    def expects(self) -> str:
        return "a table" if self.table else "a value"

    def takes(self, value: object) -> bool:
        return isinstance(value, Mapping) or not self.table

    def parse(self, value: object, at: At) -> Any:
        if not self.takes(value):
            raise at.wrong(self.expects, value)
        return value

    def schema(self) -> Schema:
        return {"type": "object"} if self.table else {}


@lru_cache(maxsize=64)
def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
