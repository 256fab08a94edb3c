"""`toSucceed`."""

from __future__ import annotations

import pytest

from reeval.protocol import messages as m


def ran(code: int, stdout: str = "", stderr: str = "") -> m.ExecSubject:
    return m.ExecSubject("make", m.ExecResult(code, stdout, stderr))


FAILURES = [
    (ran(3), "expected command to succeed, exit code 3, it printed nothing"),
    (ran(1, "out\n", "a\nerr\n"), "expected command to succeed, exit code 1\nstderr:\n  a\n  err"),
    (ran(1, "out\n", " \n"), "expected command to succeed, exit code 1\nstdout:\n  out"),
    (
        ran(1, "".join(f"{n}\n" for n in range(50))),
        "expected command to succeed, exit code 1\nstdout:\n  …\n"
        + "\n".join(f"  {n}" for n in range(40, 50)),
    ),
    (
        m.ValueSubject({"exitCode": 2, "stdout": "", "stderr": "x"}),
        "expected command to succeed, exit code 2\nstderr:\n  x",
    ),
]


@pytest.mark.parametrize(("subject", "message"), FAILURES)
def test_a_non_zero_exit_fails_with_what_it_said_last(checking, subject, message):
    outcome = checking(subject, "toSucceed")
    assert (outcome.status, outcome.message) == ("fail", message)
    assert checking(subject, "toSucceed", negated=True).status == "pass"


def test_exit_code_0_succeeds(checking):
    assert checking(ran(0, "out"), "toSucceed").status == "pass"
    outcome = checking(ran(0, "out"), "toSucceed", negated=True)
    assert outcome.message == "expected command not to succeed, exit code 0"


def test_a_command_without_a_result_is_run(checking, tmp_path):
    assert checking(m.ExecSubject("touch made"), "toSucceed").status == "pass"
    assert (tmp_path / "made").exists()


@pytest.mark.parametrize("subject", [m.ValueSubject("0"), m.AttemptSubject(), m.FileSubject("a")])
@pytest.mark.parametrize("negated", [False, True])
def test_anything_else_is_no_answer(checking, subject, negated):
    outcome = checking(subject, "toSucceed", negated=negated)
    assert (outcome.status, outcome.message) == (
        "error",
        "toSucceed reads a command's result: expect(c.exec(…)).to_succeed()",
    )
