"""What the shell's completion offers for an argument, without running the project's code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

import click

from reeval.cli.project import settings_here

if TYPE_CHECKING:
    from reeval.config.model import Settings

Complete: TypeAlias = Callable[[click.Context, click.Parameter, str], list[str]]


def from_project(names: Callable[[Settings], Iterable[str]]) -> Complete:
    """Offers the names that begin as typed; none where the project can't be read."""

    def complete(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
        from reeval.config.errors import UsageError

        try:
            return [name for name in names(settings_here()) if name.startswith(typed)]
        except (UsageError, OSError):
            return []

    return complete


def _eval_files(settings: Settings) -> Iterable[str]:
    from reeval.plan.discover import discover

    return discover(settings.root, settings.evals)


def _run_ids(settings: Settings) -> Iterable[str]:
    from reeval.record.reader import list_runs

    return [run.run_id for run in list_runs(settings.root, settings.history)]


eval_files = from_project(_eval_files)
run_ids = from_project(_run_ids)
harnesses = from_project(lambda settings: settings.harnesses)
environments = from_project(lambda settings: settings.environments)
profiles = from_project(lambda settings: settings.profiles)
