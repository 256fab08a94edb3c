"""`expect`: what a check is on, and how it is made. `reeval.aio` has the one to await.

The engine runs the matchers on what it is handed and records the check; only `to_raise`, which
calls a function of the eval's, is made here.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from reeval.authoring import polling
from reeval.authoring.callers import caller
from reeval.authoring.calls import Duration, tracked
from reeval.authoring.context import AttemptContext, SyncAttemptContext
from reeval.authoring.durations import milliseconds
from reeval.authoring.errors import ReevalAssertionError
from reeval.authoring.link import Link, current
from reeval.authoring.matchers import Check, Matchers, Pattern
from reeval.authoring.nearest import snake
from reeval.authoring.raising import Raising
from reeval.authoring.results import ExecResult, Turn
from reeval.authoring.values import UNSET, Patterns, plain_json
from reeval.protocol import messages as m

E = TypeVar("E", bound=Matchers[Any])

_tokens = itertools.count()

PATTERN_ROUNDS = 5
"""How often a check is repeated with more strings matched before its subject counts as changing."""

_ACCEPTED = "expect() takes the attempt, a turn, c.exec(…), c.read_file(…) or a JSON value"


class Expectation(Matchers[None]):
    """`expect(x)` in a `def` body: a failed matcher raises `ReevalAssertionError` at once."""

    def _match(self, matcher: str, *args: object) -> None:
        call, patterns = _call(self.check, matcher, args)
        reply = self.check.link.call(call)
        for _ in range(PATTERN_ROUNDS):
            if "untested" not in reply.fields:
                break
            patterns.answer(reply.fields["untested"])
            reply = self.check.link.call(call)
        _settle(call, reply)

    def _raises(self, expected: type[BaseException], match: Pattern | None) -> None:
        raising = Raising(_function(self.check), expected, match, self.check.negated)
        _record(self.check, raising, raising.call())


class AsyncExpectation(Matchers[Coroutine[Any, Any, None]]):
    """`expect(x)` in an `async def` body: each matcher is awaited."""

    def _match(self, matcher: str, *args: object) -> Coroutine[Any, Any, None]:
        call, patterns = _call(self.check, matcher, args)

        async def check() -> None:
            reply = await self.check.link.call_async(call)
            for _ in range(PATTERN_ROUNDS):
                if "untested" not in reply.fields:
                    break
                patterns.answer(reply.fields["untested"])
                reply = await self.check.link.call_async(call)
            _settle(call, reply)

        return tracked(self.check.link, f"expect(…).{snake(matcher)}()", check)

    def _raises(
        self, expected: type[BaseException], match: Pattern | None
    ) -> Coroutine[Any, Any, None]:
        raising = Raising(_function(self.check), expected, match, self.check.negated)

        async def check() -> None:
            _record(self.check, raising, await raising.call_async())

        return tracked(self.check.link, "expect(…).to_raise()", check)


class Expect(Generic[E]):
    """`expect(x, label)`, `expect.soft(x, label)`, `expect.poll(function)`.

    Raises `RuntimeError` outside a body and in the other kind of body, `TypeError` for what can't
    be checked.
    """

    def __init__(self, make: type[E], is_async: bool) -> None:
        self._make = make
        self._is_async = is_async

    def __call__(self, actual: Any, label: str | None = None) -> E:
        """A check of the attempt (`c`), a turn, a command's result or a JSON value."""
        link = self._link("expect()")
        return self._begin(link, _subject(actual), label)

    def soft(self, actual: Any, label: str | None = None) -> E:
        """A check whose failure fails the attempt once the body is done, not here."""
        link = self._link("expect.soft()")
        return self._begin(link, _subject(actual), label, soft=True)

    def poll(
        self,
        actual: AttemptContext | SyncAttemptContext | Callable[[], object],
        label: str | None = None,
        *,
        interval: Duration | None = None,
        timeout: Duration | None = None,
    ) -> E:
        """Tries the matcher every `interval` (50 ms) until it passes or `timeout` (1 s) is over.

        Both are seconds or a timedelta. `actual` is `c`, or a function that reads a file or runs a
        command, which reeval does again on each try: `expect.poll(lambda: c.read_file("log"))`.
        """
        link = self._link("expect.poll()")
        subject: m.Subject
        if isinstance(actual, AttemptContext | SyncAttemptContext):
            subject = m.AttemptSubject()
        elif callable(actual):
            subject = polling.describe(actual)
        else:
            raise TypeError(
                "expect.poll takes c, or a function that reads a file or runs a command, e.g. "
                "expect.poll(lambda: c.read_file('ready.txt')): a value never changes"
            )
        poll = m.Poll(
            50 if interval is None else milliseconds(interval, "expect.poll(interval=…)"),
            1000 if timeout is None else milliseconds(timeout, "expect.poll(timeout=…)"),
        )
        return self._begin(link, subject, label, poll=poll)

    def _begin(
        self,
        link: Link,
        subject: m.Subject | Callable[[], Any],
        label: str | None,
        soft: bool = False,
        poll: m.Poll | None = None,
    ) -> E:
        token = next(_tokens)
        link.unused[token] = caller()
        return self._make(Check(link, token, subject, label, soft=soft, poll=poll))

    def _link(self, what: str) -> Link:
        link = current.get()
        if link is None:
            raise RuntimeError(f"{what} must run inside an eval body")
        if link.is_async == self._is_async:
            return link
        if self._is_async:
            raise RuntimeError(
                f"{what} is reeval.aio's, for async def bodies; use reeval's in a def body"
            )
        raise RuntimeError(
            f"{what} is for def bodies; in an async def body, use reeval.aio's and await the "
            "matcher"
        )


