"""A runner's declaration tree becomes evals with their groups' options and modes."""

from __future__ import annotations

from typing import Any

import pytest

from reeval.config.errors import UsageError
from reeval.plan.declarations import DeclaredEval, Level, flatten, read_declared
from reeval.plan.model import Family
from reeval.protocol.messages import Declared


def declared(*children: dict[str, Any]) -> list[DeclaredEval]:
    return list(flatten("a.eval.py", read_declared(Declared("a.eval.py", children))))


def an_eval(name: str, mode: str = "run", **more: Any) -> dict[str, Any]:
    return {"type": "eval", "name": name, "mode": mode, "options": {}, "body": "b1", **more}


def a_group(
    name: str, *children: dict[str, Any], mode: str = "run", **options: Any
) -> dict[str, Any]:
    return {"type": "group", "name": name, "mode": mode, "options": options, "children": children}


def test_groups_lend_their_names_and_options_outermost_first() -> None:
    inner = a_group("inner", an_eval("x", options={"runs": 3}), tags=["t"])
    (found,) = declared(a_group("outer", inner, timeout="5m"))
    assert found.id == "a.eval.py › outer › inner › x"
    assert found.group == ("outer", "inner")
    assert found.levels == (
        Level('group("outer")', {"timeout": "5m"}),
        Level('group("inner")', {"tags": ["t"]}),
        Level('evaluate("x")', {"runs": 3}),
    )


def test_the_order_is_the_files() -> None:
    tree = (an_eval("b"), a_group("g", an_eval("z")), {"type": "todo", "name": "t"}, an_eval("a"))
    assert [e.name for e in declared(*tree)] == ["b", "z", "t", "a"]


def test_modes_go_down() -> None:
    skipped, chosen = declared(
        a_group("s", an_eval("x", "only"), mode="skip"), a_group("o", an_eval("y"), mode="only")
    )
    assert (skipped.skipped, skipped.only) == (True, True)
    assert (chosen.skipped, chosen.only) == (False, True)


def test_a_todo_has_no_body() -> None:
    (found,) = declared(a_group("g", {"type": "todo", "name": "later"}))
    assert (found.id, found.todo, found.body) == ("a.eval.py › g › later", True, "")


def test_cases_of_a_family_share_its_id() -> None:
    family = {"name": "case $n", "case": 1, "cases": 2}
    (found,) = declared(a_group("g", an_eval("case 7", family=family)))
    assert found.family == Family("a.eval.py › g › case $n", "case $n", 1, 2)


@pytest.mark.parametrize(
    "node",
    [
        {"type": "suite", "name": "x"},
        {"type": "eval", "name": "x", "mode": "perhaps", "options": {}, "body": "b"},
        {"type": "eval", "name": "x", "mode": "run", "options": {}},
        {"name": "x"},
        "x",
    ],
)
def test_a_declaration_of_another_kind_is_refused_with_its_file(node: Any) -> None:
    with pytest.raises(UsageError, match=r"^a\.eval\.py: its runner sent a declaration"):
        declared(node)
