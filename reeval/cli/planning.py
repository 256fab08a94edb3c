"""From a command line to a plan: what `run`, `list` and `config --eval` share."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reeval.cli import completing

if TYPE_CHECKING:
    from reeval.config.model import Settings
    from reeval.plan.model import Plan


@dataclass(frozen=True, slots=True)
class Selection:
    """What the command line selects and overrides."""

    selectors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    harness: tuple[str, ...] = ()
    profile: str | None = None
    only_changed: bool = False
    runs: int | None = None
    environment: str | None = None
    timeout: str | None = None


def selection_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that make a `Selection`, which the command gets as `selection`."""
    options = [
        click.argument(
            "selectors", nargs=-1, metavar="[EVAL]...", shell_complete=completing.eval_files
        ),
        click.option(
            "--tag", "tags", multiple=True, help="Only evals with this tag; !TAG without."
        ),
        click.option(
            "--harness",
            multiple=True,
            help="Only this agent, by id, name or kind.",
            shell_complete=completing.harnesses,
        ),
        click.option(
            "--profile",
            help="Size the run with this profile.",
            shell_complete=completing.profiles,
        ),
        click.option("--only-changed", is_flag=True, help="Only evals the latest run didn't have."),
        click.option("--runs", type=click.IntRange(min=1), help="Attempts a cell."),
        click.option(
            "--environment",
            help="Run in this environment of reeval.toml.",
            shell_complete=completing.environments,
        ),
        click.option("--timeout", help="Per attempt, such as 90s or 10m."),
    ]

    @functools.wraps(function)  # the options set below this decorator go with it
    def command(**given: Any) -> Any:
        names = Selection.__dataclass_fields__
        chosen = {name: given.pop(name) for name in names}
        return function(selection=Selection(**chosen), **given)

    decorated: Callable[..., Any] = command
    for option in reversed(options):
        decorated = option(decorated)
    return decorated


def plan_here(settings: Settings, selection: Selection, *, to_run: bool) -> Plan:
    """The plan for a selection. Raises `UsageError`."""
    import asyncio

    from reeval.plan.make import make_plan
    from reeval.plan.request import PlanRequest
    from reeval.record.reader import durations

    request = PlanRequest(
        selectors=selection.selectors,
        tags=selection.tags,
        harness=selection.harness,
        profile=selection.profile,
        only_changed=_not_in_latest(settings.root) if selection.only_changed else None,
        runs=selection.runs,
        environment=selection.environment,
        timeout=selection.timeout,
        to_run=to_run,
        past=durations(settings.root),
        on_stray=_show_stray,
    )
    return asyncio.run(make_plan(settings, request, os.environ))


def _not_in_latest(root: Path) -> Callable[[str], bool]:
    from reeval.record.reader import fingerprints

    known = set(fingerprints(root).values())
    return lambda fingerprint: fingerprint not in known


def _show_stray(stream: str, line: str) -> None:
    from reeval.cli.failures import say

    say(line)
