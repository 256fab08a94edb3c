"""The table of runs, on any width."""

from typing import Any

from reeval.record.reader import Listed
from reeval.report.runs import runs_lines
from reeval.report.terminal import Terminal

RUN = "20261130T174047Z_442ac2d_jane"


def test_a_line_a_run(record: Any, entry: Any, attempt: Any) -> None:
    good = record(entry("a", attempt()))
    bad = record(entry("a", *[attempt("fail", n) for n in range(12)]), git=None, status="budget")
    assert list(runs_lines([Listed(RUN, good), Listed(RUN, bad)], Terminal())) == [
        "run                            started (UTC)       took  evals  pass  fail  infra"
        "  status    branch",
        f"{RUN}  2026-11-30 17:40  1m 12s      1     1     0      0  complete  main",
        f"{RUN}  2026-11-30 17:40  1m 12s      1     0    12      0  budget",
    ]


def test_a_narrow_terminal_drops_what_matters_least(record: Any, entry: Any, attempt: Any) -> None:
    run = record(entry("a", attempt()))
    lines = list(runs_lines([Listed(RUN, run)], Terminal(width=60)))
    assert lines == [
        "run                            pass  fail  infra  status",
        f"{RUN}     1     0      0  complete",
    ]


def test_no_runs_is_a_sentence() -> None:
    assert list(runs_lines([], Terminal())) == ["no runs yet: `reeval run` makes one"]


def test_a_run_that_goes_on_says_so(record: Any, entry: Any, attempt: Any) -> None:
    head = record(entry("a", attempt()), status="interrupted")
    _, line = runs_lines([Listed(RUN, head, state="running")], Terminal())
    assert line.endswith("0  running  main")


def test_a_record_that_cannot_be_read_is_a_sentence_among_the_others(
    record: Any, entry: Any, attempt: Any
) -> None:
    good = record(entry("a", attempt()))
    odd = record(entry("a", attempt()))
    del odd["summary"]["pass"]
    runs = [Listed("x", None, "it can't be read"), Listed(RUN, odd), Listed(RUN, good)]
    _, first, second, third = runs_lines(runs, Terminal())
    assert first == f"x{' ' * (len(RUN) - 1)}  it can't be read"
    assert second == f"{RUN}  this record is damaged (KeyError: 'pass')"
    assert third.endswith("complete  main")
