"""Ignore patterns as git reads them: which paths a list of patterns hides, or a tree of such lists.

`*` and `?` don't match `/`, `**` between slashes matches any number of folders, a `/` at the start
or inside anchors a pattern to its file's folder, a `/` at the end makes it match folders only, `!`
takes a match back, `\\` takes a character's meaning away. The last pattern that matches decides;
what lies in a hidden folder can't be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_CLASSES = {
    b"alnum": rb"0-9A-Za-z",
    b"alpha": rb"A-Za-z",
    b"blank": rb" \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9",
    b"graph": rb"\x21-\x7e",
    b"lower": rb"a-z",
    b"print": rb"\x20-\x7e",
    b"punct": rb"!-/:-@\[-`{-~",
    b"space": rb" \t\n\r\f\v",
    b"upper": rb"A-Z",
    b"xdigit": rb"0-9A-Fa-f",
}

_CLASS = re.compile(rb"\[:([^\]]*):\]")


@dataclass(frozen=True, slots=True)
class _Pattern:
    hides: bool
    folders_only: bool
    names_only: bool
    """Matched against the last component alone."""
    regex: re.Pattern[bytes]


class PatternList:
    """The patterns of one list. Lines that are blank, comments or malformed do nothing."""

    def __init__(self, lines: Iterable[str | bytes]) -> None:
        parsed = (_parse(_bytes(line)) for line in lines)
        self._patterns = [pattern for pattern in parsed if pattern is not None]
        self._patterns.reverse()

    def matches(self, path: str | bytes, is_dir: bool = False) -> bool:
        """Whether the list hides `path` (relative, `/` between components) or a folder it is in."""
        raw = _bytes(path)
        end = raw.find(b"/")
        while end >= 0:
            if self.verdict(raw[:end], True):
                return True
            end = raw.find(b"/", end + 1)
        return self.verdict(raw, is_dir) is True

    def verdict(self, path: bytes, is_dir: bool) -> bool | None:
        """What the last matching pattern says of this path alone; None when none matches."""
        name = path[path.rfind(b"/") + 1 :]
        for pattern in self._patterns:
            if pattern.folders_only and not is_dir:
                continue
            if pattern.regex.fullmatch(name if pattern.names_only else path):
                return pattern.hides
        return None


class IgnoreRules:
    """A tree's `.gitignore` files: `files` maps each one's folder (`b""` the root) to its text."""

    def __init__(self, files: Mapping[bytes, bytes]) -> None:
        self._lists = {folder: PatternList(_lines(text)) for folder, text in files.items()}
        self._scopes = {b"": _Scope(False, self._lists_of(b""))}

    def ignored(self, path: bytes, is_dir: bool = False) -> bool:
        """Whether a path of the tree is hidden, by itself or with a folder it is in."""
        if not self._lists:
            return False
        return self._scope(_parent(path)).hides(path, is_dir)

    def _scope(self, folder: bytes) -> _Scope:
        """Found from the top down and kept, however deep the folder lies."""
        unknown: list[bytes] = []
        while (scope := self._scopes.get(folder)) is None:
            unknown.append(folder)
            folder = _parent(folder)
        for inner in reversed(unknown):
            scope = _Scope(scope.hides(inner, True), (*self._lists_of(inner), *scope.lists))
            self._scopes[inner] = scope
        return scope

    def _lists_of(self, folder: bytes) -> tuple[tuple[int, PatternList], ...]:
        found = self._lists.get(folder)
        return () if found is None else ((len(folder) + 1 if folder else 0, found),)


@dataclass(frozen=True, slots=True)
class _Scope:
    """What holds for the paths directly in a folder.

    `lists` are those of the folder and of the folders it is in, the nearest first, each with where
    a path goes on below its folder.
    """

    hidden: bool
    lists: tuple[tuple[int, PatternList], ...]

    def hides(self, path: bytes, is_dir: bool) -> bool:
        """What the nearest list that says anything about it says."""
        if self.hidden:
            return True
        for start, patterns in self.lists:
            verdict = patterns.verdict(path[start:], is_dir)
            if verdict is not None:
                return verdict
        return False


def _parent(path: bytes) -> bytes:
    return path[: max(0, path.rfind(b"/"))]


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def _lines(text: bytes) -> list[bytes]:
    return text.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").split(b"\n")


def _parse(line: bytes) -> _Pattern | None:
    line = _without_trailing_spaces(line)
    if not line or line.startswith(b"#"):
        return None
    hides = not line.startswith(b"!")
    if not hides:
        line = line[1:]
    folders_only = line.endswith(b"/")
    if folders_only:
        line = line[:-1]
    names_only = b"/" not in line
    regex = _regex(line.removeprefix(b"/"))
    if regex is None:
        return None
    return _Pattern(hides, folders_only, names_only, regex)


def _without_trailing_spaces(line: bytes) -> bytes:
    end = len(line)
    while end and line[end - 1 : end] == b" ":
        backslashes = len(line[: end - 1]) - len(line[: end - 1].rstrip(b"\\"))
        if backslashes % 2:
            break
        end -= 1
    return line[:end]


def _regex(glob: bytes) -> re.Pattern[bytes] | None:
    """The pattern as a regular expression; None when it is malformed and so matches nothing."""
    out: list[bytes] = []
    at = 0
    while at < len(glob):
        char = glob[at : at + 1]
        if char == b"*":
            piece, at = _stars(glob, at)
        elif char == b"?":
            piece, at = b"[^/]", at + 1
        elif char == b"[":
            found = _bracket(glob, at)
            if found is None:
                return None
            piece, at = found
        elif char == b"\\":
            if at + 1 == len(glob):
                return None
            piece, at = re.escape(glob[at + 1 : at + 2]), at + 2
        else:
            piece, at = re.escape(char), at + 1
        out.append(piece)
    return re.compile(b"".join(out), re.DOTALL)


def _stars(glob: bytes, start: int) -> tuple[bytes, int]:
    end = start
    while glob[end : end + 1] == b"*":
        end += 1
    whole_component = (start == 0 or glob[start - 1 : start] == b"/") and (
        end == len(glob) or glob[end : end + 1] == b"/"
    )
    if end - start == 1 or not whole_component:
        return b"[^/]*", end
    if end == len(glob):
        return b".*", end
    return b"(?:.*/)?", end + 1


def _bracket(glob: bytes, at: int) -> tuple[bytes, int] | None:
    """The `[…]` at `at` as a regular expression's, and where it ends; None when it is malformed."""
    at += 1
    negated = glob[at : at + 1] in (b"!", b"^")
    at += negated
    members: list[bytes] = []
    low = b""
    while True:
        char, after = glob[at : at + 1], glob[at + 1 : at + 2]
        named = _CLASS.match(glob, at)
        if char == b"-" and low and after not in (b"", b"]"):
            high, at = _member(glob, at + 1)
            if high and low <= high:
                members.append(re.escape(low) + b"-" + re.escape(high))
            char, low = high, b""
        elif named:
            char, low, at = _CLASSES.get(named[1], b""), b"", named.end() - 1
            members.append(char)
        else:
            char, at = _member(glob, at)
            low = char
            members.append(re.escape(char))
        if not char:
            return None
        at += 1
        if glob[at : at + 1] == b"]":
            break
    # A bracket never matches the slash.
    inside = b"".join(members)
    return (b"[^/" + inside + b"]" if negated else b"(?!/)[" + inside + b"]"), at + 1


def _member(glob: bytes, at: int) -> tuple[bytes, int]:
    """The character at `at`, or the one after a backslash there, and its place."""
    if glob[at : at + 1] == b"\\":
        at += 1
    return glob[at : at + 1], at
