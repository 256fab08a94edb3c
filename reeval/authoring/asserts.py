"""Plain `assert` as a check: an eval file is compiled with its `assert` statements rewritten.

`assert left == right, message` becomes

    for @failed in __reeval_assert__.compare("left == right", "==", left, right):
        with @failed:
            raise @failed.error(message)

The loop runs once when the check failed and not at all when it passed, so the operands are
evaluated once, the message only on failure, and both in the eval's own frame, where `await` and
class-scope names work; a pass leaves no name behind. A pass is recorded at once. A failure
travels on its `AssertionError`, and `failures` records it only if that escapes the body.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable
from types import CodeType, TracebackType
from typing import Any

from reeval.authoring.differing import comparison
from reeval.authoring.link import current
from reeval.authoring.shown import error_text, name_of, shown
from reeval.protocol.messages import Record

HOOK = "__reeval_assert__"
"""The name the rewritten statements call, which the file's globals must hold."""

_FAILED = "@failed"

CHECK = "_reeval_check"
"""Where an error carries the failed check it was raised for."""

_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
}


# ── what the rewritten statements call ───────────────────────────────────────────────────────


class _Failed:
    """One failed `assert`, while its message is made and its error raised."""

    def __init__(self, subject: str, detail: str) -> None:
        self._subject = subject
        self._detail = detail

    def error(self, *message: object) -> AssertionError:
        """The error to raise, with the assert's message in front when it has one."""
        said = message[0] if message else None
        text = self._detail if said is None else f"{_said(said)}: {self._detail}"
        error = AssertionError(text)
        setattr(error, CHECK, self._record(text))
        return error

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: object, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """When making the message raised instead, that error stands for the failed check."""
        if error is None or hasattr(error, CHECK):
            return
        text = f"<the message raised {type(error).__name__}: {error_text(error)}>: {self._detail}"
        setattr(error, CHECK, self._record(text))

    def _record(self, message: str) -> Record:
        return Record("assert", "fail", subject=self._subject, message=message)


def _said(message: object) -> str:
    try:
        return str(message)
    except Exception:
        return f"<{type(message).__name__}>"


def compare(subject: str, op: str, left: Any, right: Any) -> tuple[_Failed, ...]:
    """`assert left op right`: records a pass; the failure to raise otherwise."""
    if _COMPARE[op](left, right):
        return _passed(subject)
    return (_Failed(subject, f"assert {comparison(left, op, right)}"),)


def truth(subject: str, value: Any) -> tuple[_Failed, ...]:
    """`assert value`: records a pass; the failure to raise otherwise."""
    if value:
        return _passed(subject)
    detail = f"assert {subject}"
    return (_Failed(subject, detail if value is False else f"{detail} ({shown(value)} is falsy)"),)


def _passed(subject: str) -> tuple[_Failed, ...]:
    link = current.get()
    if link is not None:
        link.record(Record("assert", "pass", subject=subject))
    return ()


# ── the rewriting ────────────────────────────────────────────────────────────────────────────


def compile_eval(source: str, filename: str) -> CodeType:
    """An eval file's code with its asserts recorded. Raises `SyntaxError`.

    Its globals need this module under `HOOK`.
    """
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    tree = _Rewrite(source, filename).visit(ast.parse(source, filename))
    return compile(ast.fix_missing_locations(tree), filename, "exec", dont_inherit=True)


class _Rewrite(ast.NodeTransformer):
    def __init__(self, source: str, filename: str) -> None:
        self._lines = source.split("\n")
        self._filename = filename

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        self._warn_if_always_true(node)
        check = self._check(node)
        self.generic_visit(node)
        message = [] if node.msg is None else [node.msg]
        error = ast.Raise(exc=_call(_load(_FAILED), "error", message))
        guarded = ast.With(items=[ast.withitem(context_expr=_load(_FAILED))], body=[error])
        loop = ast.For(
            target=ast.Name(_FAILED, ast.Store()), iter=check(node.test), body=[guarded], orelse=[]
        )
        return ast.copy_location(loop, node)

    def _check(self, node: ast.Assert) -> Callable[[ast.expr], ast.expr]:
        """How the test is checked once what is inside it has been rewritten too."""
        subject = ast.Constant(self._subject(node.test))

        def check(test: ast.expr) -> ast.expr:
            if isinstance(test, ast.Compare) and len(test.ops) == 1:
                op = ast.Constant(_OPERATORS[type(test.ops[0])])
                operands = [subject, op, test.left, test.comparators[0]]
                return _call(_load(HOOK), "compare", operands)
            return _call(_load(HOOK), "truth", [subject, test])

        return check

    def _subject(self, test: ast.expr) -> str:
        return name_of(source_of(test, self._lines))

    def _warn_if_always_true(self, node: ast.Assert) -> None:
        if isinstance(node.test, ast.Tuple) and node.test.elts:
            warnings.warn_explicit(
                "assertion is always true, perhaps remove parentheses?",
                SyntaxWarning,
                self._filename,
                node.lineno,
            )


def source_of(node: ast.expr, lines: list[str]) -> str:
    """An expression as the file has it. Finds it at once where `ast`'s own walks the file."""
    if node.end_lineno is None or node.end_col_offset is None:
        return ast.unparse(node)
    first, last = node.lineno - 1, node.end_lineno - 1
    segment = [line.encode() for line in lines[first : last + 1]]
    segment[-1] = segment[-1][: node.end_col_offset]
    segment[0] = segment[0][node.col_offset :]
    return b"\n".join(segment).decode()


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _call(on: ast.expr, method: str, args: list[ast.expr]) -> ast.Call:
    return ast.Call(func=ast.Attribute(on, method, ast.Load()), args=args, keywords=[])
