"""`reeval list`: what a run would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reeval.cli.output import no_color, print_json, stdout
from reeval.cli.planning import Selection, plan_here, selection_options
from reeval.cli.project import settings_here

if TYPE_CHECKING:
    from reeval.config.model import Settings
    from reeval.plan.model import Plan

EPILOG = """\b
Examples:
  reeval list               every eval, its cells and attempts
  reeval list --tag smoke   those with a tag
  reeval list --json        the same as JSON"""


@click.command("list", epilog=EPILOG)
@selection_options
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@no_color
def command(selection: Selection, as_json: bool) -> int:
    """Show what a run would do: evals, cells, attempts."""
    settings = settings_here()
    return print_plan(settings, plan_here(settings, selection, to_run=False), as_json=as_json)


def print_plan(settings: Settings, plan: Plan, *, as_json: bool) -> int:
    """Prints a plan; 1 when an eval file of it didn't load."""
    from reeval.cli.secrecy import secrets
    from reeval.record.reader import durations
    from reeval.report.plan_text import plan_json, plan_lines

    past = durations(settings.root)
    if as_json:
        print_json(secrets.hide_in(plan_json(plan, past)))
    else:
        out = stdout()
        out.lines(map(secrets.hide, plan.notes))
        out.stream_lines(map(secrets.hide, plan_lines(plan, out.terminal, past)))
    return 1 if plan.failures else 0
