"""What is made of a finished run's record: `summary.md`, the CI's summary, results, the copy."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from reeval.cli.failures import say
from reeval.cli.output import stdout
from reeval.cli.project import as_typed
from reeval.config.errors import UsageError

if TYPE_CHECKING:
    from reeval.config.model import Settings
    from reeval.record.reader import RunPath
    from reeval.record.schema import RecordMode, RunRecord

SUMMARY = "summary.md"


@contextmanager
def reporting(what: str) -> Iterator[None]:
    """One part of a report. What it raises is said on stderr, and costs neither another part nor
    the run its exit code.
    """
    try:
        yield
    except (UsageError, OSError) as error:
        say(f"warning: {what}: {error}")
    except Exception as error:
        say(f"warning: {what}: reeval failed: {type(error).__name__}: {error}")
        if os.environ.get("REEVAL_TRACEBACK"):
            traceback.print_exception(error)


def report_run(
    settings: Settings, record: Path, *, quiet: bool, record_mode: RecordMode, logged: bool
) -> None:
    """Reports a run from its record alone. A part that can't be made is said, not raised.

    `logged`: the logs of what failed were shown already.
    """
    from reeval.record.reader import RunPath
    from reeval.record.stored import stored

    run = RunPath(record.stem, record, record.parent / record.stem)
    with reporting("the run can't be reported"):
        written = stored(run)
        write_summary(run.folder, written, for_ci=True)
        if not quiet:
            _print_results(run.folder, written, logged=logged)
            _annotate(settings.root, written)
    with reporting("the run can't be copied to the history"):
        _record(settings, run, quiet=quiet, mode=record_mode)


def write_summary(folder: Path, record: RunRecord, *, for_ci: bool) -> None:
    """Writes `summary.md` beside the run's artifacts; `for_ci`: into the job's own summary, too."""
    from reeval.record.places import write_whole
    from reeval.report.summary_md import append_step_summary, summary_markdown

    with reporting("the summary can't be made"):
        page = summary_markdown(record)
        with reporting("the summary can't be written"):
            write_whole(folder / SUMMARY, page.encode("utf-8", "replace"))
        if for_ci:
            with reporting("the summary can't be written"):
                append_step_summary(page, os.environ)


def _print_results(folder: Path, record: RunRecord, *, logged: bool) -> None:
    from reeval.report.results import results_lines

    out = stdout()
    with reporting("the results can't be shown"):
        lines = results_lines(record, out.terminal, as_typed(folder), logged=logged)
        out.stream_lines(lines)


def _annotate(root: Path, record: RunRecord) -> None:
    from reeval.cli.github import failure_commands

    with reporting("the failures can't be shown in the pull request"):
        stdout().raw("".join(f"{line}\n" for line in failure_commands(record, root, os.environ)))


def _record(settings: Settings, run: RunPath, *, quiet: bool, mode: RecordMode) -> None:
    from reeval.record.history import is_recorded, record_run

    if is_recorded(mode, os.environ):
        copy = record_run(settings.root, run, settings.history)
        if not quiet:
            stdout().lines([f"recorded in {as_typed(copy)}"])
