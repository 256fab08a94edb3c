"""What GitHub Actions is told beside the log: where evals failed, and why a run was refused."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from reeval.cli.failures import say
from reeval.config.errors import UsageError

if TYPE_CHECKING:
    from reeval.record.schema import EvalEntry, RunRecord

_MOST = 10
"""Annotations of a step that GitHub shows."""


def failure_commands(record: RunRecord, root: Path, environ: Mapping[str, str]) -> Iterator[str]:
    """A workflow command for each failed eval, the first ten; none where no workflow runs.

    Their text is reeval's own but for names in eval files: nothing an agent said is in it.
    """
    if environ.get("GITHUB_ACTIONS") != "true":
        return
    base = Path(environ.get("GITHUB_WORKSPACE") or root)
    failed = (entry for entry in record["evals"] if entry["outcome"] == "fail")
    for entry in islice(failed, _MOST):
        yield _annotation(entry, os.path.relpath(root, base))


def _annotation(entry: EvalEntry, folder: str) -> str:
    from reeval.report.failures import grouped
    from reeval.report.labels import eval_title
    from reeval.report.text import one_line

    places = (group.finding.place for group in grouped(entry))
    file, _, line = next(filter(None, places), "").rpartition(":")
    where = [f"file={_property(os.path.normpath(Path(folder, file or entry['file'])))}"]
    if line.isdecimal():
        where.append(f"line={line}")
    title = one_line(eval_title(entry["file"], entry["group"], entry["name"]))
    said = _data(f"{title}: {_why(entry)}")
    return f"::error {','.join([*where, 'title=reeval'])}::{said}"


def _why(entry: EvalEntry) -> str:
    from reeval.report.text import plural

    cells = [cell for cell in entry["cells"] if cell["outcome"] == "fail"]
    failed = sum(cell["fail"] for cell in cells)
    counted = failed + sum(cell["pass"] for cell in cells)
    low = any("minLift" in cell.get("lift", {}) for cell in cells)
    if low and not failed:
        return "its lift is below min_lift"
    return f"{failed:,} of {plural(counted, 'attempt')} failed"


def _data(text: str) -> str:
    """Escaped as GitHub wants the text of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


@contextmanager
def refusals_told(environ: Mapping[str, str]) -> Iterator[None]:
    """A `UsageError` inside is raised on, and said in the job's summary, if there is one."""
    try:
        yield
    except UsageError as error:
        from reeval.cli.secrecy import secrets
        from reeval.report.markdown import escape
        from reeval.report.summary_md import append_step_summary

        page = f"## ❌ reeval did not run\n\n{escape(secrets.hide(str(error)))}\n"
        try:
            append_step_summary(page, environ)
        except OSError as lost:
            say(f"warning: the summary can't be written: {lost.strerror}")
        raise
