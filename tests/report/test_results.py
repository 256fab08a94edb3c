"""A finished run as text: whole outputs, and its size at 10,000 attempts."""

from pathlib import Path
from typing import Any

from reeval.report.results import cost_line, results_lines
from reeval.report.terminal import Terminal
from reeval.report.text import width_of

RUN = "20261130T174047Z_442ac2d_jane"
FOLDER = Path(".reeval/runs") / RUN
PLAIN = Terminal()


def text(record: Any, terminal: Terminal = PLAIN) -> list[str]:
    return list(results_lines(record, terminal, FOLDER))


def kept(place: str) -> dict[str, Any]:
    return {"transcript": {"path": f"{place}/transcript.jsonl", "sha256": "x", "bytes": 1}}


def tries(*codes: int) -> dict[str, Any]:
    ran = [{"exitCode": code, "durationMs": 5} for code in codes]
    return {
        "command": "npm test", "exitCode": codes[-1], "durationMs": 10, "retries": 2, "tries": ran,
    }  # fmt: skip


def test_passed_failed_and_retried_checks(
    record: Any, entry: Any, attempt: Any, assertion: Any
) -> None:
    message = "expected command to succeed, exit code 3"
    run = record(
        entry("creates a tested greet module", attempt(), group=("greet module",)),
        entry(
            "fails",
            attempt(
                "fail",
                error={"kind": "assertion", "message": f"always fails: {message}"},
                assertions=[assertion("always fails", "fail", message)],
                checks=[tries(3, 3, 3)],
                files=kept("fails-0a/cursor-1"),
            ),
        ),
        entry("lands", attempt(assertions=[assertion("flaky passes")], checks=[tries(1, 0)])),
    )
    assert text(run) == [
        "pass             greet module › creates a tested greet module",
        "fail             fails",
        "  always fails     failed",
        "    expected command to succeed, exit code 3",
        "    failed all 3 tries",
        f"    .reeval/runs/{RUN}/fails-0a/cursor-1/",
        f"    reeval show {RUN} --attempt 'fails#1 cursor'",
        "pass             lands",
        "  flaky passes     passed on try 2 of 3",
        "",
        "evals      2 pass · 1 fail",
        "attempts   2 passed · 1 failed · 1m 12s",
        "tokens     not reported by the agent",
    ]


def test_tries_are_told_of_the_command_when_no_check_surely_owns_them(
    record: Any, entry: Any, attempt: Any, assertion: Any
) -> None:
    plain = {"command": "ls", "exitCode": 0, "durationMs": 1}
    run = record(entry("lands", attempt(assertions=[assertion("x")], checks=[plain, tries(1, 0)])))
    assert text(run)[1] == "  $ npm test       passed on try 2 of 3"


def test_a_flaky_eval_groups_equal_failures(
    record: Any, entry: Any, attempt: Any, assertion: Any
) -> None:
    def one(n: int) -> Any:
        if n % 2:
            return attempt("pass", n, assertions=[assertion("says hello")])
        failed = [assertion("says hello", "fail", "- expected\n+ received\n- a\n+ b")]
        return attempt(
            "fail", n, error={"kind": "assertion", "message": "says hello: - expected"},
            assertions=failed,
        )  # fmt: skip

    run = record(entry("is flaky", *map(one, range(1, 6))))
    assert text(run)[:7] == [
        "fail        flaky 3/5 is flaky",
        "  says hello       failed in #2, #4",
        "    - expected",
        "    + received",
        "    - a",
        "    + b",
        f"    reeval show {RUN} --attempt 'is#2 cursor'",
    ]
    coloured = text(run, Terminal(color=True, width=80))
    assert coloured[0] == "\x1b[31mfail\x1b[0m        flaky 3/5 is flaky"
    assert coloured[4:6] == ["    \x1b[32m- a\x1b[0m", "    \x1b[31m+ b\x1b[0m"]


def test_cells_and_their_lift(record: Any, entry: Any, attempt: Any) -> None:
    one = entry(
        "compares",
        attempt("fail", error={"kind": "timeout", "message": "timed out after 10s"}),
        attempt(cell="cursor/with-skill/docker"),
        attempt(n=2, cell="cursor/with-skill/docker"),
    )
    one["cells"][1]["lift"] = {
        "vs": "cursor/-/docker",
        "control": {"pass": 0, "counted": 1},
        "variant": {"pass": 2, "counted": 2},
        "points": 1.0,
        "interval": {"lo": -0.12, "hi": 1.0, "level": 0.95, "method": "newcombe-wilson"},
        "withinNoise": True,
    }
    assert text(record(one))[:7] == [
        "fail             compares",
        "  fail           cursor/-/docker",
        "  2/2            cursor/with-skill/docker",
        "    lift +1.00 (95% -0.12 to +1.00), within noise",
        "  timeout          failed in #1 of cursor/-/docker",
        "    timed out after 10s",
        f"    reeval show {RUN} --attempt 'compares#1 cursor -'",
    ]


