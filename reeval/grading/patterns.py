"""What a matcher tests strings with: plain text, a pattern, or one that only the runner has."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Mapping
from typing import Any

from reeval.config.errors import UsageError
from reeval.grading.shown import shown

_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "u": 0, "g": 0}

Test = Callable[[str], bool]


class Patterns:
    """Reads one call's pattern arguments, and gathers the strings only the runner can test."""

    def __init__(self) -> None:
        self._untested: dict[str, dict[str, None]] = {}

    @property
    def untested(self) -> dict[str, list[str]]:
        """Strings by the pattern's `matchedBy`, in the order they were tested."""
        return {name: list(strings) for name, strings in self._untested.items()}

    def contained(self, argument: Any, what: str) -> Test:
        """A string is contained; a pattern is searched. `what` names the argument in an error."""
        return self._read(argument, what, lambda text: lambda tested: text in tested)

    def exact(self, argument: Any, what: str) -> Test:
        """A string is the whole of it; a pattern is searched."""
        return self._read(argument, what, lambda text: lambda tested: text == tested)

    def path(self, argument: Any, what: str) -> Test:
        """A string is a path or a glob (`*` in a folder, `**` across); a pattern is searched."""
        return self._read(argument, what, _path_test)

    def searched(self, pattern: Mapping[str, Any]) -> Test:
        """A pattern argument (`is_pattern`) as a test."""
        if "regexp" in pattern:
            compiled = _compiled(str(pattern["regexp"]), str(pattern.get("flags") or ""))
            return lambda tested: compiled.search(tested) is not None
        return self._answered(str(pattern["matchedBy"]), pattern.get("answers") or {})

    def _read(self, argument: Any, what: str, plain: Callable[[str], Test]) -> Test:
        if isinstance(argument, str):
            return plain(argument)
        if is_pattern(argument):
            return self.searched(argument)
        raise UsageError(f"{what} takes a string or a pattern, got {shown(argument)}")

    def _answered(self, name: str, answers: Mapping[str, bool]) -> Test:
        def test(tested: str) -> bool:
            answer = answers.get(tested)
            if answer is None:
                self._untested.setdefault(name, {})[tested] = None
            return bool(answer)

        return test


def is_pattern(argument: Any) -> bool:
    """Whether an argument is a regular expression rather than a value."""
    if not isinstance(argument, Mapping):
        return False
    keys = argument.keys()
    if "regexp" in keys:
        return isinstance(argument["regexp"], str) and keys <= {"regexp", "flags"}
    return "matchedBy" in keys and keys <= {"matchedBy", "answers"}


def described(argument: Any) -> str:
    """An argument as a sentence shows it: a string quoted, a pattern as it was written."""
    if is_pattern(argument):
        if "regexp" in argument:
            return f"/{argument['regexp']}/{argument.get('flags') or ''}"
        return str(argument["matchedBy"])
    return shown(argument)


def _compiled(source: str, flags: str) -> re.Pattern[str]:
    value = re.ASCII
    for flag in flags:
        if flag not in _FLAGS:
            raise UsageError(f"/{source}/{flags} has the flag {flag!r}, which reeval doesn't have")
        value |= _FLAGS[flag]
    # Named groups are the one thing JavaScript and Python spell differently that is often used.
    translated = re.sub(r"\(\?<(?![=!])", "(?P<", source)
    try:
        return re.compile(translated, value)
    except (re.error, OverflowError) as error:
        raise UsageError(f"/{source}/{flags} is not a regular expression: {error}") from None


def _path_test(wanted: str) -> Test:
    wanted = wanted.removeprefix("./")
    if not any(char in wanted for char in "*?["):
        return lambda tested: tested.removeprefix("./") == wanted
    glob = re.compile(_glob(wanted), re.DOTALL)

    def test(tested: str) -> bool:
        tested = tested.removeprefix("./")
        # A file may be named with brackets, as `[id].tsx` is.
        return tested == wanted or glob.fullmatch(tested) is not None

    return test


def _glob(wanted: str) -> str:
    """A glob as a regular expression: `**/` is any number of folders, `*` and `?` stay in one."""
    out: list[str] = []
    at = 0
    while at < len(wanted):
        if wanted.startswith("**/", at):
            out.append("(?:.*/)?")
            at += 3
        elif wanted.startswith("**", at):
            out.append(".*")
            at += 2
        elif wanted[at] == "*":
            out.append("[^/]*")
            at += 1
        elif wanted[at] == "?":
            out.append("[^/]")
            at += 1
        elif wanted[at] == "[" and "]" in wanted[at + 2 :]:
            end = wanted.index("]", at + 2)
            out.append(_character_set(wanted[at : end + 1]))
            at = end + 1
        else:
            out.append(re.escape(wanted[at]))
            at += 1
    return "".join(out)


def _character_set(text: str) -> str:
    return "(?!/)" + fnmatch.translate(text).removeprefix("(?s:").rpartition(")")[0]
