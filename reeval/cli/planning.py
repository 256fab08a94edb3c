"""From a command line to a plan: what `run`, `list` and `config --eval` share."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from reeval.cli import completing
from reeval.protocol.cuts import CUT

if TYPE_CHECKING:
    from reeval.config.model import Settings
    from reeval.plan.model import LoadFailure, Plan

STRAY_LINES = 1000
"""Lines that eval files print as they load which are shown."""


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
        click.option(
            "--only-changed",
            is_flag=True,
            help="Only evals that changed since they last passed, or didn't pass.",
        ),
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
    """The plan for a selection. Raises `UsageError`.

    What eval files print as they load is held until the secrets among it are known, then said.
    """
    import asyncio

    from reeval.cli import secrecy
    from reeval.plan.make import make_plan
    from reeval.plan.request import PlanRequest
    from reeval.record.reader import durations, passed

    strays = _Strays()
    request = PlanRequest(
        selectors=selection.selectors,
        tags=selection.tags,
        harness=selection.harness,
        profile=selection.profile,
        only_changed=passed(settings.root) if selection.only_changed else None,
        runs=selection.runs,
        environment=selection.environment,
        timeout=selection.timeout,
        to_run=to_run,
        past=durations(settings.root),
        on_stray=strays.hold,
    )
    plan: Plan | None = None
    try:
        plan = asyncio.run(make_plan(settings, request, os.environ))
    finally:
        if plan is not None:
            secrecy.secrets.learn(plan.secrets)
        if plan is None or plan.failures or strays:
            _learn_all_named(settings)
        strays.say()
    # A run loads the files again, and masks what it knows.
    values = {**secrecy.secrets.values, **plan.secrets}
    return replace(plan, failures=tuple(map(_hidden, plan.failures)), secrets=values)


def _learn_all_named(settings: Settings) -> None:
    """A file may show a secret that no eval of the plan uses."""
    from reeval.cli import secrecy
    from reeval.config.secrets import host_variables, secret_values
    from reeval.plan.discover import discover

    files = discover(settings.root, settings.evals)
    named = (
        *secrecy.named_in_settings(settings),
        *secrecy.named_in_sources(settings.root, files),
    )
    secrecy.secrets.learn(secret_values(named, host_variables(settings.root, os.environ)).values)


def _hidden(failure: LoadFailure) -> LoadFailure:
    from reeval.cli.secrecy import secrets

    message, detail = secrets.hide(failure.message), secrets.hide(failure.detail)
    return replace(failure, message=message, detail=detail)


class _Strays:
    """The first lines that eval files print as they load, and the count of the others."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._more = 0

    def __len__(self) -> int:
        return len(self._lines)

    def hold(self, stream: str, line: str) -> None:
        if len(self._lines) < STRAY_LINES:
            self._lines.append(line)
        else:
            self._more += 1

    def say(self) -> None:
        from reeval.cli.failures import say

        for line in self._lines:
            say(line)
        if self._more:
            say(f"{CUT} {self._more:,} more lines were printed as the eval files loaded")
