"""Events in, lines out: what a pipe or a CI log shows of a run."""

import io
from collections.abc import Callable
from typing import Any

import pytest

from reeval.engine import events as e
from reeval.plan.model import Cell, Plan, PlannedEval
from reeval.report.lines import LineReporter
from reeval.report.log import KEPT_EVENTS
from reeval.report.reporter import ReportOptions
from reeval.report.terminal import Out, Terminal

AT = 1_796_060_447.0  # 2026-11-30 17:40:47 UTC
KEY = "evals/hello.eval.py › greet module › adds a default name # cursor/-/docker#1"


class Told:
    """A reporter on a stream that is no terminal."""

    def __init__(self, **options: Any) -> None:
        self.stream = io.StringIO()
        self.now = AT
        out = Out(self.stream, Terminal())
        self.reporter = LineReporter(ReportOptions(**options), out, clock=lambda: self.now)

    def lines(self, *events: e.RunEvent) -> list[str]:
        for event in events:
            self.reporter.on_event(event)
        return self.stream.getvalue().splitlines()


@pytest.fixture
def adds(planned: Callable[..., PlannedEval], cell: Callable[..., Cell]) -> PlannedEval:
    return planned("adds a default name", cell(runs=2), group=("greet module",))


@pytest.fixture
def begin(adds: PlannedEval, plan: Callable[..., Plan]) -> list[e.RunEvent]:
    return [
        e.RunStarted("20261130T174047Z_442ac2d_jane", plan(adds, estimate_ms=60_000.0), 4, AT),
        e.AttemptStarted(KEY, adds, adds.cells[0], 1, 1, AT),
    ]


WORK: list[e.RunEvent] = [
    e.Phase(KEY, "env", "environment - (digest eca09e8f139f)", AT),
    e.SandboxReady(KEY, 0.0, 2000.0),
    e.TurnStarted(KEY, 0, "Create greet.js.", 1000.0),
    e.TurnActivity(KEY, 0, 1, 0),
    e.Phase(KEY, "harness", "turn 1 completed in 8s · 3 tool calls · 1 file edit", AT + 6),
    e.TurnEnded(KEY, 0, "completed", 1000.0, 8000.0, 3, 1),
    e.TurnStarted(KEY, 1, "Make name default.", 10_000.0),
    e.TurnEnded(KEY, 1, "completed", 10_000.0, 4000.0, 1, 1),
    e.CheckEnded(
        KEY, "node -e \"import('./greet.js').then((m) => {\n  m.greet()\n})\"", 0, 14_000.0, 103.0,
        1, 0, "",
    ),
    e.Asserted(KEY, {"label": "says hello", "status": "pass"}, 14_100.0),
    e.Judged(KEY, "Did the agent add the default?", "pass", 1.0, 0.8, 14_200.0),
]  # fmt: skip


@pytest.fixture
def ended(adds: PlannedEval, attempt: Callable[..., Any]) -> Callable[..., e.AttemptEnded]:
    def make(outcome: str = "pass", **more: Any) -> e.AttemptEnded:
        return e.AttemptEnded(KEY, adds, adds.cells[0], attempt(outcome, **more))

    return make


HEAD = (
    "run 20261130T174047Z_442ac2d_jane · 1 eval · 2 attempts · 4 at once · "
    "1m of attempt time, by the last runs"
)
TITLE = "evals/hello.eval.py › greet module › adds a default name"


def test_a_plain_run_says_when_an_attempt_ended(begin: Any, ended: Any) -> None:
    assert Told().lines(*begin, *WORK, ended()) == [
        HEAD,
        f"[adds#1 cursor] pass 15s  {TITLE}  1/2",
    ]


def test_verbose_has_a_line_a_phase_as_it_happens(begin: Any, ended: Any) -> None:
    assert Told(verbose=True).lines(*begin, *WORK, ended()) == [
        HEAD,
        "[adds#1 cursor] 17:40:47 env       environment - (digest eca09e8f139f)",
        "[adds#1 cursor] 17:40:53 harness   turn 1 completed in 8s · 3 tool calls · 1 file edit",
        f"[adds#1 cursor] pass 15s  {TITLE}  1/2",
    ]


FULL = [
    HEAD,
    f"[adds#1 cursor] ▶ {TITLE}",
    "[adds#1 cursor]  +0:00 sandbox ready 2s",
    "[adds#1 cursor]  +0:01 turn 1 done 8s · 3 tool calls, 1 file edit",
    "[adds#1 cursor]  +0:10 turn 2 done 4s · 1 tool call, 1 file edit",
    "[adds#1 cursor]  +0:14 $ node -e \"import('./greet.js').then((m) => {…  exit 0 103ms",
    "[adds#1 cursor]  +0:14 judge  pass 1.00 (≥ 0.8)  Did the agent add the default?",
]


def test_full_logs_come_in_one_piece_when_the_attempt_ends(begin: Any, ended: Any) -> None:
    told = Told(order="grouped", logs="full")
    assert told.lines(*begin, *WORK) == [HEAD]
    assert told.lines(ended()) == FULL


