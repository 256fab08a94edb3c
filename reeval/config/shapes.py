"""How settings are put together: lists, tables and alternatives of what `fields` describes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from reeval.config.fields import ANYTHING, Field, OneWord, Schema, compiled
from reeval.config.source import At

_CAMEL = re.compile(r"(?<=[A-Za-z0-9])([A-Z])")


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list, as a tuple. `single`: one item may stand without the list's brackets."""

    item: Field
    of: str
    single: bool = False
    minimum: int = 0

    @property
    def expects(self) -> str:
        if self.single:
            return f"{self.item.expects}, or a list of them"
        return f"a list of {self.of}"

    def takes(self, value: object) -> bool:
        return isinstance(value, list | tuple) or (self.single and self.item.takes(value))

    def parse(self, value: object, at: At) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            if not self.single:
                raise at.wrong(self.expects, value)
            return (self.item.parse(value, at),)
        if len(value) < self.minimum:
            raise at.wrong(f"at least {self.minimum} of {self.of}", value)
        return tuple(self.item.parse(item, at.child(n)) for n, item in enumerate(value))

    def schema(self) -> Schema:
        many: Schema = {"type": "array", "items": self.item.schema()}
        if self.minimum:
            many["minItems"] = self.minimum
        return {"anyOf": [self.item.schema(), many]} if self.single else many


@dataclass(frozen=True, slots=True)
class MapOf:
    """A table whose keys are the user's own; `key` must match each, and `named` says what it is."""

    item: Field
    of: str
    key: str = ANYTHING
    named: str = "a name"

    @property
    def expects(self) -> str:
        return f"a table of {self.of}"

    def takes(self, value: object) -> bool:
        return isinstance(value, Mapping)

    def parse(self, value: object, at: At) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise at.wrong(self.expects, value)
        out: dict[str, Any] = {}
        for key, item in value.items():
            inside = at.child(key)
            if not compiled(self.key).fullmatch(key):
                raise inside.error(f"{inside.dotted}: its key is not {self.named}")
            out[key] = self.item.parse(item, inside)
        return out

    def schema(self) -> Schema:
        out: Schema = {"type": "object", "additionalProperties": self.item.schema()}
        if not self.key.startswith("(?s)"):
            out["propertyNames"] = {"pattern": f"^(?:{self.key})$"}
        return out


@dataclass(frozen=True, slots=True)
class Key:
    """A table's key: what it takes and a line about it. `wire` ones are the SDK's own marks."""

    field: Field
    doc: str = ""
    required: bool = False
    wire: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table with known keys.

    Among alternatives, `when` is the key whose presence picks this one, and `tag` the (key, value)
    that does. `build` turns the checked values into what the inside knows.
    """

    keys: Mapping[str, Key]
    expects: str = "a table"
    when: str | None = None
    tag: tuple[str, str] | None = None
    build: Callable[[dict[str, Any], At], Any] | None = None

    def takes(self, value: object) -> bool:
        if not isinstance(value, Mapping):
            return False
        if self.tag is not None:
            return value.get(self.tag[0]) == self.tag[1]
        return self.when is None or self.when in value

    def parse(self, value: object, at: At) -> Any:
        if not isinstance(value, Mapping):
            raise at.wrong(self.expects, value)
        out: dict[str, Any] = {}
        for written, item in value.items():
            name = snake_case(written) if at.source.wire else written
            key = self.keys.get(name)
            inside = at.child(name)
            if key is None:
                raise inside.unknown_key(self.visible())
            out[name] = key.field.parse(item, inside)
        for name, key in self.keys.items():
            if key.required and name not in out:
                raise at.error(f"{at.dotted or 'this'} needs {name}: {key.field.expects}")
        return out if self.build is None else self.build(out, at)

    def visible(self) -> list[str]:
        return [name for name, key in self.keys.items() if not key.wire]

    def schema(self) -> Schema:
        shown = {name: key for name, key in self.keys.items() if not key.wire}
        out: Schema = {
            "type": "object",
            "properties": {name: _described(key) for name, key in shown.items()},
            "additionalProperties": False,
        }
        required = [name for name, key in shown.items() if key.required]
        return {**out, "required": required} if required else out


@dataclass(frozen=True, slots=True)
class Built:
    """Another field whose value becomes what the inside knows."""

    field: Field
    build: Callable[[Any, At], Any]

    @property
    def expects(self) -> str:
        return self.field.expects

    def takes(self, value: object) -> bool:
        return self.field.takes(value)

    def parse(self, value: object, at: At) -> Any:
        return self.build(self.field.parse(value, at), at)

    def schema(self) -> Schema:
        return self.field.schema()


@dataclass(frozen=True, slots=True)
class Shared:
    """A field that the JSON Schema describes once, under `$defs`, and refers to by name."""

    name: str
    field: Field

    @property
    def expects(self) -> str:
        return self.field.expects

    def takes(self, value: object) -> bool:
        return self.field.takes(value)

    def parse(self, value: object, at: At) -> Any:
        return self.field.parse(value, at)

    def schema(self) -> Schema:
        return {"$ref": f"#/$defs/{self.name}"}


@dataclass(frozen=True, slots=True)
class OneOf:
    """The first alternative that takes the value reads it. `wire` ones only the SDK writes."""

    alternatives: Sequence[Field]
    expects: str
    wire: Sequence[Field] = ()

    def takes(self, value: object) -> bool:
        return any(field.takes(value) for field in (*self.wire, *self.alternatives))

    def parse(self, value: object, at: At) -> Any:
        for field in (*self.wire, *self.alternatives):
            if field.takes(value):
                return field.parse(value, at)
        raise at.wrong(self.expects, value)

    def schema(self) -> Schema:
        return {"anyOf": [field.schema() for field in self.alternatives]}


@dataclass(frozen=True, slots=True)
class Tagged:
    """A table of one of several kinds, named by its `tag` key."""

    tag: str
    kinds: Mapping[str, Table]
    of: str

    @property
    def expects(self) -> str:
        return f"a table with {self.tag}"

    def takes(self, value: object) -> bool:
        return isinstance(value, Mapping)

    def parse(self, value: object, at: At) -> Any:
        if not isinstance(value, Mapping):
            raise at.wrong(self.expects, value)
        if self.tag not in value:
            raise at.error(f"{at.dotted} needs {self.tag}: {self._words().expects}")
        kind = value[self.tag]
        if not isinstance(kind, str) or kind not in self.kinds:
            inside = at.child(self.tag)
            if isinstance(kind, str):
                raise inside.unknown(self.of, kind, self.kinds)
            raise inside.wrong(self._words().expects, kind)
        return self.kinds[kind].parse(value, at)

    def _words(self) -> OneWord:
        return OneWord(tuple(self.kinds))

    def schema(self) -> Schema:
        return {"anyOf": [table.schema() for table in self.kinds.values()]}


@lru_cache(maxsize=4096)
def snake_case(key: str) -> str:
    """The wire's `minLift` as `min_lift`; what is in snake_case already stays."""
    return _CAMEL.sub(lambda match: "_" + match[1].lower(), key)


def _described(key: Key) -> Schema:
    return {"description": key.doc, **key.field.schema()} if key.doc else key.field.schema()
