"""One `expect` call to its outcome: the matcher by name, `.not`, and `poll`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from reeval.config.errors import UsageError, nearest
from reeval.grading.answer import Answer, CannotAnswer
from reeval.grading.base import Outcome, Subjects, Untested
from reeval.grading.commands import to_succeed
from reeval.grading.files import to_have_changed, to_have_file
from reeval.grading.patterns import Patterns
from reeval.grading.transcript_matchers import TRANSCRIPT_MATCHERS
from reeval.grading.values import VALUE_MATCHERS, ValueMatcher, read_actual
from reeval.grading.verdicts import to_pass
from reeval.protocol.messages import Expect, Poll

Matcher = Callable[[Expect, Subjects, Patterns], Awaitable[Answer]]

_PASS = Outcome("pass")


async def check(call: Expect, subjects: Subjects) -> Outcome | Untested:
    """Runs one matcher call.

    A matcher that couldn't answer is `error`, negated or not, never a pass. `Untested` asks for
    strings only the runner can match. Raises `UsageError` for a matcher or an argument that
    can't be, and what `subjects` raises.
    """
    matcher = _MATCHERS.get(call.matcher)
    if matcher is None:
        close = nearest(call.matcher, _MATCHERS)
        hint = f", did you mean {close}?" if close else ""
        raise UsageError(f"there is no matcher {call.matcher}{hint}")
    if call.poll is None:
        return await _try(call, matcher, subjects)
    return await _polled(call, call.poll, matcher, subjects)


async def _try(call: Expect, matcher: Matcher, subjects: Subjects) -> Outcome | Untested:
    patterns = Patterns()
    try:
        found = await matcher(call, subjects, patterns)
    except CannotAnswer as error:
        return Outcome("error", str(error), error.raises)
    except RecursionError:
        message = f"{call.matcher} can't compare values that are nested this deep"
        return Outcome("error", message, "UsageError")
    if untested := patterns.untested:
        return Untested(untested)
    if found.holds is not None and found.holds is not call.negated:
        return _PASS
    return Outcome("fail", found.explain(call.negated))


async def _polled(
    call: Expect, poll: Poll, matcher: Matcher, subjects: Subjects
) -> Outcome | Untested:
    """Tries again until it passes; the last try's failure or error is the answer."""
    deadline = time.monotonic() + poll.timeout_ms / 1000
    while True:
        outcome = await _try(call, matcher, subjects)
        left = deadline - time.monotonic()
        if isinstance(outcome, Untested) or outcome.status == "pass":
            return outcome
        if left <= 0:
            # How often it tried depends on the machine, and a record should not.
            note = f" (still so after {poll.timeout_ms / 1000:g}s)"
            headline, newline, rest = (outcome.message or "").partition("\n")
            return Outcome(outcome.status, headline + note + newline + rest, outcome.raises)
        await asyncio.sleep(min(poll.interval_ms / 1000, left))


def _on_value(matcher: ValueMatcher) -> Matcher:
    async def on_value(call: Expect, subjects: Subjects, patterns: Patterns) -> Answer:
        return matcher(call, await read_actual(call, subjects), patterns)

    return on_value


_MATCHERS: dict[str, Matcher] = {
    **{name: _on_value(matcher) for name, matcher in VALUE_MATCHERS.items()},
    **TRANSCRIPT_MATCHERS,
    "toHaveFile": to_have_file,
    "toHaveChanged": to_have_changed,
    "toSucceed": to_succeed,
    "toPass": to_pass,
}
