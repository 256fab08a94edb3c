"""`reeval run`: plan, run, record, summary, exit code."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reeval.cli.failures import say
from reeval.cli.github import refusals_told
from reeval.cli.output import no_color, stdout
from reeval.cli.planning import Selection, plan_here, selection_options
from reeval.cli.project import settings_here

if TYPE_CHECKING:
    from reeval.config.model import Settings
    from reeval.engine.events import RunEvent
    from reeval.engine.run import RunResult
    from reeval.plan.model import Plan
    from reeval.record.schema import RecordMode
    from reeval.report.reporter import Reporter, ReportOptions

EPILOG = """\b
Examples:
  reeval run                              every eval
  reeval run evals/greet.eval.py          the evals of a file
  reeval run greet                        those with "greet" in their name
  reeval run 'evals/greet.eval.py::group › name'
  reeval run --tag smoke --runs 5 --bail  five attempts a cell, stop at the first failure
  reeval run --json | jq .type            a stream of events

\b
Exit codes:
  0 passed · 1 failed · 2 usage · 3 infra errors or attempts left unstarted · 130 interrupted"""


@click.command("run", epilog=EPILOG)
@selection_options
@click.option("--concurrency", type=click.IntRange(min=1), help="Attempts at once.")
@click.option(
    "--bail", type=click.IntRange(min=1), is_flag=False, flag_value=1,
    help="Stop after N failures (1 when no number is given).", metavar="[N]",
)  # fmt: skip
@click.option(
    "--artifacts", type=click.Choice(["all", "failures", "none"]), help="Whose files to keep."
)
@click.option(
    "--record",
    type=click.Choice(["manual", "ci", "always"]),
    help="Which runs to copy to the history.",
)
@click.option("--dry-run", is_flag=True, help="Show the plan and stop.")
@click.option("-v", "--verbose", is_flag=True, help="Each phase of each attempt, as it happens.")
@click.option("--json", "as_json", is_flag=True, help="Events as JSON lines, then one summary.")
@click.option(
    "--log-order",
    type=click.Choice(["grouped", "stream"]),
    default="grouped",
    show_default=True,
    help="An attempt's log in one piece, or line by line.",
)
@click.option(
    "--output-logs",
    type=click.Choice(["full", "failures", "none"]),
    default="failures",
    show_default=True,
    help="Whose logs to show: all, of what failed, none.",
)
@no_color
def command(selection: Selection, **given: Any) -> int:
    """Run evals and write a record of what happened."""
    from reeval.report.reporter import ReportOptions

    report = ReportOptions(
        json=given["as_json"],
        verbose=given["verbose"],
        order=given["log_order"],
        logs=given["output_logs"],
    )
    with refusals_told(os.environ):
        settings = settings_here()
        if given["dry_run"]:
            return _dry_run(settings, selection, as_json=report.json)
        _recover(settings.root)
        plan = plan_here(settings, selection, to_run=True)
    if selection.only_changed and not plan.attempts and not plan.failures:
        return _nothing_to_run(plan, report)
    return _run(plan, report, given)


def _nothing_to_run(plan: Plan, report: ReportOptions) -> int:
    """Says so, on stderr where stdout has events, and leaves no record."""
    for line in plan.warnings:
        if report.json:
            say(line)
        else:
            stdout().lines([line])
    return 0


def _dry_run(settings: Settings, selection: Selection, *, as_json: bool) -> int:
    from reeval.cli.list_command import print_plan

    return print_plan(settings, plan_here(settings, selection, to_run=True), as_json=as_json)


def _recover(root: Path) -> None:
    """Runs that were killed get their record first, so that nothing that finished is lost."""
    from reeval.cli.recover_command import recover_all

    recover_all(root, announce_none=False)


def _run(plan: Plan, report: ReportOptions, given: dict[str, Any]) -> int:
    import asyncio

    from reeval.cli.reporting import reporting
    from reeval.cli.secrecy import secrets
    from reeval.engine.run import RunOptions, run_plan
    from reeval.report.reporter import make_reporter

    options = RunOptions(
        os.environ, given["concurrency"], given["bail"],
        given["artifacts"] or plan.settings.artifacts,
    )  # fmt: skip
    if not report.json:
        stdout().lines(plan.notes)
    reporter = make_reporter(report, sys.stdout, os.environ, secrets.hide)
    last: deque[RunEvent] = deque(maxlen=1)
    try:
        result = asyncio.run(run_plan(plan, options, [reporter.on_event, last.append]))
    finally:
        with reporting("the report can't be ended"):
            reporter.close()
    for note in result.notes:
        say(f"warning: {note}")
    if report.json:
        with reporting("the summary line can't be written"):
            _end_json(reporter, last)
    return _finish(plan.settings, result, report, given["record"] or plan.settings.record)


def _end_json(reporter: Reporter, last: Iterable[RunEvent]) -> None:
    """The stream's last line says how the run ended, also where the report stopped before it."""
    from reeval.report.json_stream import JsonReporter

    if isinstance(reporter, JsonReporter) and not reporter.ended:
        for event in last:
            reporter.on_event(event)


def _finish(
    settings: Settings, result: RunResult, report: ReportOptions, record: RecordMode
) -> int:
    if result.record is None:
        say(f"error: {result.problem}")
        return result.exit_code
    from reeval.cli.reporting import report_run

    logged = report.logs != "none"
    report_run(settings, result.record, quiet=report.json, record_mode=record, logged=logged)
    return result.exit_code
