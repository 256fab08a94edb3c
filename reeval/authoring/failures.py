"""Which failed checks an error carries out of a body, for the runner to record."""

from __future__ import annotations

import ast
import linecache
import traceback
from pathlib import Path

from reeval.authoring.asserts import CHECK, source_of
from reeval.authoring.errors import ReevalAssertionError
from reeval.authoring.shown import error_text, name_of
from reeval.protocol.messages import Record

_SDK = str(Path(__file__).parent)


def escaped_failures(error: BaseException) -> list[Record]:
    """The failed checks that leave a body with `error`.

    Its own, its group's (a `TaskGroup`'s), and those it was raised from or while handling. A
    failed `expect` isn't among them: the engine recorded it when it failed.
    """
    found: list[Record] = []
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        at = waiting.pop()
        if id(at) in seen:
            continue
        seen.add(id(at))
        check: Record | None = getattr(at, CHECK, None)
        if check is not None:
            found.append(check)
        elif isinstance(at, AssertionError) and not isinstance(at, ReevalAssertionError):
            found.append(_unrecorded(at))
        inside = at.exceptions if isinstance(at, BaseExceptionGroup) else ()
        linked = [e for e in (*inside, at.__cause__, at.__context__) if e is not None]
        waiting.extend(reversed(linked))
    return found


def only_assertions(error: BaseException) -> bool:
    """Whether `error` is a failed check: an `AssertionError`, or a group of nothing else."""
    if isinstance(error, BaseExceptionGroup):
        return all(only_assertions(e) for e in error.exceptions)
    return isinstance(error, AssertionError)


def _unrecorded(error: AssertionError) -> Record:
    """The check for an `AssertionError` that didn't come from an eval file's own `assert`.

    It is named by the `assert` statement's test when one raised it, else `AssertionError`
    (`raise AssertionError`, unittest's `assertEqual`).
    """
    subject = _raising_assert(error)
    message = error_text(error) or (f"assert {subject}" if subject else "AssertionError")
    return Record("assert", "fail", subject=subject or "AssertionError", message=message)


def _raising_assert(error: AssertionError) -> str | None:
    """The test of the innermost `assert` at the line that raised `error`."""
    frames = [
        f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(_SDK)
    ]
    if not frames or frames[-1].lineno is None:
        return None
    line, source = frames[-1].lineno, "".join(linecache.getlines(frames[-1].filename))
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    asserts = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    if not asserts:
        return None
    test = max(asserts, key=lambda node: node.lineno).test
    return name_of(source_of(test, source.split("\n")))
