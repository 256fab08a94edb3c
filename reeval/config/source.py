"""Where a setting was written, so that a message can name it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reeval.config.errors import UsageError, nearest
from reeval.config.lines import KeyPath

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Source:
    """A file of settings, or the options of one `evaluate` or `group`.

    `label` names what of the file it is, such as `evaluate("greets")`. Relative paths start at
    `base`; `root` is the project's folder, where it is another. On the wire keys are camelCase
    and a duration's bare number is milliseconds; in a file it is seconds. `prefix` is where the
    settings begin in the file that `lines` was made of.
    """

    base: Path
    root: Path | None = None
    file: Path | str | None = None
    label: str = ""
    wire: bool = False
    lines: Mapping[KeyPath, int] = field(default_factory=dict, repr=False)
    prefix: KeyPath = ()


_LAYER = re.compile(r"\blayers\[\d+\]\.spec\.")
_CALL = re.compile(r"\{ (file|secret|template) = (\"[^\"]*\") \}")
_CALLS = {"template": "secret.template"}
_TABLE = re.compile(r"\{ (\w+ = [^{}]*) \}")
_KEY = re.compile(r"(\w+) = ")
_QUOTED = r'"\1": '


def _in_python(expects: str) -> str:
    """`"all" or {"pass_rate": 0.8}` for `"all" or { pass_rate = 0.8 }`."""
    text = _CALL.sub(lambda found: f"{_CALLS.get(found[1], found[1])}({found[2]})", expects)
    text = _TABLE.sub(lambda found: f"{{{_KEY.sub(_QUOTED, found[1])}}}", text)
    return text.replace("a table", "a dict")


@dataclass(frozen=True, slots=True)
class At:
    """One setting's place: its source and its keys from the top."""

    source: Source
    path: KeyPath = ()

    def child(self, key: str | int) -> At:
        return At(self.source, (*self.path, key))

    @property
    def dotted(self) -> str:
        """As the file writes it: the wire's layers of an environment are no words of an eval's."""
        text = dotted(self.path)
        return _LAYER.sub("", text) if self.source.wire else text

    def error(self, what: str) -> UsageError:
        """`what` is a sentence that may name the setting."""
        label = f"{self.source.label}: " if self.source.label else ""
        return UsageError(
            label + what, file=self.source.file, line=self.line, key=self.dotted or None
        )

    def wrong(self, expects: str, value: object) -> UsageError:
        """`runs takes a whole number from 1 (got "three")`."""
        form = _in_python(expects) if self.source.wire else expects
        what = f"{self.dotted or 'this'} takes {form} (got {shown(value)})"
        return self.error(what)

    def unknown(self, kind: str, word: str, known: Iterable[str], hint: str = "") -> UsageError:
        """`harness names an unknown harness "cluade"; did you mean "claude"?`."""
        return self.error(
            f"{self.dotted}: unknown {kind} {shown(word)}{suggestion(word, known, hint)}"
        )

    def unknown_key(self, known: Iterable[str]) -> UsageError:
        word = str(self.path[-1])
        return self.error(f'unknown key "{self.dotted}"{suggestion(word, known, "")}')

    @property
    def line(self) -> int | None:
        """The line of the setting, or of the nearest one around it that has a line."""
        path = (*self.source.prefix, *self.path)
        while path:
            if path in self.source.lines:
                return self.source.lines[path]
            path = path[:-1]
        return None


def suggestion(word: str, known: Iterable[str], hint: str) -> str:
    """How a message about an unknown word goes on: the nearest known one, else all, else `hint`."""
    names = sorted(known)
    close = nearest(word, names)
    if close is not None:
        return f'; did you mean "{close}"?'
    if hint:
        return f"; {hint}"
    if not names:
        return ""
    return f"; known are {', '.join(names)}"


def dotted(path: KeyPath) -> str:
    """`environments.base.setup[1].timeout`."""
    out = ""
    for key in path:
        if isinstance(key, int):
            out += f"[{key}]"
        else:
            text = key if _BARE_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)
            out += f".{text}" if out else text
    return out


def shown(value: Any) -> str:
    """A value as a message shows it: short, and never a whole table."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    if value is None:
        return "nothing"
    if isinstance(value, str):
        text = value if len(value) <= 60 else value[:59] + "…"
        return json.dumps(text, ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
