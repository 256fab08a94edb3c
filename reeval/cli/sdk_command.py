"""`reeval sdk path`: where an editor finds what eval files import."""

from __future__ import annotations

import os

import click

from reeval.cli.output import stdout

EPILOG = """\b
Examples:
  reeval sdk path                         the folder; an editor takes it as an extra path
  MYPYPATH=$(reeval sdk path) mypy evals  check eval files with mypy"""


@click.group("sdk", epilog=EPILOG)
def command() -> None:
    """Say where an editor finds the types that eval files import."""


@command.command("path", epilog=EPILOG)
def path() -> int:
    """Print the folder to add to an editor's or type checker's search path."""
    from reeval.launcher.sdk import sdk_folder

    stdout().raw(f"{sdk_folder(os.environ)}\n")
    return 0
