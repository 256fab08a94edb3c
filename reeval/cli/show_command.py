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


@click.command("show", epilog=EPILOG)
@click.argument("run", required=False, shell_complete=run_ids)
@click.option("--json", "as_json", is_flag=True, help="The record, as it is stored.")
@click.option("--attempt", metavar="A", help="One attempt: its id, its label or a part of it.")
@click.option("--transcript", "view", flag_value="transcript", help="What the agent did.")
@click.option("--diff", "view", flag_value="diff", help="What it changed.")
@click.option("--checks", "view", flag_value="checks", help="Each check and its output.")
@click.option("--timing", "view", flag_value="timing", help="Where the time went.")
@no_color
def command(run: str | None, as_json: bool, attempt: str | None, view: AttemptView | None) -> int:
    """Show a stored run, or one attempt of it. RUN may be the beginning of its name."""
    from reeval.record.reader import find_run, load
    from reeval.report.show import attempt_lines, find_attempt, run_lines

    if view is not None and attempt is None:
        raise UsageError(f"--{view} shows one attempt: say which with --attempt")
    settings = settings_here()
    found = find_run(settings.root, run, settings.history)
    record = load(found)
    out = stdout()
    if attempt is not None:
        entry, one = find_attempt(record, attempt)
        if as_json:
            print_json(one)
        else:
            lines = attempt_lines(
                record, entry, one, out.terminal, found.folder, view or "overview"
            )
            out.stream_lines(lines)
    elif as_json:
        print_json(record, indent=None)
    else:
        out.stream_lines(run_lines(record, out.terminal, found.folder))
    return 0
