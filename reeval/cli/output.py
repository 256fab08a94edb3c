"""How a command writes: one guarded way onto stdout, JSON that is safe to show, `--no-color`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO, cast

import click

if TYPE_CHECKING:
    from reeval.report.terminal import Out


class OutputLost(OSError):
    """Stdout takes no more, and not because its reader left: the disk behind it is full."""


class _Watched:
    """Stdout, with a note of whether something was lost. Reports go on without it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.lost = False

    def write(self, text: str) -> int:
        with self._noting():
            return self._stream.write(text)

    def flush(self) -> None:
        with self._noting():
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            self.lost = True
            raise OutputLost(error.errno, error.strerror) from error


@contextmanager
def watched_stdout() -> Iterator[_Watched]:
    """While entered, `sys.stdout` raises `OutputLost` and remembers that it did."""
    plain = sys.stdout
    watched = _Watched(plain)
    sys.stdout = cast(TextIO, watched)
    try:
        yield watched
    finally:
        sys.stdout = plain


def silence(stream: TextIO) -> None:
    """Lets a stream that can't be written lead nowhere: Python writes out the rest at its end."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def stdout() -> Out:
    """The way onto stdout, which knows what the stream can show and hides what is secret."""
    from reeval.cli.secrecy import secrets
    from reeval.report.terminal import Out, Terminal

    return Out(sys.stdout, Terminal.of(sys.stdout, os.environ), secrets.hide)


def print_json(value: object, *, indent: int | None = 2) -> None:
    """A value as JSON that no terminal and no CI obeys. Without `indent` it is much faster."""
    from reeval.report.text import safe_json

    stdout().raw(safe_json(value, indent=indent) + "\n")


def _without_color(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
    if asked:
        os.environ["NO_COLOR"] = "1"  # what evals and their runners start is asked for it, too


def no_color(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--no-color`, which is the same as `NO_COLOR=1`."""
    return click.option(
        "--no-color",
        is_flag=True,
        expose_value=False,
        callback=_without_color,
        help="No colours, as NO_COLOR=1.",
    )(function)