expect: Expect[Expectation] = Expect(Expectation, is_async=False)


def soft(actual: Any, label: str | None = None) -> Expectation:
    """The same as `expect.soft`."""
    return expect.soft(actual, label)


# ── from an eval's values to the call ────────────────────────────────────────────────────────


def _subject(actual: Any) -> m.Subject | Callable[[], Any]:
    if isinstance(actual, AttemptContext | SyncAttemptContext):
        return m.AttemptSubject()
    if isinstance(actual, Turn):
        return m.TurnSubject(actual.index)
    if isinstance(actual, ExecResult):
        result = m.ExecResult(actual.exit_code, actual.stdout, actual.stderr)
        return m.ExecSubject(actual.command, result)
    if inspect.iscoroutine(actual):
        raise TypeError(
            "expect() takes a result, not a coroutine: await it first, as in "
            "expect(await c.exec(…)), or poll it with expect.poll(lambda: c.read_file(…))"
        )
    if callable(actual):
        return actual  # type: ignore[no-any-return]  # any callable; only to_raise calls it
    return m.ValueSubject(plain_json(actual, _ACCEPTED))


def _call(check: Check, matcher: str, args: tuple[object, ...]) -> tuple[m.Expect, Patterns]:
    check.link.unused.pop(check.token, None)
    if not isinstance(check.subject, m.Subject):
        raise TypeError(f"{_ACCEPTED}, or a function for to_raise (got {check.subject!r})")
    patterns = Patterns()
    given = args[: args.index(UNSET)] if UNSET in args else args
    call = m.Expect(
        check.subject,
        matcher,
        patterns.wire_args(given),
        check.negated,
        check.soft,
        check.label,
        check.poll,
    )
    return call, patterns


def _settle(call: m.Expect, reply: m.Reply) -> None:
    """Raises when the check failed and isn't soft."""
    if "untested" in reply.fields:
        names = ", ".join(reply.fields["untested"])
        raise RuntimeError(
            f"{call.matcher}'s subject changed while reeval matched {names} on it, "
            f"{PATTERN_ROUNDS} times over: check it once it has stopped changing"
        )
    assertion = reply.fields.get("assertion") or {}
    if assertion.get("status") == "fail" and not call.soft:
        raise ReevalAssertionError(str(assertion.get("message") or "expect failed"))


def _function(check: Check) -> Callable[[], Any]:
    check.link.unused.pop(check.token, None)
    if isinstance(check.subject, m.Subject) or check.poll is not None:
        raise TypeError(
            "to_raise calls a function, e.g. expect(lambda: parse('x')).to_raise(ValueError)"
        )
    return check.subject


def _record(check: Check, raising: Raising, problem: str | None) -> None:
    check.link.record(
        m.Record(
            "not.toRaise" if check.negated else "toRaise",
            "pass" if problem is None else "fail",
            label=check.label,
            subject=raising.subject,
            message=problem,
            soft=check.soft,
        )
    )
    if problem is not None and not check.soft:
        raise ReevalAssertionError(problem)
