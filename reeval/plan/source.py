"""An eval file as text: its hash, and the hash of the function behind each eval it declares."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from reeval.config.errors import UsageError
from reeval.plan.declarations import DeclaredEval

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True)
class _Index:
    """The functions a file declares as evals, by the name it writes.

    `templates` are `evaluate_each`'s names.
    """

    named: dict[str, list[_Function]] = field(default_factory=dict)
    templates: dict[str, list[_Function]] = field(default_factory=dict)


class SourceFile:
    """One eval file, read once. Raises `UsageError` when it can't be."""

    def __init__(self, root: Path, file: str) -> None:
        try:
            data = (root / file).read_bytes()
        except OSError as error:
            raise UsageError(f"it can't be read: {error.strerror}", file=file) from None
        self.sha256 = hashlib.sha256(data).hexdigest()
        self._lines: list[str] = []
        self._index = _Index()
        try:
            text = importlib.util.decode_source(data)
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return  # written for a newer Python than this one: the whole file stands for each body
        self._lines = [line + "\n" for line in text.split("\n")]
        for function, name, is_template in _declared(tree):
            known = self._index.templates if is_template else self._index.named
            known.setdefault(name, []).append(function)

    def body(self, declared: DeclaredEval) -> str:
        """The hash of the eval's function without its declaration, else of the whole file.

        Where one name stands for several functions (in two groups) it covers all of them. What
        the function calls is not part of it: `revision` is there to say that it changed.
        """
        functions = self._functions(declared)
        if not functions:
            return self.sha256
        text = "\0".join(self._text(function) for function in functions)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def _functions(self, declared: DeclaredEval) -> list[_Function]:
        if declared.family is not None:
            return self._index.templates.get(declared.family.name, [])
        if found := self._index.named.get(declared.name):
            return found
        templates = self._index.templates.items()
        return [
            f for text, functions in templates if _fills(text, declared.name) for f in functions
        ]

    def _text(self, function: _Function) -> str:
        own = [_span(d) for d in function.decorator_list if _declaration(d) is None]
        own.append((function.lineno, function.end_lineno or function.lineno))
        return "".join(
            textwrap.dedent("".join(self._lines[first - 1 : last])) for first, last in own
        )


def _span(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.end_lineno or node.lineno


_PLACEHOLDER = re.compile(r"%#|%s|\$[A-Za-z_]\w*")


def _fills(template: str, name: str) -> bool:
    """Whether a case of this template may have this name."""
    pattern = "(?s:.*)".join(re.escape(text) for text in _PLACEHOLDER.split(template))
    return re.fullmatch(pattern, name) is not None


def _declared(tree: ast.Module) -> Iterator[tuple[_Function, str, bool]]:
    """Each function that is declared as an eval, under which name, and whether by a template."""
    functions: dict[str, list[_Function]] = {}
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            functions.setdefault(node.name, []).append(node)
            for decorator in node.decorator_list:
                if (declaration := _declaration(decorator)) is not None:
                    yield node, *declaration
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (found := _passed(node)) is not None:
            passed, name, is_template = found
            for function in functions.get(passed, ()):
                yield function, name, is_template


def _declaration(node: ast.expr) -> tuple[str, bool] | None:
    """The name in `evaluate("name", …)` or `evaluate_each(cases, "template", …)`, if it's that."""
    if not isinstance(node, ast.Call):
        return None
    called = _called(node.func)
    if called == "evaluate" and node.args:
        return _literal(node.args[0], is_template=False)
    if called == "evaluate_each":
        given = [k.value for k in node.keywords if k.arg == "name_template"]
        names = given or node.args[1:2]
        return _literal(names[0], is_template=True) if names else None
    return None


def _called(function: ast.expr) -> str | None:
    """`evaluate` of `evaluate`, `reeval.evaluate`, `evaluate.skip` and `evaluate.only`."""
    if isinstance(function, ast.Attribute):
        if function.attr in ("skip", "only"):
            return _called(function.value)
        return function.attr
    return function.id if isinstance(function, ast.Name) else None


def _literal(node: ast.expr, *, is_template: bool) -> tuple[str, bool] | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value, is_template
    return None


def _passed(call: ast.Call) -> tuple[str, str, bool] | None:
    """`fn`, the eval's name and whether it's a template, in `evaluate("name", …, fn)` and
    `evaluate_each(…)(fn)`."""
    last = call.args[-1] if call.args else None
    if not isinstance(last, ast.Name):
        return None
    if isinstance(call.func, ast.Call):
        declaration = _declaration(call.func)
    else:
        declaration = _declaration(call)
        if declaration is not None and declaration[1]:
            return None
    return None if declaration is None else (last.id, *declaration)
