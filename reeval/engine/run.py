"""A run from its plan to its record: starts attempts, journals what ended, folds it at the end."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from reeval.engine.attempt import Attempt, RunContext, Unit
from reeval.engine.events import (
    AttemptEnded,
    AttemptStarted,
    Notice,
    Output,
    RunEnded,
    RunError,
    RunStarted,
    Stopping,
)
from reeval.engine.leftovers import run_marker
from reeval.engine.runners import RunnerPool
from reeval.engine.schedule import Next, Schedule
from reeval.engine.signals import INTERRUPTED, Signals
from reeval.engine.stream import EventStream, Subscriber
from reeval.harness.events import now
from reeval.launcher.command import runner_command
from reeval.masking.masker import Masker
from reeval.plan.model import Plan
from reeval.record.entries import (
    End,
    Started,
    StopReason,
    end_entry,
    ended_entry,
    error_entry,
    started_entry,
)
from reeval.record.filing import Filing
from reeval.record.fold import fold
from reeval.record.journal import Journal, JournalError
from reeval.record.opening import open_run
from reeval.record.places import ready_runs_folder
from reeval.record.redact import redact
from reeval.record.schema import ArtifactLevel, AttemptRecord

EXIT_FAILED = 1
EXIT_INFRA = 3

ENDED_AT_MOST = 32
"""Attempts that have ended and wait to be written; more would only fill the memory."""

Status = Literal["complete", "interrupted", "budget"]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run a plan. `bail`: stop after so many gated failures; `concurrency`: or a default."""

    environ: Mapping[str, str]
    concurrency: int | None = None
    bail: int | None = None
    artifacts: ArtifactLevel = "all"


@dataclass(frozen=True, slots=True)
class RunResult:
    """`record` is None when it couldn't be written; then `problem` says why."""

    run_id: str
    status: Status
    exit_code: int
    record: Path | None
    summary: Mapping[str, Any]
    problem: str | None = None
    notes: tuple[str, ...] = ()
    """Sentences on reports that stopped while the run went on."""


async def run_plan(
    plan: Plan, options: RunOptions, subscribers: Sequence[Subscriber] = ()
) -> RunResult:
    """Runs every attempt of a plan and writes the record.

    Raises `UsageError` before anything runs, when the records folder can't be written.
    """
    return await _Run(plan, options, EventStream(subscribers)).go()


def default_concurrency() -> int:
    """Attempts at once where nothing says: two a processor, and a gigabyte of memory for each."""
    processors = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    )
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        memory = 4 << 30
    return max(1, min(2 * (processors or 1), memory >> 30))