def test_infra_errors_stand_apart_and_equal_ones_together(
    record: Any, entry: Any, attempt: Any
) -> None:
    error = {"kind": "infra", "message": "setup step `npm ci` exited 1\nno network"}
    run = record(
        entry("breaks", *[attempt("infra_error", n, error=error) for n in (1, 2, 3)]),
        errors=["evals/bad.eval.py did not load: SyntaxError"],
        status="interrupted",
    )
    assert text(run) == [
        "infra error      breaks",
        "",
        "infra errors     not counted in any pass rate",
        "  [breaks#1 cursor] and 2 more",
        "    setup step `npm ci` exited 1",
        "    no network",
        "",
        "errors outside attempts",
        "  evals/bad.eval.py did not load: SyntaxError",
        "",
        "status     interrupted",
        "evals      1 infra error",
        "attempts   0 passed · 3 infra errors · 1m 12s",
        "tokens     not reported by the agent",
    ]


def test_an_error_beside_a_failed_check_is_told_when_it_says_more(
    record: Any, entry: Any, attempt: Any, assertion: Any
) -> None:
    run = record(
        entry(
            "ends",
            attempt(
                "fail",
                error={"kind": "assertion", "message": "the eval's process ended: exit 3"},
                assertions=[assertion("soft one", "fail", "no", soft=True)],
            ),
        )
    )
    assert text(run)[1:5] == [
        "  soft one         failed",
        "    no",
        "  assertion        failed",
        "    the eval's process ended: exit 3",
    ]


def test_the_record_is_named_when_it_is_there(
    record: Any, entry: Any, attempt: Any, tmp_path: Path
) -> None:
    (tmp_path / "r1.json").write_text("{}")
    lines = list(results_lines(record(entry("x", attempt())), PLAIN, tmp_path / "r1"))
    assert lines[-1] == f"record     {tmp_path}/r1.json"


def test_tokens_that_were_reported_are_shown(record: Any, entry: Any, attempt: Any) -> None:
    usage = {"input": 944, "output": 367, "cacheRead": 23040, "cacheWrite": 0, "reasoning": None}
    cost = {"inputTokens": 23984, "outputTokens": 367, "usage": usage, "source": "reported"}
    line = cost_line(record(entry("x", attempt()), cost=cost))
    assert line == "23,984 in · 367 out · 23,040 read from cache"


def test_ten_thousand_attempts_stay_readable(
    record: Any, entry: Any, attempt: Any, assertion: Any
) -> None:
    error = {"kind": "assertion", "message": "says hello: no"}
    entries = []
    for n in range(2500):
        kind = "fail" if n % 10 == 0 else "pass"
        more = {"error": error, "assertions": [assertion("says hello", "fail", "no")]}
        given = more if kind == "fail" else {}
        entries.append(entry(f"case {n}", *[attempt(kind, i, **given) for i in range(1, 5)]))
    lines = text(record(*entries))
    assert len(lines) < 350
    assert "… and 200 more evals with failed attempts" in lines
    assert "… and 2,250 more evals that passed or were skipped" in lines
    assert "attempts   9,000 passed · 1,000 failed · 1m 12s" in lines


def test_names_are_cut_to_a_narrow_terminal_and_messages_are_not(
    record: Any, entry: Any, attempt: Any, assertion: Any
) -> None:
    long = "a name that is far too long for it " * 3
    message = "expected " + "x" * 60
    failed = [assertion("c", "fail", message)]
    run = record(entry(long, attempt("fail", assertions=failed)))
    lines = text(run, Terminal(width=40))
    assert lines[0].endswith("…")
    assert width_of(lines[0]) == 40
    assert lines[2] == f"    {message}"


