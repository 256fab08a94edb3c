"""`reeval record`: copies a run to the history folder."""

from __future__ import annotations

import click

from reeval.cli.completing import run_ids
from reeval.cli.output import stdout
from reeval.cli.project import as_typed, settings_here

EPILOG = """\b
Examples:
  reeval record                 the latest run
  reeval record 20261130T1740   the run whose name begins so"""


@click.command("record", epilog=EPILOG)
@click.argument("run", required=False, shell_complete=run_ids)
def command(run: str | None) -> int:
    """Copy a run to the history folder, which is committed with the project."""
    from reeval.record.history import record_run
    from reeval.record.reader import find_run

    settings = settings_here()
    copy = record_run(settings.root, find_run(settings.root, run), settings.history)
    stdout().lines([f"recorded in {as_typed(copy)}"])
    return 0
