"""Asks runner processes what each eval file declares, several files at once."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reeval.launcher.command import RunnerCommand
from reeval.launcher.process import Runner
from reeval.plan.declarations import DeclaredEval, flatten, read_declared
from reeval.plan.model import LoadFailure
from reeval.protocol.messages import LoadError


@dataclass(frozen=True, slots=True)
class Collected:
    """Every eval in the order of `files`, and the files that didn't load."""

    evals: tuple[DeclaredEval, ...]
    failures: tuple[LoadFailure, ...]


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

    async def one(file: str) -> tuple[DeclaredEval, ...] | LoadFailure:
        async with slots:
            return await _load(file, command, on_stray)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(file)) for file in files]
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None
    results = [task.result() for task in tasks]
    return Collected(
        tuple(e for found in results if isinstance(found, tuple) for e in found),
        tuple(found for found in results if isinstance(found, LoadFailure)),
    )


async def _load(
    file: str, command: RunnerCommand, on_stray: Callable[[str, str], None]
) -> tuple[DeclaredEval, ...] | LoadFailure:
    runner = await Runner.start(command, file, on_stray)
    try:
        answer = await runner.collect()
    finally:
        await runner.close()
    if isinstance(answer, LoadError):
        error = answer.error
        first = error.message.strip().splitlines() or [""]
        return LoadFailure(file, f"{error.name}: {first[0]}", error.stack or error.message)
    evals = tuple(flatten(file, read_declared(answer)))
    twice = next((id for id, count in Counter(e.id for e in evals).items() if count > 1), None)
    if twice is not None:
        return LoadFailure(file, f"{twice} is declared twice: give each its own name")
    return evals
