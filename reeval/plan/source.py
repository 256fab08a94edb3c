"""An eval file's text: its hash, and for each eval the hash of all in it that the eval may use."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from reeval.config.errors import UsageError
from reeval.plan.declarations import DeclaredEval

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class _Declaration:
    """`evaluate("name", …)` or `evaluate_each(cases, "template", …)`, and the function behind it.

    `cases` are a template's, as the file writes them. `options` are hashed elsewhere, resolved.
    """

    name: str
    cases: ast.expr | None = None


@dataclass(slots=True)
class _Index:
    """What a file declares as evals, by the name it writes; `templates`: by `evaluate_each`'s."""

    named: dict[str, list[ast.AST]] = field(default_factory=dict)
    templates: dict[str, list[ast.AST]] = field(default_factory=dict)

    def add(self, function: _Function, declaration: _Declaration) -> None:
        cases = declaration.cases
        known = self.named if cases is None else self.templates
        nodes = known.setdefault(declaration.name, [])
        nodes += [function] if cases is None else [function, cases]


class SourceFile:
    """One eval file, read once. Raises `UsageError` when it can't be."""

    def __init__(self, root: Path, file: str) -> None:
        try:
            data = (root / file).read_bytes()
        except OSError as error:
            raise UsageError(f"it can't be read: {error.strerror}", file=file) from None
        self.sha256 = hashlib.sha256(data).hexdigest()
        self._index = _Index()
        self._module = ""
        self._declarations: set[ast.AST] = set()
        self._bodies: dict[tuple[int, ...], str] = {}
        try:
            tree = ast.parse(importlib.util.decode_source(data))
        except (SyntaxError, ValueError, RecursionError):
            return  # written for a newer Python than this one: the whole file stands for each body
        self._read(tree)

    def body(self, declared: DeclaredEval) -> str:
        """The hash of the eval's function, a template's cases, and the rest of the file.

        The rest is what is no other eval's: imports, globals, helpers. Comments, layout and the
        declarations' options don't count, modules that the file imports neither: `revision` is
        there to say that one changed. Where one name stands for several functions (in two groups)
        all of them count, and where none is found the whole file does.
        """
        nodes = self._nodes(declared)
        if not nodes:
            return self.sha256
        key = tuple(map(id, nodes))
        if key not in self._bodies:
            own = "\n".join(_shape(node, self._declarations) for node in nodes)
            text = f"{own}\n{self._module}"
            hashed = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            self._bodies[key] = hashed
        return self._bodies[key]

    def _nodes(self, declared: DeclaredEval) -> list[ast.AST]:
        if declared.family is not None:
            return self._index.templates.get(declared.family.name, [])
        if found := self._index.named.get(declared.name):
            return found
        templates = self._index.templates.items()
        return [n for text, nodes in templates if _fills(text, declared.name) for n in nodes]

    def _read(self, tree: ast.Module) -> None:
        found = list(_declared(tree))
        for function, declaration in found:
            self._index.add(function, declaration)
        self._declarations = set(_declarations(tree))
        used = _names_used(tree, self._declarations)
        bodies = {function for function, _ in found if function.name not in used}
        self._module = _shape(tree, self._declarations | bodies)


# ── what is declared ─────────────────────────────────────────────────────────────────────────

_PLACEHOLDER = re.compile(r"%#|%s|\$[A-Za-z_]\w*")


def _fills(template: str, name: str) -> bool:
    """Whether a case of this template may have this name."""
    pattern = "(?s:.*)".join(re.escape(text) for text in _PLACEHOLDER.split(template))
    return re.fullmatch(pattern, name) is not None


def _declared(tree: ast.Module) -> Iterator[tuple[_Function, _Declaration]]:
    """Each function that is declared as an eval, with each of its declarations."""
    functions: dict[str, list[_Function]] = {}
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            functions.setdefault(node.name, []).append(node)
            for decorator in node.decorator_list:
                if (declaration := _declaration(decorator)) is not None:
                    yield node, declaration
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (found := _passed(node)) is not None:
            passed, declaration = found
            for function in functions.get(passed, ()):
                yield function, declaration


