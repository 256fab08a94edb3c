"""Which line of a TOML file each key stands on, which a TOML parser doesn't tell."""

from __future__ import annotations

import re
from typing import TypeAlias

KeyPath: TypeAlias = tuple[str | int, ...]
"""Keys from the top, with an index for each array entered."""

_BARE = re.compile(r"[^\s.=\[\]{},\"'#]+")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}#\n]+")
_SPACE = re.compile(r"(?:\s|#[^\n]*)*")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|(.))")
_SINGLE = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


def key_lines(text: str) -> dict[KeyPath, int]:
    """The line (from 1) of every table, key and array element of a valid TOML document."""
    scanner = _Scanner(text)
    scanner.document()
    return scanner.lines


class _Scanner:
    """Walks a document that a parser has accepted; it checks nothing itself."""

    def __init__(self, text: str) -> None:
        self._text = text.replace("\r\n", "\n")
        self._at = 0
        self._counted = (0, 1)  # an offset, and the line it stands on
        self._arrays: dict[KeyPath, int] = {}
        self.lines: dict[KeyPath, int] = {}

    def document(self) -> None:
        table: KeyPath = ()
        self._skip_space()
        while self._at < len(self._text):
            if self._text.startswith("[[", self._at):
                table = self._header(2)
            elif self._next_is("["):
                table = self._header(1)
            else:
                self._pair(table)
            self._skip_space()

    def _header(self, brackets: int) -> KeyPath:
        line = self._line()
        self._at += brackets
        path: KeyPath = ()
        for key in self._keys():
            path = self._entered((*path, key))
            self._note(path, line)
        self._at += brackets
        if brackets == 2:
            # The name of an array of tables: its last element is the one just entered.
            array = path[:-1] if path and isinstance(path[-1], int) else path
            index = self._arrays.get(array, -1) + 1
            self._arrays[array] = index
            path = (*array, index)
            self._note(array, line)
        self._note(path, line)
        return path

    def _entered(self, path: KeyPath) -> KeyPath:
        """A path through an array of tables means its last table."""
        index = self._arrays.get(path)
        return path if index is None else (*path, index)

    def _pair(self, table: KeyPath) -> None:
        line = self._line()
        path = table
        for key in self._keys():
            path = (*path, key)
            self._note(path, line)
        self._at += 1  # the "="
        self._skip_space()
        self._value(path)

    def _keys(self) -> list[str]:
        keys = [self._key()]
        while self._next_is("."):
            self._at += 1
            keys.append(self._key())
        return keys

    def _key(self) -> str:
        self._skip_space()
        quoted = self._next_is('"') or self._next_is("'")
        match = (_STRING if quoted else _BARE).match(self._text, self._at)
        if match is None:  # only a document that a parser refuses leads here
            self._at = len(self._text)
            return ""
        self._at = match.end()
        self._skip_space()
        return _unquoted(match.group()) if quoted else match.group()

    def _value(self, path: KeyPath) -> None:
        if self._next_is("["):
            self._array(path)
        elif self._next_is("{"):
            self._inline_table(path)
        else:
            match = _STRING.match(self._text, self._at) or _SCALAR.match(self._text, self._at)
            self._at = match.end() if match else len(self._text)

    def _array(self, path: KeyPath) -> None:
        self._at += 1
        index = 0
        self._skip_space()
        while self._at < len(self._text) and not self._next_is("]"):
            self._note((*path, index), self._line())
            self._value((*path, index))
            index += 1
            self._skip_comma()
        self._at += 1

    def _inline_table(self, path: KeyPath) -> None:
        self._at += 1
        self._skip_space()
        while self._at < len(self._text) and not self._next_is("}"):
            self._pair(path)
            self._skip_comma()
        self._at += 1

    def _skip_comma(self) -> None:
        self._skip_space()
        if self._next_is(","):
            self._at += 1
            self._skip_space()

    def _skip_space(self) -> None:
        match = _SPACE.match(self._text, self._at)
        self._at = match.end() if match else self._at

    def _next_is(self, mark: str) -> bool:
        return self._text.startswith(mark, self._at)

    def _note(self, path: KeyPath, line: int) -> None:
        self.lines.setdefault(path, line)

    def _line(self) -> int:
        offset, line = self._counted
        line += self._text.count("\n", offset, self._at)
        self._counted = (self._at, line)
        return line


def _unquoted(key: str) -> str:
    return key[1:-1] if key.startswith("'") else _ESCAPE.sub(_unescaped, key[1:-1])


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    return chr(int(code, 16)) if code else _SINGLE.get(match[4], match[4])
