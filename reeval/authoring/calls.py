"""Each call a body can make: its message, and how its answer is read. Both contexts use these."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

from reeval.authoring import polling
from reeval.authoring.callers import caller
from reeval.authoring.durations import milliseconds
from reeval.authoring.link import Link, Unawaited
from reeval.authoring.results import (
    BackgroundHandle,
    ExecResult,
    Turn,
    Verdict,
    read_exec,
    read_verdict,
)
from reeval.authoring.spelling import options_to_wire
from reeval.authoring.values import UNSET, plain_json
from reeval.protocol import messages as m

T = TypeVar("T")
Duration = timedelta | float

_tokens = itertools.count()


@dataclass(frozen=True, slots=True)
class Op(Generic[T]):
    """A call ready to be made. `name` is how an eval file writes it, such as `c.exec()`."""

    name: str
    call: m.Call
    read: Callable[[m.Reply], T]


def now(link: Link, op: Op[T]) -> T:
    """Makes the call and waits for its answer."""
    polling.refuse_while_describing(op.name)
    return op.read(link.call(op.call))


def later(link: Link, op: Op[T]) -> Coroutine[Any, Any, T]:
    """The call as a coroutine."""
    polling.refuse_while_describing(op.name)

    async def make() -> T:
        return op.read(await link.call_async(op.call))

    return tracked(link, op.name, make)


def tracked(
    link: Link, name: str, make: Callable[[], Coroutine[Any, Any, T]]
) -> Coroutine[Any, Any, T]:
    """A coroutine that is noted in `link.unawaited` until something awaits it.

    One that never is fails the body: what it stands for was not done.
    """
    token = next(_tokens)

    async def begin() -> T:
        link.unawaited.pop(token, None)
        return await make()

    coro = begin()
    link.unawaited[token] = Unawaited(name, caller(), coro)
    return coro


# ── the calls ────────────────────────────────────────────────────────────────────────────────


def send(prompt: str, read: Callable[[Mapping[str, Any]], T]) -> Op[T]:
    """`read` makes the turn of its wire data, and keeps it."""
    _text(prompt, "c.send(…)", 'c.send("Create greet.py")')
    return Op("c.send()", m.Send(prompt), lambda r: read(r.fields["turn"]))


def run(command: str, retries: int | None, interval: Duration | None) -> Op[ExecResult]:
    _text(command, "c.exec(…)", 'c.exec("npm test")')
    tries = 0 if retries is None else _whole(retries, "c.exec(retries=…)")
    wait = 1000 if interval is None else milliseconds(interval, "c.exec(interval=…)", zero=True)
    call = m.Exec(command, retries=tries, interval_ms=wait)
    return Op("c.exec()", call, lambda r: read_exec(command, r.fields["result"]))


def run_in_background(
    command: str, retries: int | None, interval: Duration | None, make: Callable[[str], T]
) -> Op[T]:
    """`make` makes the handle of its id."""
    _text(command, "c.exec(…)", 'c.exec("npm start", background=True)')
    if retries is not None or interval is not None:
        raise TypeError(
            "c.exec(…, background=True) doesn't wait for the command's exit, so it takes neither "
            "retries nor interval"
        )
    call = m.Exec(command, background=True)
    return Op("c.exec(…, background=True)", call, lambda r: make(r.fields["result"]["handle"]))


def serve(command: str | Sequence[str], port: int | None, make: Callable[[str, int], T]) -> Op[T]:
    """`make` makes the handle of its id and port."""
    argv: str | tuple[str, ...] = command if isinstance(command, str) else tuple(command)
    if port is not None and not 0 < _whole(port, "c.serve(port=…)") < 65536:
        raise ValueError(f"c.serve(port=…) takes a port from 1 to 65535 (got {port!r})")
    call = m.Serve(argv, port)
    return Op("c.serve()", call, lambda r: make(r.fields["handle"], int(r.fields["port"])))


def kill(handle: BackgroundHandle) -> Op[None]:
    if not isinstance(handle, BackgroundHandle):
        raise TypeError(
            "c.kill(…) takes the handle of c.exec(…, background=True) or c.serve(…) "
            f"(got {handle!r})"
        )
    return Op("c.kill()", m.Kill(handle.id), lambda r: None)


def read_file(path: str) -> Op[str | None]:
    _text(path, "c.read_file(…)", 'c.read_file("greet.py")')

    def contents(reply: m.Reply) -> str | None:
        text = reply.fields.get("contents")
        return None if text is None else str(text)

    return Op("c.read_file()", m.ReadFile(path), contents)


def write_file(path: str, contents: str | bytes) -> Op[None]:
    _text(path, "c.write_file(…)", 'c.write_file("notes.txt", "hello")')
    if isinstance(contents, str):
        data = contents.encode("utf-8", "surrogateescape")
    elif isinstance(contents, bytes | bytearray | memoryview):
        data = bytes(contents)
    else:
        raise TypeError(f"c.write_file({path!r}, …) takes str or bytes (got {contents!r})")
    return Op("c.write_file()", m.WriteFile(path, data), lambda r: None)


def capture(target: int | BackgroundHandle, options: Mapping[str, Any]) -> Op[Mapping[str, Any]]:
    where = {"handle": target.id} if isinstance(target, BackgroundHandle) else {"port": target}
    call = m.Capture(where, options_to_wire(options))
    return Op("c.capture()", call, lambda r: dict(r.fields["capture"]))


def judge(question: str, on: object, options: Mapping[str, Any]) -> Op[Verdict]:
    _text(question, "c.judge(…)", 'c.judge("Is greet.py readable?")')
    wire = options_to_wire(options)
    if isinstance(on, Turn):
        wire["on"] = {"turn": on.index}
    elif on is not UNSET:
        accepted = "judge(on=…) takes a turn, an ExecResult, a Verdict or a JSON value"
        wire["on"] = {"value": plain_json(on, accepted)}
    return Op("c.judge()", m.Judge(question, wire), lambda r: read_verdict(r.fields["verdict"]))


def _text(value: object, where: str, example: str) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{where} takes a str, e.g. {example} (got {value!r})")


def _whole(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"{where} takes a whole number from 0 (got {value!r})")
    return value
