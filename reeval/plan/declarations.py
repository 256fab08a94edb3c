"""What eval files declare, as typed nodes, and flat: one entry an eval with its groups' options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

from reeval.config.errors import UsageError
from reeval.plan.model import Family
from reeval.plan.names import SEPARATOR
from reeval.protocol.messages import Declared

Mode: TypeAlias = Literal["run", "skip", "only"]


@dataclass(frozen=True, slots=True)
class EvalNode:
    """`family` is (template, case from 0, cases) of a pooled `evaluate_each`."""

    name: str
    mode: Mode
    options: Mapping[str, Any]
    body: str
    family: tuple[str, int, int] | None = None


@dataclass(frozen=True, slots=True)
class GroupNode:
    name: str
    mode: Mode
    options: Mapping[str, Any]
    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class TodoNode:
    name: str


Node: TypeAlias = EvalNode | GroupNode | TodoNode


@dataclass(frozen=True, slots=True)
class Level:
    """Options as one declaration wrote them, raw. `source` is such as `group("net")`."""

    source: str
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DeclaredEval:
    """One eval of a file. `levels` are its groups' options, outermost first, then its own."""

    file: str
    group: tuple[str, ...]
    name: str
    body: str = ""
    levels: tuple[Level, ...] = ()
    skipped: bool = False
    only: bool = False
    todo: bool = False
    family: Family | None = None
    id: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", SEPARATOR.join((self.file, *self.group, self.name)))


def read_declared(declared: Declared) -> tuple[Node, ...]:
    """The declarations of a file. Raises `UsageError` when the runner sent something else."""
    try:
        return tuple(_node(child) for child in declared.children)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(
            f"its runner sent a declaration this version can't read ({error!r}): "
            "install versions of reeval and its SDK that agree",
            file=declared.file,
        ) from None


def _node(data: Mapping[str, Any]) -> Node:
    kind = data["type"]
    name = str(data["name"])
    if kind == "todo":
        return TodoNode(name)
    mode = _mode(data.get("mode", "run"))
    options = dict(data.get("options") or {})
    if kind == "group":
        return GroupNode(name, mode, options, tuple(_node(child) for child in data["children"]))
    if kind == "eval":
        return EvalNode(name, mode, options, str(data["body"]), _family(data.get("family")))
    raise ValueError(f"type {kind}")


def _mode(value: str) -> Mode:
    if value not in ("run", "skip", "only"):
        raise ValueError(f"mode {value}")
    return cast(Mode, value)


def _family(data: Mapping[str, Any] | None) -> tuple[str, int, int] | None:
    return None if data is None else (str(data["name"]), int(data["case"]), int(data["cases"]))


def flatten(file: str, nodes: tuple[Node, ...]) -> Iterator[DeclaredEval]:
    """Every eval of a file in the order it declares them, todos among them.

    Cases of a family share one tuple of levels, so that thousands of them cost no more than one.
    """
    return _flatten(nodes, _Place(file), {})


@dataclass(frozen=True, slots=True)
class _Place:
    file: str
    group: tuple[str, ...] = ()
    levels: tuple[Level, ...] = ()
    skipped: bool = False
    only: bool = False

    def inside(self, group: GroupNode) -> _Place:
        return _Place(
            self.file,
            (*self.group, group.name),
            (*self.levels, Level(f'group("{group.name}")', group.options)),
            self.skipped or group.mode == "skip",
            self.only or group.mode == "only",
        )


_Shared: TypeAlias = dict[str, tuple[Level, ...]]
"""Levels by the family's id."""


def _flatten(nodes: tuple[Node, ...], at: _Place, shared: _Shared) -> Iterator[DeclaredEval]:
    for node in nodes:
        match node:
            case GroupNode():
                yield from _flatten(node.children, at.inside(node), shared)
            case TodoNode():
                yield DeclaredEval(at.file, at.group, node.name, levels=at.levels, todo=True)
            case EvalNode():
                yield _eval(node, at, shared)


def _eval(node: EvalNode, at: _Place, shared: _Shared) -> DeclaredEval:
    family = None
    levels = (*at.levels, Level(f'evaluate("{node.name}")', node.options))
    if node.family is not None:
        template, case, cases = node.family
        family = Family(SEPARATOR.join((at.file, *at.group, template)), template, case, cases)
        levels = (*at.levels, Level(f'evaluate_each("{template}")', node.options))
        known = shared.setdefault(family.id, levels)
        levels = known if known == levels else levels
    return DeclaredEval(
        at.file,
        at.group,
        node.name,
        node.body,
        levels,
        skipped=at.skipped or node.mode == "skip",
        only=at.only or node.mode == "only",
        family=family,
    )
