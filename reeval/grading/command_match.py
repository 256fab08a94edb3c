"""Whether an agent ran a command: matched word by word, so that a mention doesn't count."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from reeval.grading.shell import simple_commands

Commands = Sequence[Sequence[str]]


def runs(wanted: str, command: str) -> bool:
    """Whether the shell line `command` ran what `wanted` says, which may be a part of it.

    `npm te` is contained in `npm test`. A word with blanks, such as a quoted message, holds only
    what is quoted in `wanted` too. Of several commands in `wanted`, all ran, in that order.
    """
    commands = iter(simple_commands(command))
    parts = simple_commands(wanted)
    return bool(parts) and all(any(_holds(ran, part) for ran in commands) for part in parts)


def as_text(command: Sequence[str]) -> str:
    """A simple command as the text patterns are searched in, its words quoted where they must."""
    return shlex.join(command)


def _holds(ran: Sequence[str], wanted: Sequence[str]) -> bool:
    if len(wanted) == 1:
        return any(_within(wanted[0], word) for word in ran)
    return any(_at(ran, start, wanted) for start in range(len(ran) - len(wanted) + 1))


def _at(ran: Sequence[str], start: int, wanted: Sequence[str]) -> bool:
    """Whether `wanted` stands in `ran` from `start` on: its first and last word may be cut."""
    first, *middle, last = wanted
    end = start + len(wanted) - 1
    return (
        ran[start].endswith(first)
        and _comparable(first, ran[start])
        and ran[end].startswith(last)
        and _comparable(last, ran[end])
        and list(ran[start + 1 : end]) == middle
    )


def _within(wanted: str, word: str) -> bool:
    return wanted in word and _comparable(wanted, word)


def _comparable(wanted: str, word: str) -> bool:
    return wanted == word or not _has_blank(word) or _has_blank(wanted)


def _has_blank(word: str) -> bool:
    return any(char.isspace() for char in word)
