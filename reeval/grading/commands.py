"""`toSucceed`: a command exits 0."""

from __future__ import annotations

from reeval.grading.answer import Answer, answer, arguments, unreadable
from reeval.grading.base import Subjects
from reeval.grading.patterns import Patterns
from reeval.grading.shown import printable
from reeval.protocol import messages as m
from reeval.protocol.cuts import CUT, cut

OUTPUT_LINES = 10
"""The last lines of a failed command's output that its message shows."""


async def result_of(subject: m.ExecSubject, subjects: Subjects) -> m.ExecResult:
    """The result the body already has, else the command is run."""
    return subject.result if subject.result is not None else await subjects.run(subject.command)


async def to_succeed(call: m.Expect, subjects: Subjects, patterns: Patterns) -> Answer:
    arguments(call, 0, 0, "no argument")
    result = await _result(call, subjects)
    holds = result.exit_code == 0
    said = "" if holds else _tail(result)
    return answer(holds, lambda: "command", "succeed", f", exit code {result.exit_code}{said}")


async def _result(call: m.Expect, subjects: Subjects) -> m.ExecResult:
    match call.subject:
        case m.ExecSubject() as subject:
            return await result_of(subject, subjects)
        case m.ValueSubject(value={"exitCode": int(code)} as value):
            stdout, stderr = str(value.get("stdout", "")), str(value.get("stderr", ""))
            return m.ExecResult(code, stdout, stderr)
    raise unreadable(call, "reads a command's result: expect(c.exec(…)).to_succeed()")


def _tail(result: m.ExecResult) -> str:
    """What it said last: on stderr, else on stdout."""
    name, text = ("stderr", result.stderr) if result.stderr.strip() else ("stdout", result.stdout)
    lines = text.strip().splitlines()
    if not lines:
        return ", it printed nothing"
    shown = [cut(printable(line), 160) for line in lines[-OUTPUT_LINES:]]
    if len(lines) > OUTPUT_LINES:
        shown.insert(0, CUT)
    return f"\n{name}:\n" + "\n".join("  " + line for line in shown)
