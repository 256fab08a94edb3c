"""One `expect` call: `.not`, `poll`, patterns only the runner has, and what can't be answered."""

from __future__ import annotations

import asyncio
import threading

import pytest

from reeval.config.errors import UsageError
from reeval.grading.base import Outcome, Untested
from reeval.grading.check import check
from reeval.protocol import messages as m
from reeval.sandbox.base import PathError


def test_an_unknown_matcher_names_the_nearest(checking):
    with pytest.raises(UsageError) as error:
        checking(m.ValueSubject(1), "toHaveFiles")
    assert str(error.value) == "there is no matcher toHaveFiles, did you mean toHaveFile?"


def test_a_pass_says_nothing(checking):
    assert checking(m.ValueSubject(1), "toBe", 1) == Outcome("pass")


# ── poll ─────────────────────────────────────────────────────────────────────────────────────


def later(path, text: str, seconds: float) -> None:
    threading.Timer(seconds, lambda: path.write_text(text)).start()


def test_a_poll_reads_again_until_it_passes(checking, tmp_path):
    later(tmp_path / "ready", "yes", 0.1)
    poll = m.Poll(10, 30_000)
    assert checking(m.FileSubject("ready"), "toContain", "yes", poll=poll).status == "pass"


def test_a_polled_opposite_waits_for_it_too(checking, tmp_path):
    (tmp_path / "lock").write_text("")
    threading.Timer(0.1, (tmp_path / "lock").unlink).start()
    poll = m.Poll(10, 30_000)
    outcome = checking(m.AttemptSubject(), "toHaveFile", "lock", poll=poll, negated=True)
    assert outcome.status == "pass"


def test_a_poll_runs_the_command_on_each_try(checking, tmp_path):
    command = m.ExecSubject("echo x >> tries; test $(wc -l < tries) -ge 3")
    assert checking(command, "toSucceed", poll=m.Poll(1, 30_000)).status == "pass"
    assert (tmp_path / "tries").read_text() == "x\n" * 3


def test_the_last_failure_is_a_polls_answer(checking, tmp_path):
    (tmp_path / "log").write_text("starting")
    outcome = checking(m.FileSubject("log"), "toContain", "ready", poll=m.Poll(10, 50))
    assert outcome == Outcome(
        "fail",
        'expected log to contain "ready", received "starting" (still so after 0.05s)',
    )


def test_a_polled_error_stays_an_error(checking):
    outcome = checking(m.AttemptSubject(), "toHaveRun", poll=m.Poll(10, 30), negated=True)
    assert outcome == Outcome(
        "error",
        "toHaveRun has no turn to read: call c.send() first (still so after 0.03s)",
        "UsageError",
    )


def test_a_poll_tries_at_its_interval(checking, tmp_path):
    checking(m.ExecSubject("echo x >> tries; false"), "toSucceed", poll=m.Poll(10_000, 100))
    # One at the start and one at the end: nothing changes in between that it would look for.
    assert (tmp_path / "tries").read_text() == "x\n" * 2


# ── patterns only the runner has ─────────────────────────────────────────────────────────────


def pattern(**answers: bool) -> dict:
    return {"matchedBy": "re.compile('b')", "answers": answers}


def test_strings_without_an_answer_are_asked_for(checking):
    found = checking(m.ValueSubject(["a", "b", 5]), "toContain", pattern(a=False))
    assert found == Untested({"re.compile('b')": ["b"]})


def test_answers_decide(checking):
    subject = m.ValueSubject(["a", "b"])
    assert checking(subject, "toContain", pattern(a=False, b=True)).status == "pass"
    outcome = checking(subject, "toContain", pattern(a=False, b=False))
    assert outcome.message == """expected ["a", "b"] to contain re.compile('b')"""


def test_an_unanswered_opposite_is_asked_for_not_passed(checking):
    found = checking(m.ValueSubject("x"), "toContain", pattern(), negated=True)
    assert isinstance(found, Untested)


def test_a_poll_asks_at_once(checking, tmp_path):
    (tmp_path / "a").write_text("text")
    found = checking(m.FileSubject("a"), "toMatch", pattern(), poll=m.Poll(60_000, 600_000))
    assert found == Untested({"re.compile('b')": ["text"]})


# ── what goes on to the caller ───────────────────────────────────────────────────────────────


def test_a_path_that_leads_out_is_the_callers_to_report(checking):
    with pytest.raises(PathError):
        checking(m.AttemptSubject(), "toHaveFile", "../secret")


def test_cancelling_a_poll_ends_it(checking, tmp_path):
    class Nothing:
        turns = ()

        async def read_file(self, path: str) -> None:
            return None

        async def run(self, command: str) -> m.ExecResult:
            raise AssertionError(command)

    async def cancelled() -> bool:
        call = m.Expect(m.FileSubject("x"), "toContain", ("y",), poll=m.Poll(60_000, 600_000))
        polling = asyncio.ensure_future(check(call, Nothing()))
        await asyncio.sleep(0.01)
        polling.cancel()
        await asyncio.wait({polling}, timeout=10)
        return polling.cancelled()

    assert asyncio.run(cancelled())
