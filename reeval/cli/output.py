"""How a command writes: one guarded way onto stdout, JSON that is safe to show, `--no-color`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from reeval.report.terminal import Out


def stdout() -> Out:
    """The way onto stdout, which knows what the stream can show."""
    from reeval.report.terminal import Out, Terminal

    return Out(sys.stdout, Terminal.of(sys.stdout, os.environ))


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
