"""An attempt's short name is unique, and the same live and in the record."""

from typing import Any

from reeval.report.labels import CellName, PlanLabels, RecordLabels, cell_names, eval_names


def test_the_first_word_is_enough_until_two_evals_share_it() -> None:
    assert eval_names(
        [("1", "adds a name"), ("2", "creates a file"), ("3", "creates a test"), ("4", "…"),
         ("5", "Überprüft ✓")]
    ) == {
        "1": "adds", "2": "creates-a-file", "3": "creates-a-test", "4": "eval", "5": "überprüft",
    }  # fmt: skip


def test_names_that_stay_equal_are_numbered() -> None:
    long = "a very long name that goes on and on "
    names = eval_names([("1", long + "1"), ("2", long + "2"), ("3", "same"), ("4", "same")])
    assert len(set(names.values())) == 4
    assert (names["3"], names["4"]) == ("same", "same~2")


def test_a_cell_is_named_by_what_tells_it_apart() -> None:
    def cell(key: str, harness: str, environment: str = "-", sandbox: str = "docker") -> CellName:
        return CellName(key, harness, harness.partition(":")[0], environment, sandbox)

    assert cell_names([cell("a", "claude:x")]) == {"a": "claude"}
    mine = CellName("a", "mine", "fake", "-", "docker")
    assert cell_names([mine]) == {"a": "mine"}
    assert cell_names([mine, cell("b", "claude:x[effort=low]")]) == {"a": "mine", "b": "claude"}
    assert cell_names([cell("a", "claude:x"), cell("b", "codex:y")]) == {
        "a": "claude",
        "b": "codex",
    }
    assert cell_names([cell("a", "claude:x"), cell("b", "claude:y")]) == {
        "a": "claude:x", "b": "claude:y",
    }  # fmt: skip
    assert cell_names([cell("a", "fake", "base"), cell("b", "fake", "skill")]) == {
        "a": "fake base", "b": "fake skill",
    }  # fmt: skip


def test_live_and_recorded_labels_agree(
    planned: Any, plan: Any, cell: Any, record: Any, entry: Any, attempt: Any
) -> None:
    one = planned("adds a name", cell("base"), cell("with", variant="with"))
    live = PlanLabels(plan(one))
    kept = record(
        entry("adds a name", attempt(cell="cursor/base/docker"), attempt(cell="cursor/with/docker"))
    )
    recorded = RecordLabels(kept)
    for planned_cell in one.cells:
        label = live.of(one, planned_cell, 1)
        assert label == recorded.of(kept["evals"][0], planned_cell.key, 1)
    assert label == "adds#1 cursor with"
