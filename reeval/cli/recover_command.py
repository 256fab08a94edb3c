"""`reeval recover`: runs that were killed get their record, and what they left running is ended."""

from __future__ import annotations

from pathlib import Path

import click

from reeval.cli.output import stdout
from reeval.cli.project import settings_here

EPILOG = """\b
Examples:
  reeval recover    every run that ended without a record; `reeval run` does it first, too"""


@click.command("recover", epilog=EPILOG)
def command() -> int:
    """Write the records of runs that were killed. Runs that still run are left alone."""
    return recover_all(settings_here().root, announce_none=True)


def recover_all(root: Path, *, announce_none: bool) -> int:
    """Recovers every dead run of a project, a line on stderr for each; 1 when one couldn't be."""
    from reeval.cli.failures import say
    from reeval.cli.reporting import write_summary
    from reeval.record.reader import RunPath
    from reeval.record.recover import recover
    from reeval.record.stored import stored
    from reeval.report.text import plural

    recovered = recover(root)
    if recovered:
        from reeval.engine.leftovers import end_leftovers_of

        end_leftovers_of(root, [run.run_id for run in recovered])
    elif announce_none:
        stdout().lines(["no run needs recovering"])
    for run in recovered:
        for note in run.notes:
            say(f"warning: {note}")
        if run.record is not None and run.summary is not None:
            kept = run.summary["pass"] + run.summary["fail"]
            say(f"recovered {run.run_id}: {plural(kept, 'attempt')} had finished")
            folder = run.record.parent / run.run_id
            folder.mkdir(exist_ok=True)
            write_summary(folder, stored(RunPath(run.run_id, run.record, folder)), for_ci=False)
    return int(any(run.record is None for run in recovered))