def test_streamed_logs_come_as_they_happen(begin: Any, ended: Any) -> None:
    told = Told(order="stream", logs="full")
    assert told.lines(*begin, *WORK) == FULL
    assert told.lines(ended())[len(FULL) :] == ["[adds#1 cursor]  +0:15 pass"]


FAILED: list[e.RunEvent] = [
    e.SandboxReady(KEY, 0.0, 3.0),
    e.CheckEnded(KEY, "npm test", 3, 2000.0, 900.0, 3, 2, "not ok 1\nboom\n"),
    e.Asserted(
        KEY,
        {"label": "tests pass", "status": "fail",
         "message": "expected command to succeed, exit code 3\nboom"},
        2900.0,
    ),
    e.Output(KEY, "stdout", "body says hi"),
]  # fmt: skip


@pytest.mark.parametrize("order", ["grouped", "stream"])
def test_by_default_only_a_failed_attempt_shows_its_log(order: str, begin: Any, ended: Any) -> None:
    error = {"kind": "assertion", "message": "tests pass: expected command to succeed"}
    checks = [{"label": "tests pass", "status": "fail", "soft": False}]
    last = ended("fail", error=error, assertions=checks)
    assert Told(order=order).lines(*begin, *FAILED, last) == [
        HEAD,
        f"[adds#1 cursor] ▶ {TITLE}",
        "[adds#1 cursor]  +0:00 sandbox ready 3ms",
        "[adds#1 cursor]  +0:02 $ npm test  exit 3 900ms · failed all 3 tries",
        "[adds#1 cursor]        not ok 1",
        "[adds#1 cursor]        boom",
        "[adds#1 cursor]  +0:02 check  fail  tests pass",
        "[adds#1 cursor]        expected command to succeed, exit code 3",
        "[adds#1 cursor]        boom",
        "[adds#1 cursor]   │ body says hi",
        "[adds#1 cursor]  +0:15 fail",
    ]


def test_an_attempt_that_ended_for_another_reason_says_which(begin: Any, ended: Any) -> None:
    error = {"kind": "timeout", "message": "ran past its timeout of 10s\nlast: turn 2"}
    assert Told().lines(*begin, ended("fail", error=error))[1:] == [
        f"[adds#1 cursor] ▶ {TITLE}",
        "[adds#1 cursor]  +0:15 fail (timeout): ran past its timeout of 10s",
        "[adds#1 cursor]        last: turn 2",
    ]


def test_what_a_passing_body_printed_is_shown_with_its_attempt(begin: Any, ended: Any) -> None:
    printed = e.Output(KEY, "stdout", "body says hi")
    assert Told().lines(*begin, *WORK, printed, ended())[1:] == [
        f"[adds#1 cursor] pass 15s  {TITLE}  1/2",
        "[adds#1 cursor]   │ body says hi",
    ]


def test_without_logs_a_failure_is_one_line(begin: Any, ended: Any) -> None:
    error = {"kind": "assertion", "message": "tests pass: no\nmore"}
    assert Told(logs="none").lines(*begin, *FAILED, ended("fail", error=error))[1:] == [
        f"[adds#1 cursor] fail 15s  {TITLE}  1/2  assertion: tests pass: no…"
    ]


def test_attempts_that_never_started_are_not_listed(begin: Any, adds: Any, attempt: Any) -> None:
    skipped = e.AttemptEnded("other", adds, adds.cells[0], attempt("skipped", 2))
    assert Told().lines(*begin, e.Stopping("bail"), skipped)[1:] == [
        "--bail: no new attempt starts"
    ]


def test_what_concerns_the_whole_run_is_said_at_once(begin: Any, plan: Any, adds: Any) -> None:
    started = e.RunStarted("r", plan(adds, warnings=("`K` is short",)), 1, AT)
    assert Told().lines(
        started,
        e.Notice("the runner of evals/hello.eval.py was started again"),
        e.RunError("evals/bad.eval.py did not load:\nSyntaxError"),
        e.Output(None, "stderr", "import noise"),
        e.Stopping("interrupt"),
        e.RunEnded("r", "interrupted", 130, {}, None, 1.0),
    ) == [
        "run r · 1 eval · 2 attempts · 1 at once",
        "warning: `K` is short",
        "the runner of evals/hello.eval.py was started again",
        "error: evals/bad.eval.py did not load:",
        "  SyntaxError",
        "[runner]   │ import noise",
        "interrupted: ending what runs; press Ctrl-C again to leave at once",
        "error: the record of r could not be written; its journal holds what finished: "
        "make room, then `reeval recover`",
    ]


def test_a_quiet_run_says_that_it_lives(begin: Any) -> None:
    told = Told()
    told.lines(*begin, e.TurnStarted(KEY, 0, "p", 0.0))
    told.reporter.beat()  # a line was written since the last beat
    told.now = AT + 302
    told.reporter.beat()
    told.reporter.close()
    assert told.lines()[1:] == [
        "still running: 0 of 2 done · 1 running · [adds#1 cursor] turn 1 for 5m 2s"
    ]


