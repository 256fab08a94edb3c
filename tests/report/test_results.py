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
        "fail        3/5  is flaky",
        "  says hello       failed in #2, #4",
        "    - expected",
        "    + received",
        "    - a",
        "    + b",
        f"    reeval show {RUN} --attempt 'is#2 cursor'",
    ]
    coloured = text(run, Terminal(tty=True, color=True, width=80))
    assert coloured[0] == "\x1b[31mfail\x1b[0m        3/5  is flaky"
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
    assert text(record(one))[:6] == [
        "fail             compares",
        "  cursor/-/docker                           fail",
        "  cursor/with-skill/docker                  2/2"
        "  lift +1.00 (95% -0.12 to +1.00, within noise)",
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
    lines = text(run, Terminal(tty=True, width=40))
    assert lines[0].endswith("…")
    assert width_of(lines[0]) == 40
    assert lines[2] == f"    {message}"