def test_of_a_run_that_goes_on_what_is_missing_is_still_to_come(
    record: Any, entry: Any, attempt: Any
) -> None:
    half, none = entry("half done", attempt()), entry("not begun", attempt("skipped"))
    half["cells"][0]["runs"] = 3
    none["attempts"].clear()
    lines = list(results_lines(record(half, none, status="interrupted"), Terminal(), FOLDER,
                               "running"))  # fmt: skip
    assert [line.rstrip() for line in lines[:2]] == [
        "pass             half done (2 attempts to come)",
        "to come          not begun",
    ]
    assert "status     running: what has ended so far" in lines
    assert "evals      1 pass · 1 to come" in lines


def test_a_run_without_a_record_says_how_to_get_one(record: Any, entry: Any, attempt: Any) -> None:
    run = record(entry("a", attempt()), status="interrupted")
    *_, status, _, _, _, last = results_lines(run, Terminal(), FOLDER, "killed")
    assert status == "status     interrupted"
    assert last == "record     none yet, the run was killed: `reeval recover` writes it"


def lifted(cell: Any, least: float, points: float, low: float) -> None:
    cell["lift"] = {
        "vs": "cursor/-/docker",
        "control": {"pass": 0, "counted": 1},
        "variant": {"pass": 2, "counted": 2},
        "points": points,
        "interval": {"lo": low, "hi": 1.0, "level": 0.95, "method": "newcombe-wilson"},
        "withinNoise": low < 0,
        "minLift": least,
    }


def compared(entry: Any, attempt: Any, assertion: Any, outcome: str) -> Any:
    """A control that may fail, and a variant that passed."""
    failed = {"assertions": [assertion("control's", "fail", "no")]}
    one = entry(
        "compares", attempt("fail", **failed), attempt(cell="cursor/with-skill/docker"),
        attempt(n=2, cell="cursor/with-skill/docker"),
    )  # fmt: skip
    control, variant = one["cells"]
    control["gate"], control["runs"] = "none", 1
    variant["role"], variant["outcome"] = "variant", outcome
    one["outcome"] = outcome
    return one


def test_a_lift_below_min_lift_says_why_and_blames_no_ungated_control(
    record: Any, entry: Any, attempt: Any, assertion: Any
) -> None:
    one = compared(entry, attempt, assertion, "fail")
    lifted(one["cells"][1], 0.2, 1.0, -0.12)
    expected = [
        "fail             compares",
        "  fail           cursor/-/docker (not gated)",
        "  2/2            cursor/with-skill/docker",
        "    lift +1.00 (95% -0.12 to +1.00), below min_lift 0.2: its interval begins below",
        "",
    ]
    assert text(record(one))[:5] == expected
    lifted(one["cells"][1], 0.2, 0.1, -0.12)
    assert text(record(one))[3] == "    lift +0.10 (95% -0.12 to +1.00), below min_lift 0.2"
    lifted(one["cells"][1], 0.2, 1.0, 0.2)
    assert text(record(one))[3] == "    lift +1.00 (95% +0.20 to +1.00)"


def test_an_eval_that_passed_lists_no_failure_of_its_ungated_control(
    record: Any, entry: Any, attempt: Any, assertion: Any
) -> None:
    lines = text(record(compared(entry, attempt, assertion, "pass")))
    assert lines[:4] == [
        "pass             compares",
        "  fail           cursor/-/docker (not gated)",
        "  2/2            cursor/with-skill/docker",
        "",
    ]


def test_at_80_columns_a_cells_verdict_and_lift_are_whole(
    record: Any, entry: Any, attempt: Any, assertion: Any
) -> None:
    one = compared(entry, attempt, assertion, "fail")
    lifted(one["cells"][1], 0.2, 1.0, -0.12)
    lines = text(record(one), Terminal(width=80))
    assert lines[3:5] == [
        "    lift +1.00 (95% -0.12 to +1.00), below min_lift 0.2: its interval begins",
        "    below",
    ]
    assert max(map(width_of, lines[:5])) <= 80


def ended_in_a_check(attempt: Any, assertion: Any, n: int = 1) -> Any:
    return attempt(
        "fail", n,
        error={
            "kind": "assertion",
            "message": "says hello: expected x\ngot y (evals/hello.eval.ts:12)",
        },
        assertions=[
            assertion("soft one", "fail", "no", soft=True),
            assertion("says hello", "fail", "expected x\ngot y"),
        ],
        files=kept("ends-0a/cursor-1"),
    )  # fmt: skip


