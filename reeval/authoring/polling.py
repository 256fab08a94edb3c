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


class Misused(TypeError):
    """The function did what it may not; `describe` raises it as a plain `TypeError`."""


class Described:
    """What `c.read_file(…)` or `c.exec(…)` gives in there: a name, nothing to use yet.

    What any object can do is refused here, and what it can't raises by itself.
    """

    __slots__ = ("subject",)

    def __init__(self, subject: Polled) -> None:
        self.subject = subject

    def __getattr__(self, name: str) -> NoReturn:
        raise Misused(f"{_RETURN_IT} (it read .{name})")

    def _refuse(self, *_: object) -> NoReturn:
        raise Misused(_RETURN_IT)

    __bool__ = __eq__ = __ne__ = __hash__ = __str__ = __repr__ = __format__ = _refuse


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
        raise Misused(f"expect.poll's function can only read a file or run a command, not {what}")


def describe(function: Callable[[], object]) -> Polled:
    """The one read or command `function` makes. Raises `TypeError` when it does anything else."""
    _takes_nothing(function)
    named: list[Polled] = []
    out = _asked(function, named)
    if inspect.iscoroutine(out):
        out.close()
    if len(named) > 1:
        raise TypeError(_made(len(named)))
    if not isinstance(out, Described):
        raise TypeError(
            "expect.poll's function must return c.read_file(…) or c.exec(…), which reeval makes "
            "again on each try"
        )
    return out.subject


def _asked(function: Callable[[], object], named: list[Polled]) -> object:
    """What the function returns, with the reads and commands it makes noted in `named`."""
    token = _named.set(named)
    try:
        return function()
    except Misused as error:
        raise TypeError(str(error) if len(named) < 2 else _made(len(named))) from None
    except Exception as error:
        if not named:
            raise
        raise TypeError(_RETURN_IT if len(named) < 2 else _made(len(named))) from error
    finally:
        _named.reset(token)


def _made(count: int) -> str:
    return (
        "expect.poll's function reads one file or runs one command, which reeval makes again on "
        f"each try; this one made {count}"
    )


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
