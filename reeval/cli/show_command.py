"""`reeval show`: a stored run, or one attempt of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reeval.cli.completing import run_ids
from reeval.cli.output import no_color, print_json, stdout
from reeval.cli.project import settings_here
from reeval.config.errors import UsageError

if TYPE_CHECKING:
    from reeval.report.show import AttemptView

EPILOG = """\b
Examples:
  reeval show                              the latest run
  reeval show 20261130T17                  the run whose name begins so
  reeval show --json | jq .summary         the record
  reeval show --attempt greet#1 --diff     what an attempt changed"""


_VIEWS: tuple[AttemptView, ...] = ("transcript", "diff", "checks", "timing")


@click.command("show", epilog=EPILOG)
@click.argument("run", required=False, shell_complete=run_ids)
@click.option("--json", "as_json", is_flag=True, help="The record, as it is stored.")
@click.option("--attempt", metavar="A", help="One attempt: its id, its label or a part of it.")
@click.option("--transcript", is_flag=True, help="What the agent did.")
@click.option("--diff", is_flag=True, help="What it changed.")
@click.option("--checks", is_flag=True, help="Each check and its output.")
@click.option("--timing", is_flag=True, help="Where the time went.")
@no_color
def command(run: str | None, as_json: bool, attempt: str | None, **asked: bool) -> int:
    """Show a stored run, or one attempt of it. RUN may be the beginning of its name."""
    from reeval.record.reader import find_run, load
    from reeval.report.show import attempt_lines, find_attempt, run_lines

    views: list[AttemptView] = [view for view in _VIEWS if asked[view]]
    if views and attempt is None:
        raise UsageError(f"--{views[0]} shows one attempt: say which with --attempt")
    settings = settings_here()
    found = find_run(settings.root, run, settings.history)
    state = found.state
    record = load(found)
    out = stdout()
    if attempt is not None:
        entry, one = find_attempt(record, attempt)
        if as_json:
            print_json(one)
        else:
            chosen: list[AttemptView] = views or ["overview"]
            for number, view in enumerate(chosen):
                out.lines([""] if number else [])
                out.stream_lines(
                    attempt_lines(record, entry, one, out.terminal, found.folder, view)
                )
    elif as_json:
        print_json(record, indent=None)
    else:
        out.stream_lines(run_lines(record, out.terminal, found.folder, state))
    return 0
