"""What a dry run and `reeval list` print of a plan."""

from typing import Any

from reeval.plan.model import LoadFailure
from reeval.report.plan_text import plan_json, plan_lines
from reeval.report.terminal import Terminal

KEY = ("evals/hello.eval.py › greet › creates a module", "cursor/-/docker")


def test_a_plan_is_listed_with_its_cells_and_sums(planned: Any, plan: Any, cell: Any) -> None:
    whole = plan(
        planned("creates a module", cell(runs=3), group=("greet",), tags=("quick",)),
        planned("later", skip="not built yet", todo=True),
        planned("compares", cell("base"), cell("with", variant="with")),
        failures=(LoadFailure("evals/bad.eval.py", "SyntaxError: bad", "  line 3\n  ^"),),
        warnings=("`K` is short",),
        estimate_ms=24_000.0,
        profile={"name": "pr"},
    )
    assert list(plan_lines(whole, Terminal(), {KEY: 8000.0})) == [
        "evals/hello.eval.py",
        "  greet › creates a module [quick]  3 × cursor/-/docker  8s each",
        "  later  (todo: not built yet)",
        "  compares",
        "    1 × cursor/base/docker",
        "    1 × cursor/with/docker  variant",
        "error: evals/bad.eval.py: SyntaxError: bad",
        "    line 3",
        "    ^",
        "warning: `K` is short",
        "",
        "2 evals · 3 cells · 5 attempts · 1 skipped · 1 file didn't load · profile pr"
        " · 24s of attempt time, by the last runs",
    ]


def test_a_plan_as_json_says_what_is_unknown(planned: Any, plan: Any, cell: Any) -> None:
    whole = plan(planned("creates a module", cell(runs=3), group=("greet",)))
    out = plan_json(whole, {})
    assert (out["cells"], out["attempts"], out["estimateMs"]) == (1, 3, 0.0)
    assert out["evals"][0]["cells"] == [
        {
            "key": "cursor/-/docker", "harness": "cursor", "environment": "-",
            "sandbox": "docker", "role": "control", "runs": 3, "fingerprint": "f", "lastMs": None,
        }
    ]  # fmt: skip
    assert plan_json(whole, {KEY: 8.0})["evals"][0]["cells"][0]["lastMs"] == 8.0


def test_a_plan_that_never_ran_says_so(planned: Any, plan: Any) -> None:
    assert list(plan_lines(plan(planned("x")), Terminal(), {}))[-1] == (
        "1 eval · 1 cell · 1 attempt · never run so far"
    )


def test_a_narrow_terminal_gets_cut_lines(planned: Any, plan: Any) -> None:
    lines = list(plan_lines(plan(planned("n" * 100)), Terminal(width=40), {}))
    assert len(lines[1]) == 40


def test_a_skip_without_a_reason_is_one_word_and_an_empty_plan_no_news(
    planned: Any, plan: Any
) -> None:
    whole = plan(planned("a", skip="skip"), planned("b", skip="todo", todo=True))
    lines = list(plan_lines(plan(*whole.evals), Terminal(), {}))
    assert lines[1:3] == ["  a  (skip)", "  b  (todo)"]
    assert list(plan_lines(plan(), Terminal(), {})) == ["0 evals · 0 cells · 0 attempts"]
