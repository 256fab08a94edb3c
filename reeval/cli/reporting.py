"""What is made of a finished run's record: `summary.md`, the CI's summary, results, the copy."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from reeval.cli.failures import say
from reeval.cli.output import stdout
from reeval.cli.project import as_typed
from reeval.config.errors import UsageError

if TYPE_CHECKING:
    from reeval.config.model import Settings
    from reeval.record.schema import RunRecord

SUMMARY = "summary.md"


def report_run(settings: Settings, record: Path, *, quiet: bool, record_mode: str) -> None:
    """Reports a run from its record alone. A report that can't be written is said, not raised."""
    from reeval.record.history import is_recorded, record_run
    from reeval.record.reader import RunPath
    from reeval.record.stored import stored

    run = RunPath(record.stem, record, record.parent / record.stem)
    written = stored(run)
    write_summary(run.folder, written)
    if not quiet:
        from reeval.report.results import results_lines

        out = stdout()
        out.stream_lines(results_lines(written, out.terminal, as_typed(run.folder)))
    if is_recorded(record_mode, os.environ):  # type: ignore[arg-type]  # click checked the choice
        try:
            copy = record_run(settings.root, run, settings.history)
        except UsageError as error:
            say(f"warning: {error}")
        else:
            if not quiet:
                stdout().lines([f"recorded in {as_typed(copy)}"])


def write_summary(folder: Path, record: RunRecord) -> None:
    """Writes `summary.md` beside the run's artifacts, and the CI's own summary where it has one."""
    from reeval.record.places import write_whole
    from reeval.report.summary_md import append_step_summary, summary_markdown

    page = summary_markdown(record)
    try:
        write_whole(folder / SUMMARY, page.encode("utf-8", "replace"))
        append_step_summary(page, os.environ)
    except OSError as error:
        say(f"warning: the summary can't be written: {error}")
