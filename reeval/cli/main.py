"""The `reeval` command: finds the subcommand, and turns what went wrong into a sentence."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import click

from reeval.cli.failures import BROKEN, explain
from reeval.cli.output import watched_stdout
from reeval.cli.process import ignore_signals, prepare
from reeval.version import VERSION

PROGRAM = "reeval"
COMPLETE = "_REEVAL_COMPLETE"
"""The variable by which a shell's completion script asks."""

# Only what this version does. Each name is a module here with a command of that name, and the
# sentence shown in the list: reading it from the module would load all of them for `--help`.
COMMANDS: dict[str, str] = {
    "run": "Run evals and write a record of what happened.",
    "list": "Show what a run would do: evals, cells, attempts.",
    "show": "Show a stored run, or one attempt of it.",
    "runs": "List the stored runs.",
    "record": "Copy a run to the history folder.",
    "recover": "Write the records of runs that were killed.",
    "init": "Write a small project that runs.",
    "config": "Show the settings and where each comes from.",
    "doctor": "Say what is missing on this machine, and how to get it.",
    "sdk": "Say where an editor finds the types that eval files import.",
    "completion": "Print the shell completion script.",
}

EPILOG = """\b
Examples:
  reeval init             write a small project
  reeval run              run every eval
  reeval run greet -v     the evals with "greet" in their name, phase by phase
  reeval show             the latest run"""


class _Lazy(click.Group):
    """Loads a subcommand's module when it is asked for, so that a start loads one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"reeval.cli.{name}_command")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            ctx.fail(_unknown(name))
        return super().resolve_command(ctx, args)


def _unknown(name: str) -> str:
    from reeval.config.errors import nearest

    near = nearest(name, COMMANDS)
    return f"there is no command {name!r}" + (f": did you mean {near!r}?" if near else "")


@click.group(cls=_Lazy, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, message="reeval %(version)s")
def cli() -> None:
    """Learn whether a coding agent, its skills, rules, prompts or model got better."""


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and ends the process with its exit code.

    Without `argv` the whole process is the command's, its signals and streams too.
    """
    if argv is not None:
        sys.exit(_exit_code(list(argv)))
    prepare()
    code = _exit_code(sys.argv[1:], ignore_signals)
    sys.exit(code)


def _exit_code(arguments: list[str], when_done: Callable[[], None] = lambda: None) -> int:
    with watched_stdout() as out:
        try:
            answer = _answer(arguments)
            when_done()
            code = answer if isinstance(answer, int) else 0
        except BaseException as error:
            when_done()
            code = explain(error)
        try:
            out.flush()
        except OSError as error:
            explain(error)
        # A run's exit code says how the run went, whoever could read about it.
        told = code or not out.lost or arguments[:1] == ["run"]
        return code if told else BROKEN


def _answer(arguments: list[str]) -> Any:
    """What the command returned.

    Not by click's own `main`, which makes exit code 1 of a reader that left.
    """
    asked = os.environ.get(COMPLETE)
    if asked:
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, PROGRAM, COMPLETE, asked)
    with cli.make_context(PROGRAM, arguments) as context:
        return cli.invoke(context)
