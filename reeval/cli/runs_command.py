"""`reeval runs`: the stored runs."""

from __future__ import annotations

import click

from reeval.cli.output import no_color, print_json, stdout
from reeval.cli.project import settings_here

EPILOG = """\b
Examples:
  reeval runs                          every stored run, the newest first
  reeval runs --json | jq '.[].runId'  their names"""


@click.command("runs", epilog=EPILOG)
@click.option("--json", "as_json", is_flag=True, help="The head of each record, as JSON.")
@no_color
def command(as_json: bool) -> int:
    """List the stored runs."""
    from reeval.record.reader import list_runs, read_head
    from reeval.report.runs import runs_lines

    settings = settings_here()
    heads = (read_head(run) for run in list_runs(settings.root, settings.history))
    if as_json:
        print_json(list(heads))
    else:
        out = stdout()
        out.stream_lines(runs_lines(heads, out.terminal))
    return 0
