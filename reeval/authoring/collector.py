"""What one eval file has declared so far: its tree of nodes, and the bodies they name."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal

Mode = Literal["run", "skip", "only"]
Body = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Family:
    """Where a case of a pooled `evaluate_each` stands: its template, index, and how many."""

    name: str
    case: int
    cases: int


@dataclass(slots=True)
class Group:
    name: str
    mode: Mode
    options: dict[str, Any]
    path: tuple[str, ...]
    children: list[dict[str, Any]] = field(default_factory=list)


class Collector:
    """Gathers a file's declarations in the public SDK's order.

    A group's function runs once the file has been loaded, and one that a group declares runs
    after those declared before it, so bodies are numbered outer ones first.
    """

    def __init__(self) -> None:
        self.bodies: dict[str, Body] = {}
        self._root = Group("", "run", {}, ())
        self._at = self._root
        self._waiting: deque[tuple[Group, Callable[[], object]]] = deque()
        self._names: set[tuple[str, ...]] = set()

    def eval(
        self,
        name: str,
        mode: Mode,
        options: dict[str, Any],
        body: Body,
        family: Family | None = None,
        hint: str = "",
    ) -> None:
        """Declares an eval. Raises `ValueError` when its group has one of that name; `hint` ends
        that error."""
        self._claim(name, self.where(name), hint)
        ident = f"b{len(self.bodies) + 1}"
        self.bodies[ident] = body
        node = {"type": "eval", "name": name, "mode": mode, "options": options, "body": ident}
        if family is not None:
            node["family"] = {"name": family.name, "case": family.case, "cases": family.cases}
        self._at.children.append(node)

    def group(
        self, name: str, mode: Mode, options: dict[str, Any], declare: Callable[[], object]
    ) -> None:
        """Declares a group, whose function runs later."""
        _refuse_blank(name, f"group({self._shown(name)})")
        group = Group(name, mode, options, (*self._at.path, name))
        node = {"type": "group", "name": name, "mode": mode, "options": options}
        self._at.children.append({**node, "children": group.children})
        self._waiting.append((group, declare))

    def todo(self, name: str) -> None:
        """Declares an eval to write. Raises `ValueError` as `eval` does."""
        self._claim(name, f"todo({self._shown(name)})", "")
        self._at.children.append({"type": "todo", "name": name})

    def where(self, name: str) -> str:
        """An eval as an error names it, with the groups it is in."""
        return f"evaluate({self._shown(name)})"

    def _shown(self, name: str) -> str:
        return repr(" › ".join((*self._at.path, name)))

    def _claim(self, name: str, where: str, hint: str) -> None:
        _refuse_blank(name, where, hint)
        path = (*self._at.path, name)
        if path in self._names:
            raise ValueError(
                f"{where} is declared twice in this file. Each eval needs its own name, or its "
                f"attempts are merged into one eval.{hint}"
            )
        self._names.add(path)

    def finish(self) -> list[dict[str, Any]]:
        """Runs the groups' functions; the file's declaration nodes as the wire has them."""
        while self._waiting:
            self._at, declare = self._waiting.popleft()
            declare()
        self._at = self._root
        return self._root.children


def _refuse_blank(name: str, where: str, hint: str = "") -> None:
    if not name.strip():
        raise ValueError(f"{where}: a name is text that isn't blank.{hint}")


_collecting: ContextVar[Collector | None] = ContextVar("reeval_collecting", default=None)


@contextmanager
def collecting() -> Iterator[Collector]:
    """Gathers what is declared inside."""
    collector = Collector()
    token = _collecting.set(collector)
    try:
        yield collector
    finally:
        _collecting.reset(token)


def collector(what: str) -> Collector:
    """The file being loaded. Raises `RuntimeError` when none is."""
    found = _collecting.get()
    if found is None:
        raise RuntimeError(
            f"{what} declares evals while reeval loads a *.eval.py file: run it with `reeval run`"
        )
    return found