def _declaration(node: ast.expr) -> _Declaration | None:
    """What `evaluate("name", …)` or `evaluate_each(cases, "template", …)` says, if it's that."""
    if not isinstance(node, ast.Call):
        return None
    called = _called(node.func)
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    if called == "evaluate" and node.args:
        return _named(node.args[0], None)
    if called == "evaluate_each":
        cases = given.get("cases", *node.args[:1])
        name = given.get("name_template", *node.args[1:2])
        return None if cases is None or name is None else _named(name, cases)
    return None


def _called(function: ast.expr) -> str | None:
    """`evaluate` of `evaluate`, `reeval.evaluate`, `evaluate.skip` and `evaluate.only`."""
    if isinstance(function, ast.Attribute):
        if function.attr in ("skip", "only"):
            return _called(function.value)
        return function.attr
    return function.id if isinstance(function, ast.Name) else None


def _named(name: ast.expr, cases: ast.expr | None) -> _Declaration | None:
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        return _Declaration(name.value, cases)
    return None


def _passed(call: ast.Call) -> tuple[str, _Declaration] | None:
    """The name of `fn` in `evaluate("name", …, fn)` and `evaluate_each(…)(fn)`, and the eval's."""
    last = call.args[-1] if call.args else None
    if not isinstance(last, ast.Name):
        return None
    if isinstance(call.func, ast.Call):
        declaration = _declaration(call.func)
    else:
        declaration = _declaration(call)
        if declaration is not None and declaration.cases is not None:
            return None
    return None if declaration is None else (last.id, declaration)


# ── what counts ──────────────────────────────────────────────────────────────────────────────


def _declarations(tree: ast.Module) -> Iterator[ast.AST]:
    """Decorators and statements that do nothing but declare: what they say arrives resolved."""
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            yield from (d for d in node.decorator_list if _declaration(d) is not None)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            if _passed(call) is not None or _groups(call.func):
                yield node


def _groups(function: ast.expr) -> bool:
    """Whether it's `group` or `todo`, itself or as `reeval.group`; a match's `.group` is not."""
    if isinstance(function, ast.Attribute):
        of_reeval = isinstance(function.value, ast.Name) and function.value.id == "reeval"
        if function.attr in ("skip", "only"):
            return _groups(function.value)
        return of_reeval and function.attr in ("group", "todo")
    return isinstance(function, ast.Name) and function.id in ("group", "todo")


def _names_used(tree: ast.Module, declarations: Container[ast.AST]) -> set[str]:
    """Names that are read outside declarations: an eval's function among them is a helper, too."""
    names: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if node in declarations:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            names.add(node.id)
        waiting += ast.iter_child_nodes(node)
    return names


_NOT_MEANT = frozenset(("ctx", "kind", "type_comment", "type_ignores"))


def _shape(node: ast.AST, without: Container[ast.AST]) -> str:
    """A syntax tree as text that is the same under each Python, which `ast.dump`'s is not.

    Deep ones are fine: a sum of a thousand terms is a tree of that depth.
    """
    parts: list[str] = []
    waiting: list[ast.AST | str] = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            parts.append(item)
        elif item not in without:
            parts.append(f"{type(item).__name__}(")
            waiting.append(")")
            for name, value in reversed(list(ast.iter_fields(item))):
                if name not in _NOT_MEANT and value is not None and value != []:
                    values = value if isinstance(value, list) else [value]
                    waiting += [_leaf_or_node(child) for child in reversed(values)]
                    waiting.append(f" {name}=")
    return "".join(parts)


def _leaf_or_node(value: object) -> ast.AST | str:
    if isinstance(value, ast.AST):
        return value
    # A long number has no decimal text: Python limits how long that may be.
    return f"{hex(value) if type(value) is int else repr(value)};"
