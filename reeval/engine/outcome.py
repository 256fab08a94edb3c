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


def decide(facts: Facts, timeout: float) -> Decided:
    """`timeout` is the eval's, in seconds, for the message."""
    if facts.infra is not None:
        error: dict[str, Any] = {"kind": "infra", "message": facts.infra.message}
        if facts.infra.cause is not None:
            error["resource"] = {"cause": facts.infra.cause}
        return Decided("infra_error", error)
    if facts.timed_out:
        return Decided("fail", {"kind": "timeout", "message": f"timed out after {timeout:g}s"})
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
    if failed:
        return Decided("fail", {"kind": "assertion", "message": _said(failed[0])})
    unanswered = [a for a in facts.assertions if a["status"] == "error"]
    if facts.body_error is not None and not (unanswered and _is_check(facts.body_error)):
        return Decided("fail", {"kind": "assertion", "message": body_message(facts.body_error)})
    if unanswered:
        return Decided("infra_error", {"kind": "infra", "message": _said(unanswered[0])})
    return Decided("pass", None)


def _said(assertion: dict[str, Any]) -> str:
    return f"{assertion['label']}: {assertion.get('message') or assertion['status']}"


def _is_check(error: WireError) -> bool:
    return error.name in ("AssertionError", "ReevalAssertionError", "HarnessCapabilityError")


_FRAME = re.compile(r'File "([^"]+\.eval\.py)", line (\d+)')


def body_message(error: WireError) -> str:
    """The body's error in a line, with the place in its eval file where the traceback has one."""
    frames = _FRAME.findall(error.stack or "")
    where = f" ({frames[-1][0].rsplit('/', 1)[-1]}:{frames[-1][1]})" if frames else ""
    if error.name == "AssertionError":
        return (error.message or "an assertion failed") + where
    return f"{error.name}: {error.message}{where}" if error.message else f"{error.name}{where}"
