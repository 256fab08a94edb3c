"""`reeval doctor`: what is missing for this project on this machine, and how to get it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reeval.cli.output import no_color, print_json, stdout

if TYPE_CHECKING:
    from reeval.cli.checkup import Diagnosis
    from reeval.report.terminal import Style, Terminal

EPILOG = """\b
Examples:
  reeval doctor                                        this machine and this project
  reeval doctor --json | jq '.checks[] | select(.status == "missing")'

\b
Exit codes:
  0 nothing this project needs is missing · 1 something is"""


@click.command("doctor", epilog=EPILOG)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@no_color
def command(as_json: bool) -> int:
    """Say what is missing on this machine, and how to get it."""
    from reeval.cli.checkup import checkup

    out = stdout()
    diagnoses: list[Diagnosis] = []
    for diagnosis in checkup(Path.cwd(), os.environ):
        diagnoses.append(diagnosis)
        if not as_json:
            out.lines(_lines(diagnosis, out.terminal))
    missing = sum(diagnosis.status == "missing" for diagnosis in diagnoses)
    if as_json:
        checks = [
            {"name": one.name, "status": one.status, "found": one.found, "fix": one.fix or None}
            for one in diagnoses
        ]
        print_json({"ok": missing == 0, "checks": checks})
    else:
        out.lines(["", _verdict(missing)])
    return 1 if missing else 0


def _lines(diagnosis: Diagnosis, terminal: Terminal) -> Iterator[str]:
    styles: dict[str, Style] = {"ok": "green", "note": "yellow", "missing": "red"}
    status = terminal.paint(diagnosis.status, styles[diagnosis.status])
    first, *more = diagnosis.found.splitlines() or [""]
    yield f"{status}{' ' * (9 - len(diagnosis.status))}{diagnosis.name:<11}{first}"
    yield from (f"{'':20}{line}" for line in more)
    if diagnosis.fix:
        yield f"{'':20}→ {diagnosis.fix}"


def _verdict(missing: int) -> str:
    if not missing:
        return "nothing is missing"
    return "1 thing is missing" if missing == 1 else f"{missing} things are missing"