HOSTILE = "\x1b[2J\x1b[Hgone\r::error::x\n::set-output name=a::b\n##[group]z\u202e\x00\ud800"


def test_nothing_an_agent_or_body_wrote_controls_the_log(
    planned: Any, plan: Any, attempt: Any
) -> None:
    evil = planned(f"::add-mask::{HOSTILE}")
    error = {"kind": "infra", "message": HOSTILE}
    told = Told(verbose=True, logs="full", order="stream")
    told.lines(
        e.RunStarted("r", plan(evil), 1, AT),
        e.AttemptStarted("k", evil, evil.cells[0], 1, 1, AT),
        e.Phase("k", "harness", HOSTILE, AT),
        e.CheckEnded("k", HOSTILE, 1, 0.0, 1.0, 1, 0, HOSTILE),
        e.Asserted("k", {"label": HOSTILE, "status": "fail", "message": HOSTILE}, 0.0),
        e.Judged("k", HOSTILE, "error", None, 0.8, 0.0),
        e.Output("k", "stdout", HOSTILE),
        e.Output(None, "stdout", HOSTILE),
        e.Notice(HOSTILE),
        e.RunError(HOSTILE),
        e.AttemptEnded("k", evil, evil.cells[0], attempt("infra_error", error=error)),
    )
    text = told.stream.getvalue()
    assert text.replace("\n", "").isprintable()
    assert "##[" not in text
    assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]
    assert text.count("gone␍") >= 9


def test_a_body_that_prints_without_end_is_kept_short(begin: Any, ended: Any) -> None:
    told = Told()
    noise = [e.Output(KEY, "stdout", f"line {n}") for n in range(KEPT_EVENTS + 500)]
    lines = told.lines(*begin, *noise, e.Output(KEY, "stdout", "x" * 100_000), ended())
    assert lines[2] == "[adds#1 cursor]   │ line 0"
    assert "[adds#1 cursor]        … 501 events left out …" in lines
    assert len(lines) < KEPT_EVENTS + 10
    assert max(map(len, lines)) < 40_000


def test_a_failed_log_ends_with_the_place_and_where_its_files_are(begin: Any, ended: Any) -> None:
    error = {
        "kind": "assertion",
        "message": "tests pass: no (evals/hello.eval.py:12)",
    }
    checks = [{"label": "tests pass", "status": "fail", "soft": False}]
    kept = {"transcript": {"path": "adds-0a/cursor-1/transcript.jsonl", "sha256": "x", "bytes": 1}}
    last = ended("fail", error=error, assertions=checks, files=kept, key=KEY)
    assert Told().lines(*begin, last)[2:] == [
        "[adds#1 cursor]  +0:15 fail",
        "[adds#1 cursor]        at evals/hello.eval.py:12",
        "[adds#1 cursor]  files  .reeval/runs/20261130T174047Z_442ac2d_jane/adds-0a/cursor-1/",
    ]
    assert Told(logs="none").lines(*begin, last)[1:] == [
        f"[adds#1 cursor] fail 15s  {TITLE}  1/2  assertion: tests pass: no at "
        "evals/hello.eval.py:12"
    ]


def test_a_long_output_shows_its_head_and_tail(begin: Any, ended: Any) -> None:
    noise = [e.Output(KEY, "stdout", f"line {n}") for n in range(300)]
    output = "".join(f"out {n}\n" for n in range(300))
    command = e.CheckEnded(KEY, "npm test", 1, 0.0, 1.0, 1, 0, output)
    lines = Told().lines(*begin, *noise, command, ended("fail"))[2:]
    assert lines[49:52] == [
        "[adds#1 cursor]   │ line 49",
        "[adds#1 cursor]   │ … 200 lines left out (output.log has them) …",
        "[adds#1 cursor]   │ line 250",
    ]
    assert "[adds#1 cursor]        … 200 lines left out (the check's log has them) …" in lines
    assert lines[-2:] == ["[adds#1 cursor]        out 299", "[adds#1 cursor]  +0:15 fail"]
    full = Told(logs="full").lines(*begin, *noise, command, ended("fail"))
    assert not [line for line in full if "left out" in line]


def test_an_interrupted_attempt_is_no_infra_error(begin: Any, ended: Any) -> None:
    error = {"kind": "aborted", "message": "stopped while it ran"}
    lines = Told(logs="none").lines(*begin, ended("infra_error", error=error))[1:]
    assert lines == [
        f"[adds#1 cursor] interrupted 15s  {TITLE}  1/2  aborted: stopped while it ran"
    ]
    assert Told().lines(*begin, ended("infra_error", error=error))[-1] == (
        "[adds#1 cursor]  +0:15 interrupted (aborted): stopped while it ran"
    )
