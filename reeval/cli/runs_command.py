"""`reeval runs`: the stored runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reeval.cli.output import no_color, print_json, stdout
from reeval.cli.project import settings_here

if TYPE_CHECKING:
    from reeval.record.reader import Listed

EPILOG = """\b
Examples:
  reeval runs                          every stored run, the newest first
  reeval runs --json | jq '.[].runId'  their names"""


@click.command("runs", epilog=EPILOG)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="The head of each record, as JSON; where it can't be read, its runId and error.",
)
@no_color
def command(as_json: bool) -> int:
    """List the stored runs."""
    from reeval.record.reader import list_runs, read_heads
    from reeval.report.runs import runs_lines

    settings = settings_here()
    runs = read_heads(list_runs(settings.root, settings.history))
    if as_json:
        print_json([_as_json(run) for run in runs])
    else:
        out = stdout()
        out.stream_lines(runs_lines(runs, out.terminal))
    return 0


def _as_json(run: Listed) -> object:
    """The record's head, with `live` when the run goes on; or the run's name and what is wrong."""
    if run.head is None:
        return {"runId": run.run_id, "error": run.problem}
    return {**run.head, "live": True} if run.state == "running" else run.head
