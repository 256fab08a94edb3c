"""`toHaveFile` and `toHaveChanged`: the workspace as it is now, and what a turn changed in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reeval.config.errors import UsageError
from reeval.grading.answer import Answer, CannotAnswer, answer, arguments, unreadable
from reeval.grading.base import Subjects, TurnFacts
from reeval.grading.patterns import Patterns, Test, described, is_pattern
from reeval.grading.shown import printable, shown, size
from reeval.grading.turns import turn_of
from reeval.protocol import messages as m
from reeval.protocol.cuts import CUT, cut

PATTERN_BYTES = 16 * 1024 * 1024
"""The largest file a pattern is searched in; a plain string is looked for in any."""

_EXCERPT_LINES = 10
_LISTED = 10
_BINARY_PROBE = 8192


async def to_have_file(call: m.Expect, subjects: Subjects, patterns: Patterns) -> Answer:
    """`(path, pattern?)`: the workspace has the file, its contents holding the pattern if given."""
    path, *rest = arguments(call, 1, 2, "a path and, if it matters, a pattern of its contents")
    if not isinstance(path, str):
        raise UsageError(f"toHaveFile takes a path, got {shown(path)}")
    if not isinstance(call.subject, m.AttemptSubject | m.TurnSubject):
        raise unreadable(call, "reads the workspace: expect(c) or expect(turn)")
    contents = await subjects.read_file(path)
    if not rest:
        return answer(contents is not None, lambda: "the workspace", f"have {printable(path)}")
    verb = "match" if is_pattern(rest[0]) else "contain"
    clause = f"{verb} {described(rest[0])}"
    if contents is None:
        _check_pattern(rest[0], patterns)
        detail = ", but there is no such file"
        return answer(False, lambda: printable(path), clause, detail)
    holds = _holds(contents, rest[0], path, patterns)
    return answer(holds, lambda: printable(path), clause, _excerpt(contents))


def _check_pattern(pattern: Any, patterns: Patterns) -> None:
    """A pattern that can't be read is a mistake whether or not the file is there."""
    patterns.contained(pattern, "toHaveFile's pattern")


def _holds(contents: bytes, pattern: Any, path: str, patterns: Patterns) -> bool:
    if isinstance(pattern, str):
        # In bytes, so that a binary file and a huge one answer too.
        return pattern.encode("utf-8", "surrogatepass") in contents
    test = patterns.contained(pattern, "toHaveFile's pattern")
    if len(contents) > PATTERN_BYTES:
        raise CannotAnswer(
            f"toHaveFile can't search {printable(path)} for a pattern: it has {len(contents):,} "
            f"bytes, the limit is {PATTERN_BYTES:,}; look for a plain string instead",
            "UsageError",
        )
    return test(contents.decode("utf-8", "replace"))


def _excerpt(contents: bytes) -> str:
    if not contents:
        return ", it is empty"
    if b"\0" in contents[:_BINARY_PROBE]:
        return f", it is binary ({size(len(contents), 'byte')})"
    text = contents[:_BINARY_PROBE].decode("utf-8", "replace")
    lines = text.splitlines()
    kept = [cut(printable(line), 160) for line in lines[:_EXCERPT_LINES]]
    if len(lines) > len(kept) or len(contents) > _BINARY_PROBE:
        kept.append(CUT)
    return f"\nreceived ({size(len(contents), 'byte')}):\n" + "\n".join("  " + k for k in kept)


async def to_have_changed(call: m.Expect, subjects: Subjects, patterns: Patterns) -> Answer:
    """`(paths?)`: something changed and, with paths, only what they name.

    A plain path must have changed; a glob or a pattern says where changes may be. Negated:
    nothing they name changed. What is in between fails both ways.
    """
    (wanted,) = arguments(call, 0, 1, "a path, a pattern, or a list of them") or (None,)
    turn = turn_of(call, subjects)
    if wanted is None:
        return answer(bool(turn.files), lambda: "the workspace", "have changed", _changed(turn))
    named = wanted if isinstance(wanted, list) else [wanted]
    tests = [patterns.path(one, "toHaveChanged") for one in named]
    unhit = [one for one, test in zip(named, tests, strict=True) if not _hit(test, turn)]
    missed = [one for one in unhit if isinstance(one, str) and not _is_glob(one)]
    hit = [any(test(file.path) for test in tests) for file in turn.files]
    names = _listed(named, described)
    holds: bool | None = None
    if hit and all(hit) and not missed:
        holds = True
    elif not any(hit):
        holds = False

    def explain(negated: bool) -> str:
        clause = f"not to have changed {names}" if negated else f"to have changed only {names}"
        return f"expected the workspace {clause}{_changed(turn)}"

    return Answer(holds, explain)


def _hit(test: Test, turn: TurnFacts) -> bool:
    return any(test(file.path) for file in turn.files)


def _is_glob(path: str) -> bool:
    return any(char in path for char in "*?[")


def _changed(turn: TurnFacts) -> str:
    if not turn.files:
        return ", nothing changed"
    return ", changed: " + _listed(turn.files, lambda f: f"{printable(f.path)} ({f.status})")


def _listed(items: Sequence[Any], show: Callable[[Any], str]) -> str:
    kept = ", ".join(show(item) for item in items[:_LISTED])
    return kept if len(items) <= _LISTED else f"{kept} and {len(items) - _LISTED:,} more"
