"""Attempts start in the plan's order, under the caps, none twice and none forgotten."""

from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from reeval.config.model import EvalOptions, HarnessSpec, SandboxSpec, Settings
from reeval.engine.schedule import Schedule
from reeval.plan.model import Cell, Plan, PlannedEval


def cell(kind: str, runs: int, cap: int | None = None) -> Cell:
    return Cell(
        key=f"{kind}/-/fake", harness=HarnessSpec(kind, kind, max_concurrent=cap),
        environment=None, sandbox=SandboxSpec("fake", "fake"), role="control", variant=None,
        gate="all", runs=runs, env={}, egress="proxy", overrides=(), environment_digest=None,
        fingerprint="", fingerprint_parts={},
    )  # fmt: skip


def planned(name: str, *cells: Cell, skip: str | None = None) -> PlannedEval:
    return PlannedEval(name, name, "a.eval.py", (), name, "b1", EvalOptions(), cells, "", (), {},
                       skip=skip)  # fmt: skip


def schedule(*evals: PlannedEval) -> Schedule:
    return Schedule(Plan(Settings(Path("/")), evals))


def test_cells_of_an_eval_take_turns() -> None:
    order = schedule(planned("one", cell("a", 2), cell("b", 2)), planned("two", cell("a", 1)))
    taken = [order.take() for _ in range(5)]
    assert [(t.planned.name, t.cell.key, t.n) for t in taken if t] == [
        ("one", "a/-/fake", 1), ("one", "b/-/fake", 1),
        ("one", "a/-/fake", 2), ("one", "b/-/fake", 2),
        ("two", "a/-/fake", 1),
    ]  # fmt: skip
    assert order.take() is None
    assert order.exhausted


def test_a_busy_harness_does_not_hold_up_another() -> None:
    order = schedule(planned("one", cell("slow", 3, cap=1), cell("quick", 1)))
    first, second = order.take(), order.take()
    assert first and second
    assert (first.cell.harness.kind, second.cell.harness.kind) == ("slow", "quick")
    assert order.take() is None
    assert not order.exhausted
    order.give_back(first)
    third = order.take()
    assert third and (third.cell.harness.kind, third.n) == ("slow", 2)


def test_what_is_skipped_is_never_handed_out() -> None:
    assert schedule(planned("one", cell("a", 1), skip="skip")).exhausted


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 4), st.integers(1, 3)), max_size=6)
)
def test_every_attempt_is_handed_out_once_and_no_cap_is_passed(
    cells: list[tuple[str, int, int]],
) -> None:
    evals = [planned(f"e{i}", cell(*spec)) for i, spec in enumerate(cells)]
    caps = {kind: min(cap for k, _, cap in cells if k == kind) for kind, _, _ in cells}
    order, live, seen = schedule(*evals), [], Counter[tuple[str, int]]()
    while not order.exhausted:
        turn = order.take()
        if turn is None:
            order.give_back(live.pop(0))
            continue
        live.append(turn)
        seen[turn.planned.name, turn.n] += 1
        busy = Counter(t.cell.harness.kind for t in live)
        assert all(busy[kind] <= caps[kind] for kind in busy)
    assert seen == Counter({(f"e{i}", n): 1 for i, (_, runs, _) in enumerate(cells)
                            for n in range(1, runs + 1)})  # fmt: skip