def test_the_check_that_ended_the_body_has_its_place(
    record: Any, entry: Any, attempt: Any, assertion: Any
) -> None:
    run = record(entry("ends", ended_in_a_check(attempt, assertion)))
    assert text(run)[1:7] == [
        "  soft one         failed",
        "    no",
        "  says hello       failed",
        "    expected x",
        "    got y",
        "    at evals/hello.eval.ts:12",
    ]


def test_an_error_of_the_body_has_its_place(record: Any, entry: Any, attempt: Any) -> None:
    message = "ValueError: bad (or not)\nmore (evals/hello.eval.ts:7)"
    run = record(entry("x", attempt("fail", error={"kind": "assertion", "message": message})))
    assert text(run)[1:5] == [
        "  assertion        failed",
        "    ValueError: bad (or not)",
        "    more",
        "    at evals/hello.eval.ts:7",
    ]


def test_after_their_logs_failures_take_a_line_and_their_place(
    record: Any, entry: Any, attempt: Any, assertion: Any
) -> None:
    infra = {"kind": "infra", "message": "no room\nmore"}
    run = record(
        entry("ends", *[ended_in_a_check(attempt, assertion, n) for n in (1, 2)]),
        entry("breaks", attempt("infra_error", error=infra)),
        errors=["evals/bad.eval.py did not load:\nSyntaxError"],
    )
    run["evals"][0]["attempts"][0]["assertions"].pop(0)
    lines = list(results_lines(run, PLAIN, FOLDER, logged=True))
    assert lines == [
        "fail        0/2  ends",
        "  says hello       failed in #1, #2: expected x…",
        "    at evals/hello.eval.ts:12",
        "  … and 1 more failed check",
        "infra error      breaks",
        "",
        "infra errors     not counted in any pass rate",
        "  [breaks#1 cursor]",
        "    no room…",
        "",
        "errors outside attempts",
        "  evals/bad.eval.py did not load:…",
        "",
        "evals      1 fail · 1 infra error",
        "attempts   0 passed · 2 failed · 1 infra error · 1m 12s",
        "tokens     not reported by the agent",
        f"details    reeval show {RUN} --attempt 'ends#1 cursor'",
    ]


def test_a_pass_that_checked_nothing_is_marked_and_counted(
    record: Any, entry: Any, attempt: Any
) -> None:
    turn = {
        "prompt": "p", "status": "error", "startedAt": "2026-11-30T17:40:48.000Z", "text": "",
        "durationMs": 1, "usage": None, "model": None, "unreported": [], "error": "overloaded",
    }  # fmt: skip
    run = record(
        entry("one", attempt(assertions=[])),
        entry("three", attempt(), attempt(n=2, assertions=[]), attempt(n=3, turns=[turn])),
    )
    lines = text(run)
    assert lines[:5] == [
        "pass             one",
        "  passed, nothing was checked",
        "pass        3/3  three",
        "  passed, nothing was checked (1 of 3)",
        "  passed, though a turn ended in an error (1 of 3)",
    ]
    assert lines[-2] == (
        "unsure     2 attempts passed, nothing was checked · "
        "1 attempt passed, though a turn ended in an error"
    )


def test_skipped_and_interrupted_attempts_are_told_apart(
    record: Any, entry: Any, attempt: Any
) -> None:
    def aborted(outcome: str, n: int, message: str) -> Any:
        return attempt(outcome, n, error={"kind": "aborted", "message": message})

    why = "never started: the budget for the run was used up"
    run = record(
        entry("a", attempt(), *[aborted("skipped", n, why) for n in range(2, 11)]),
        entry("b", aborted("infra_error", 1, "stopped while it ran")),
        entry("c", attempt("skipped")),
        status="budget",
    )
    lines = text(run)
    assert not [line for line in lines if line.startswith("infra errors")]
    assert "interrupted      b" in lines
    assert lines[-3] == "evals      1 pass · 1 interrupted · 1 skipped"
    assert lines[-2] == (
        "attempts   1 passed · 1 interrupted · 1 skipped · "
        "9 skipped: the budget for the run was used up · 1m 12s"
    )


def test_after_their_logs_more_failures_fit(
    record: Any, entry: Any, attempt: Any, assertion: Any
) -> None:
    failed = [assertion("c", "fail", "expected " + "x" * 300)]
    run = record(*[entry(f"case {n}", attempt("fail", assertions=failed)) for n in range(52)])
    lines = list(results_lines(run, PLAIN, FOLDER, logged=True))
    assert len([line for line in lines if line.startswith("  c  ")]) == 52
    assert len(lines) == 2 * 52 + 5
    assert max(map(len, lines)) < 200
