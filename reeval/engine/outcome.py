"""An attempt's outcome, decided from the engine's own facts: the first rule that holds."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

from reeval.engine.facts import Facts
from reeval.protocol.messages import WireError

JUDGE_MATCHERS = ("toPass", "not.toPass")


class Decided(NamedTuple):
    outcome: Literal["pass", "fail", "infra_error"]
    error: dict[str, Any] | None


def decide(facts: Facts, timeout: float, file: str) -> Decided:
    """`timeout`, in seconds, and `file`, the eval's, are for the message."""
    if facts.infra is not None:
        error: dict[str, Any] = {"kind": "infra", "message": facts.infra.message}
        if facts.infra.cause is not None:
            error["resource"] = {"cause": facts.infra.cause}
        return Decided("infra_error", error)
    if facts.timed_out:
        message = f"timed out after {timeout:g}s, {facts.under_way}"
        return Decided("fail", {"kind": "timeout", "message": message})
    if facts.cancelled:
        return Decided("infra_error", {"kind": "aborted", "message": "stopped while it ran"})
    if facts.judge_failure is not None:
        return Decided("fail", {"kind": "judge", "message": facts.judge_failure})
    failed = [a for a in facts.assertions if a["status"] == "fail"]
    for assertion in failed:
        if assertion["matcher"] in JUDGE_MATCHERS:
            return Decided("fail", {"kind": "judge", "message": _said(assertion)})
    if facts.process_ended is not None:
        message = f"the eval's process ended: {facts.process_ended}"
        return Decided("fail", {"kind": "assertion", "message": message})
    unanswered = [a for a in facts.assertions if a["status"] == "error"]
    raised = facts.body_error
    if raised is not None and _is_unanswered(raised, unanswered):
        raised = None
    if failed or raised is not None:
        message = _why_failed(failed, raised, file)
        return Decided("fail", {"kind": "assertion", "message": message})
    if unanswered:
        return Decided("infra_error", {"kind": "infra", "message": _said(unanswered[0])})
    return Decided("pass", None)


def _said(assertion: dict[str, Any]) -> str:
    return f"{assertion['label']}: {assertion.get('message') or assertion['status']}"


def _is_unanswered(error: WireError, unanswered: list[dict[str, Any]]) -> bool:
    """Whether the body only raised what a matcher that couldn't answer raises in it."""
    return any(error.message == assertion.get("message") for assertion in unanswered)


def _why_failed(failed: list[dict[str, Any]], raised: WireError | None, file: str) -> str:
    """What ended the body; of a body that went on to its end, the first check that failed."""
    hard = [assertion for assertion in failed if not assertion["soft"]]
    if raised is None:
        return _said((hard or failed)[0])
    if raised.name == "AssertionError" and hard:
        return _said(hard[-1]) + place(raised, file)
    return body_message(raised, file)


def body_message(error: WireError, file: str) -> str:
    """The body's error in a line, with its place in the eval file."""
    where = place(error, file)
    if error.name == "AssertionError":
        return (error.message or "an assertion failed") + where
    return f"{error.name}: {error.message}{where}" if error.message else f"{error.name}{where}"


def place(error: WireError, file: str) -> str:
    """` (evals/a.eval.py:12)`: the last line of the eval file in the traceback, if there is one."""
    frames = re.findall(rf'File "[^"]*{re.escape(file)}", line (\d+)', error.stack or "")
    return f" ({file}:{frames[-1]})" if frames else ""
