"""Asks runner processes what each eval file declares, several files at once."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from reeval.launcher.command import RunnerCommand
from reeval.launcher.process import Runner
from reeval.plan.declarations import DeclaredEval, flatten, read_declared
from reeval.plan.model import LoadFailure
from reeval.protocol.messages import Declared, LoadError

_Loaded: TypeAlias = tuple[DeclaredEval, ...] | LoadFailure
"""A file's evals, or why there are none."""


@dataclass(frozen=True, slots=True)
class Collected:
    """Every eval in the order of `files`, and the files that didn't load.

    `language_version` is that of the Python that loaded them, None without files.
    """

    evals: tuple[DeclaredEval, ...]
    failures: tuple[LoadFailure, ...]
    language_version: str | None


async def collect(
    files: Sequence[str],
    command: RunnerCommand,
    on_stray: Callable[[str, str], None],
    limit: int | None = None,
) -> Collected:
    """Loads each file in a runner of its own, `limit` (the CPUs) at once, and ends them.

    `on_stray(stream, line)` gets what the files print as they load. Raises `UsageError` when a
    runner can't be started at all.
    """
    slots = asyncio.Semaphore(limit or os.cpu_count() or 1)

    async def one(file: str) -> tuple[_Loaded, str]:
        async with slots:
            return await _load(file, command, on_stray)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(file)) for file in files]
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None
    results = [task.result() for task in tasks]
    return Collected(
        tuple(e for loaded, _ in results if isinstance(loaded, tuple) for e in loaded),
        tuple(loaded for loaded, _ in results if isinstance(loaded, LoadFailure)),
        next((version for _, version in results), None),
    )


async def _load(
    file: str, command: RunnerCommand, on_stray: Callable[[str, str], None]
) -> tuple[_Loaded, str]:
    """What the file declares, and the version of the Python that loaded it."""
    runner = await Runner.start(command, file, on_stray)
    try:
        return _read(file, await runner.collect()), runner.hello.runtime
    finally:
        await runner.close()


def _read(file: str, answer: Declared | LoadError) -> _Loaded:
    if isinstance(answer, LoadError):
        error = answer.error
        first = error.message.strip().splitlines() or [""]
        return LoadFailure(file, f"{error.name}: {first[0]}", error.stack or error.message)
    evals = tuple(flatten(file, read_declared(answer)))
    twice = next((id for id, count in Counter(e.id for e in evals).items() if count > 1), None)
    if twice is not None:
        return LoadFailure(file, f"{twice} is declared twice: give each its own name")
    return evals