class _Run:
    def __init__(self, plan: Plan, options: RunOptions, stream: EventStream) -> None:
        self._plan = plan
        self._options = options
        self._stream = stream
        self._masker = Masker(plan.secrets)
        self._schedule = Schedule(plan)
        self._concurrency = (
            options.concurrency or plan.settings.concurrency or default_concurrency()
        )
        self._started = 0
        self._gated_failures = 0
        self._stop: StopReason | None = None
        self._live: dict[Attempt, None] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle = asyncio.Event()
        self._failed = False
        self._lost: JournalError | None = None
        self._journal: Journal
        self._context: RunContext

    async def go(self) -> RunResult:
        began = time.monotonic()
        with Signals(self._interrupt):
            run_id = await self._open()
            await self._run_all()
            return await self._end(run_id, (time.monotonic() - began) * 1000)

    # ── opening ──────────────────────────────────────────────────────────────────────────────

    async def _open(self) -> str:
        """Claims the run's name and writes its plan, before anything runs."""
        plan, started = self._plan, datetime.now(UTC)
        runs = ready_runs_folder(plan.settings.root)
        opened = await asyncio.to_thread(
            open_run,
            plan,
            runs,
            started,
            concurrency=self._concurrency,
            artifacts=self._options.artifacts,
            environ=self._options.environ,
            masker=self._masker,
        )
        self._journal = opened.journal
        run_id = opened.run_id
        self._context = RunContext(
            run_marker(plan.settings.root, run_id),
            runs / run_id,
            self._stream,
            self._masker,
            plan.secrets,
            self._runners(),
            Filing(),
            self._options.artifacts,
        )
        self._stream.publish(RunStarted(run_id, plan, self._concurrency, started.timestamp()))
        for warning in self._masker.warnings:
            self._stream.publish(Notice(warning))
        for failure in plan.failures:
            self._error(f"{failure.file} did not load: {failure.message}")
        return run_id

    def _runners(self) -> RunnerPool:
        plan, settings = self._plan, self._plan.settings
        hashes = {s["path"]: s["sha256"] for e in plan.evals for s in e.sources}
        attempts: Counter[str] = Counter()
        for planned in plan.evals:
            if planned.skip is None:
                attempts[planned.file] += sum(cell.runs for cell in planned.cells)
        command = runner_command(settings, self._options.environ)
        return RunnerPool(command, settings.root, hashes, attempts, self._on_stray)

    def _on_stray(self, stream: str, text: str) -> None:
        text = self._masker.text(text)
        self._stream.publish(Output(None, "stderr" if stream == "stderr" else "stdout", text))

    # ── running ──────────────────────────────────────────────────────────────────────────────

    async def _run_all(self) -> None:
        """Returns when every attempt that was started has ended and is journaled."""
        budget = self._budget_timer()
        try:
            self._fill()
            if self._tasks:
                await self._idle.wait()
        finally:
            if budget is not None:
                budget.cancel()
            await self._context.pool.close()
            self._context.filing.close()

    def _budget_timer(self) -> asyncio.TimerHandle | None:
        duration = self._plan.settings.budget.duration
        if duration is None:
            return None
        return asyncio.get_running_loop().call_later(duration, self._stop_starting, "budget")

    def _fill(self) -> None:
        """Starts attempts while there is room for them, and the disk keeps up."""
        while (
            self._stop is None
            and len(self._live) < self._concurrency
            and len(self._tasks) < self._concurrency + ENDED_AT_MOST
        ):
            turn = self._schedule.take()
            if turn is None:
                return
            self._started += 1
            unit = Unit(turn.planned, turn.cell, turn.n, self._started, now())
            attempt = Attempt(unit, self._context)
            self._live[attempt] = None
            task = asyncio.create_task(self._run_one(turn, unit, attempt), name=unit.key)
            self._tasks.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            # reeval's own fault: the attempt has no result, and the run can't pass without it.
            self._error(f"{task.get_name()}: reeval failed: {type(error).__name__}: {error}")
        self._fill()
        if not self._tasks:
            self._idle.set()

    async def _run_one(self, turn: Next, unit: Unit, attempt: Attempt) -> None:
        self._announce(unit)
        try:
            if not await attempt.run(alone=False):
                attempt = self._again(unit, attempt)
                await attempt.run(alone=True)
                if attempt.died is not None:
                    self._error(f"{unit.key}: the eval's process ended: {attempt.died.reason}")
            # Before the next one is started in its place: a failed one may be the last.
            self._count(unit, attempt.decided.outcome)
        finally:
            self._live.pop(attempt, None)
            self._schedule.give_back(turn)
            self._fill()
        await self._keep(unit, await attempt.record())
        await self._context.pool.done(unit.planned.file)

    def _count(self, unit: Unit, outcome: str) -> None:
        if outcome == "fail" and unit.cell.gate != "none":
            self._failed = True
            self._gated_failures += 1
            bail = self._options.bail
            if bail is not None and self._gated_failures >= bail:
                self._stop_starting("bail")

    def _again(self, unit: Unit, attempt: Attempt) -> Attempt:
        died = attempt.died
        assert died is not None, "an attempt without a record died"
        self._stream.publish(
            Notice(
                f"{unit.key}: the eval's process ended ({died.reason}); "
                "it runs once more, alone: its turns repeat"
            )
        )
        again = Attempt(unit, self._context)
        self._live[again] = None
        del self._live[attempt]
        if self._stop == "interrupt":
            again.stop()
        return again

    def _announce(self, unit: Unit) -> None:
        started: Started = {
            "key": unit.key,
            "cell": unit.cell.key,
            "n": unit.n,
            "seq": unit.seq,
            "startedAt": unit.started_at,
        }
        self._journal.post(started_entry(redact(started, self._masker)))
        self._stream.publish(
            AttemptStarted(unit.key, unit.planned, unit.cell, unit.n, unit.seq, time.time())
        )

    async def _keep(self, unit: Unit, record: AttemptRecord) -> None:
        """Journals an attempt; only once it is synced is anyone told that it ended."""
        record = redact(record, self._masker)
        try:
            await self._journal.append(ended_entry(record))
        except JournalError as error:
            self._lose(error)
            return
        self._stream.publish(AttemptEnded(unit.key, unit.planned, unit.cell, record))

    def _lose(self, error: JournalError) -> None:
        """A result can't be kept: there is no point in paying for more of them."""
        if self._lost is None:
            self._lost = error
            self._stream.publish(RunError(str(error)))
            self._stop_starting("interrupt")

    def _error(self, message: str) -> None:
        message = self._masker.text(message)
        self._failed = True
        self._journal.post(error_entry(message))
        self._stream.publish(RunError(message))

    # ── stopping ─────────────────────────────────────────────────────────────────────────────

    def _stop_starting(self, reason: StopReason) -> None:
        if self._stop is None and not self._schedule.exhausted:
            self._stop = reason
            self._stream.publish(Stopping(reason))

    def _interrupt(self) -> None:
        """The first Ctrl-C: nothing new starts, what runs is stopped within its grace."""
        self._stop = "interrupt"
        self._stream.publish(Stopping("interrupt"))
        for attempt in tuple(self._live):
            attempt.stop()

    # ── ending ───────────────────────────────────────────────────────────────────────────────

    async def _end(self, run_id: str, took_ms: float) -> RunResult:
        interrupted = self._stop == "interrupt"
        status: Status = "interrupted" if interrupted else "complete"
        if self._stop == "budget":
            status = "budget"
        end: End = {"status": status, "endedAt": now(), "durationMs": round(took_ms)}
        if self._stop is not None:
            end["stopped"] = self._stop
        result = await self._write_record(run_id, status, end)
        self._stream.publish(
            RunEnded(
                run_id, status, result.exit_code, result.summary,
                None if result.record is None else str(result.record), took_ms,
            )
        )  # fmt: skip
        return replace(result, notes=tuple(self._stream.broken))

    async def _write_record(self, run_id: str, status: Status, end: End) -> RunResult:
        """Folds the journal. What can't be written stays in it, and `reeval recover` folds it."""
        try:
            try:
                await self._journal.append(end_entry(end))
                folded = await asyncio.to_thread(fold, self._journal.path)
            finally:
                self._journal.close()
        except (OSError, JournalError) as error:
            problem = (
                f"the record can't be written ({error}): what finished is kept in "
                f"{self._journal.path}; free space, then run `reeval recover`"
            )
            return RunResult(run_id, status, self._exit_code(), None, {}, problem)
        code = folded.exit_code if self._lost is None else self._exit_code()
        return RunResult(run_id, status, code, folded.record, dict(folded.summary))

    def _exit_code(self) -> int:
        """The exit code of a run whose results could not all be kept."""
        if self._stop == "interrupt" and self._lost is None:
            return INTERRUPTED
        return EXIT_FAILED if self._failed else EXIT_INFRA
