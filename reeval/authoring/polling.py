"""`expect.poll`'s function: the read or command it names, for reeval to make again on each try."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import NoReturn

from reeval.protocol.messages import ExecSubject, FileSubject

Polled = ExecSubject | FileSubject

_named: ContextVar[list[Polled] | None] = ContextVar("reeval_polled", default=None)

_RETURN_IT = (
    "expect.poll's function returns c.read_file(…) or c.exec(…) itself, which reeval makes again "
    "on each try: check what it gives with the matcher, as in "
    "expect.poll(lambda: c.exec('cat x')).to_contain('ok')"
)


class Described:
    """What `c.read_file(…)` or `c.exec(…)` gives in there: a name, nothing to use yet."""

    __slots__ = ("subject",)

    def __init__(self, subject: Polled) -> None:
        self.subject = subject

    def __getattr__(self, name: str) -> NoReturn:
        raise TypeError(f"{_RETURN_IT} (it read .{name})")

    def __bool__(self) -> NoReturn:
        raise TypeError(_RETURN_IT)

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError(_RETURN_IT)

    __hash__ = None  # type: ignore[assignment]  # as undefined as its equality


def describing() -> bool:
    """Whether `expect.poll` is asking a function what to poll."""
    return _named.get() is not None


def name(subject: Polled) -> Described:
    """Notes a read or a command as the one to poll."""
    named = _named.get()
    if named is not None:
        named.append(subject)
    return Described(subject)


def refuse_while_describing(what: str) -> None:
    if _named.get() is not None:
        raise TypeError(f"expect.poll's function can only read a file or run a command, not {what}")


def describe(function: Callable[[], object]) -> Polled:
    """The one read or command `function` makes. Raises `TypeError` when it does anything else."""
    _takes_nothing(function)
    named: list[Polled] = []
    token = _named.set(named)
    try:
        out = function()
    finally:
        _named.reset(token)
    if inspect.iscoroutine(out):
        out.close()
    if len(named) > 1:
        raise TypeError(
            "expect.poll's function reads one file or runs one command, which reeval makes again "
            f"on each try; this one made {len(named)}"
        )
    if not isinstance(out, Described):
        raise TypeError(
            "expect.poll's function must return c.read_file(…) or c.exec(…), which reeval makes "
            "again on each try"
        )
    return out.subject


def _takes_nothing(function: Callable[[], object]) -> None:
    try:
        inspect.signature(function).bind()
    except TypeError:
        raise TypeError(
            "expect.poll's function takes no arguments, e.g. "
            "expect.poll(lambda: c.read_file('ready.txt'))"
        ) from None
    except ValueError:
        pass  # a built-in that doesn't tell its signature
