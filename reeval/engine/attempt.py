"""One attempt from start to record: the body runs, its calls are served, all is torn down."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

from reeval.engine.calls import Calls
from reeval.engine.checks import Checks
from reeval.engine.eval_clock import EvalClock
from reeval.engine.events import Notice, Output
from reeval.engine.facts import Facts
from reeval.engine.outcome import Decided, decide
from reeval.engine.phases import PhaseLog
from reeval.engine.result import attempt_record
from reeval.engine.runners import RunnerPool, RunnerUnavailable, Seat
from reeval.engine.stage import Stage
from reeval.engine.stream import EventStream
from reeval.engine.turns import Turns
from reeval.engine.variables import resolve_variables
from reeval.harness.events import event_to_json
from reeval.harness.registry import harness_for
from reeval.launcher.process import Runner, RunnerDied
from reeval.masking.masker import Masker
from reeval.plan.model import Cell, PlannedEval
from reeval.plan.names import slug
from reeval.protocol.messages import AttemptInfo, Done, Log, Start
from reeval.record.artifacts import AttemptFolder, keeps_artifacts
from reeval.record.filing import Filed, Filing, file_now
from reeval.record.schema import ArtifactLevel, AttemptFiles, AttemptRecord, FileRef
from reeval.sandbox.providers import open_sandbox

GRACE_S = 3.0
"""How long an agent or a body told to stop may take before reeval moves on without it."""

OUTPUT_LIMIT = 1024 * 1024
"""Characters of what a body prints that are kept with its attempt; the rest is counted."""

_FIELDS = {"setup.log": "setupLog", "transcript.jsonl": "transcript", "diff.patch": "diff"}
"""The files a record has refs to; the others lie beside them."""

_encode = json.JSONEncoder(separators=(",", ":"), default=repr).encode


@dataclass(frozen=True, slots=True)
class Unit:
    """One attempt to run. `seq` is its start order in the run, from 1."""

    planned: PlannedEval
    cell: Cell
    n: int
    seq: int
    started_at: str

    @property
    def key(self) -> str:
        return f"{self.planned.id} # {self.cell.key}#{self.n}"


@dataclass(frozen=True, slots=True)
class RunContext:
    """What every attempt of a run shares. `secrets` is host variable → value.

    `marker` marks the processes of the run's sandboxes, followed by the attempt's number.
    """

    marker: str
    run_dir: Path
    stream: EventStream
    masker: Masker
    secrets: Mapping[str, str]
    pool: RunnerPool
    filing: Filing
    artifacts: ArtifactLevel


class Attempt:
    """Runs one unit once. `stop` may be called at any time and ends it within the grace."""

    def __init__(self, unit: Unit, run: RunContext) -> None:
        self._unit = unit
        self._run = run
        self._facts = Facts()
        self._log = PhaseLog(unit.key, run.stream, run.masker)
        self._clock = EvalClock(unit.planned.options.timeout, self._on_timeout)
        cell = unit.cell
        self._stage = Stage(
            cell,
            harness_for(cell.harness.kind),
            open_sandbox(cell.sandbox, f"{run.marker}{unit.seq}"),
            resolve_variables(cell.env, run.secrets),
            run.secrets,
            self._facts,
            self._clock,
            self._log,
        )
        self._folder = AttemptFolder(
            run.run_dir, unit.planned.slug, slug(cell.key), unit.n, run.masker
        )
        self._turns = Turns(self._stage, self._facts, self._clock, self._log)
        self._checks = Checks(self._stage, self._facts, self._log, self._write_log)
        self._settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._output_size = 0
        self._duration_ms = 0.0
        self.died: RunnerDied | None = None
        self.decided: Decided
        """How it ended; set once `run` has returned True."""

    # ── the whole of it ──────────────────────────────────────────────────────────────────────

    async def run(self, *, alone: bool) -> bool:
        """Runs it to its end; False when its runner died under it, unless it ran `alone`.

        Then nothing of it is kept, and it is to be run once more, alone.
        """
        self._log.line("plan", f"harness {self._unit.cell.harness.id}")
        try:
            seat = await self._take_seat(alone=alone)
        except RunnerUnavailable as error:
            self._facts.fail_infra(str(error))
        else:
            self._log.begin()
            if seat is not None:
                await self._run_body(seat)
        for sentence in self._checks.ended_by_themselves():
            self._keep_output(self._run.masker.text(sentence))
        await self._stage.close()
        if self.died is not None and not alone and not self._facts.given_up:
            self._folder.discard()
            return False
        self._duration_ms = self._log.now_ms()
        options = self._unit.planned.options
        self.decided = decide(self._facts, options.timeout, self._unit.planned.file)
        self._log.line("teardown", f"outcome {self.decided.outcome}")
        return True

    def stop(self) -> None:
        """The run is being stopped. What has ended already keeps its outcome."""
        if not self._settled.done():
            self._facts.cancelled = True
            self._settle()

    async def _take_seat(self, *, alone: bool) -> Seat | None:
        """A place on a runner; None when the run is stopped before there is one."""
        pool, file = self._run.pool, self._unit.planned.file
        seat = None if alone else pool.ready(file)
        if seat is not None or self._settled.done():
            return seat
        acquire = asyncio.ensure_future(pool.acquire(file, alone=alone))
        either: set[asyncio.Future[Any]] = {acquire, self._settled}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if acquire.done():
            return acquire.result()
        acquire.cancel()
        await asyncio.wait({acquire})
        if not acquire.cancelled() and acquire.exception() is None:
            await pool.release(acquire.result())
        return None

    # ── the body ─────────────────────────────────────────────────────────────────────────────

    async def _run_body(self, seat: Seat) -> None:
        runner = seat.runner
        calls = Calls(
            self._stage,
            self._turns,
            self._checks,
            self._unit.planned.options.judge,
            self._facts,
            self._log,
            runner.reply,
        )
        try:
            if not self._settled.done():
                ended = runner.begin(self._start(), calls.on_request, self._on_log)
                ended.add_done_callback(lambda _: self._settle())
                self._clock.start()
                await self._settled
                self._clock.stop()
                await self._finish_body(runner, ended, calls, seat)
        finally:
            self._clock.stop()
            await calls.stop(0.0)
            await self._turns.settle_open()
            await self._run.pool.release(seat)

    def _start(self) -> Start:
        unit = self._unit
        info = AttemptInfo(f"{unit.cell.key}#{unit.n}", unit.n, unit.cell.to_wire())
        return Start(unit.key, unit.planned.body, unit.planned.file, info)

    async def _finish_body(
        self, runner: Runner, ended: asyncio.Future[Done], calls: Calls, seat: Seat
    ) -> None:
        if not ended.done():
            reason, message = self._why()
            runner.abort(self._unit.key, reason, message)
            await asyncio.gather(calls.stop(GRACE_S), asyncio.wait({ended}, timeout=GRACE_S))
            if not ended.done():
                seat.stuck = True
                self._log.line("teardown", "the body did not end after it was told to: left behind")
                return
        try:
            done = ended.result()
        except RunnerDied as died:
            self.died = died
            self._facts.process_ended = died.reason
            return
        self._facts.body_error = done.error
        if done.error is not None and done.error.stack:
            self._keep_output(self._run.masker.text(done.error.stack))

    def _why(self) -> tuple[Literal["timeout", "cancelled"], str]:
        if self._facts.timed_out:
            return "timeout", f"the eval timed out after {self._unit.planned.options.timeout:g}s"
        return "cancelled", "the run was stopped"

    def _on_timeout(self) -> None:
        self._facts.timed_out = True
        open_turn = next((t for t in self._facts.turns if t.status is None), None)
        if open_turn is not None:
            self._facts.under_way = f"in turn {open_turn.index + 1}"
        elif (command := self._checks.running) is not None:
            self._facts.under_way = f"while `{self._run.masker.text(command)}` ran"
        self._settle()

    def _settle(self) -> None:
        if not self._settled.done():
            self._settled.set_result(None)

    # ── what the body prints ─────────────────────────────────────────────────────────────────

    def _on_log(self, log: Log) -> None:
        text = self._run.masker.text(log.text)
        if self._keep_output(text):
            self._run.stream.publish(Output(self._unit.key, log.stream, text))

    def _keep_output(self, text: str) -> bool:
        if self._output_size + len(text) > OUTPUT_LIMIT:
            self._facts.output_dropped += 1
            return False
        self._output_size += len(text) + 1
        self._facts.output.append(text)
        return True

    # ── its record ───────────────────────────────────────────────────────────────────────────

    async def record(self) -> AttemptRecord:
        """Writes its files and returns its record. Once, after `run`."""
        if keeps_artifacts(self._run.artifacts, self.decided.outcome):
            files = await self._write_artifacts()
        else:
            files = self._drop_artifacts()
        return attempt_record(
            self._unit.planned,
            self._unit.cell,
            self._unit.n,
            seq=self._unit.seq,
            started_at=self._unit.started_at,
            duration_ms=self._duration_ms,
            facts=self._facts,
            decided=self.decided,
            files=files,
            mask=self._run.masker.text,
        )

    def _write_log(self, name: str, text: str) -> FileRef | None:
        if self._run.artifacts == "none":
            return None
        filed = file_now(self._folder, [(name, text)])
        self._say(filed)
        return filed.refs.get(name)

    async def _write_artifacts(self) -> AttemptFiles:
        filed = await self._run.filing.write(self._folder, list(self._texts()))
        self._say(filed)
        return cast(
            AttemptFiles,
            {field: filed.refs[name] for name, field in _FIELDS.items() if name in filed.refs},
        )

    def _texts(self) -> Iterator[tuple[str, str]]:
        facts = self._facts
        if facts.setup_log:
            yield "setup.log", "".join(facts.setup_log)
        if facts.turns:
            events = (event_to_json(event) for turn in facts.turns for event in turn.events)
            yield "transcript.jsonl", "".join(_encode(event) + "\n" for event in events)
        if facts.patch:
            yield "diff.patch", facts.patch
        yield from self._checks.background_logs()
        if facts.output:
            yield "output.log", _output_text(facts)
        yield "debug.jsonl", self._log.debug_jsonl()

    def _say(self, filed: Filed) -> None:
        """A disk that won't take a file costs the file, no more."""
        for problem in filed.problems:
            self._run.stream.publish(Notice(self._run.masker.text(f"{self._unit.key}: {problem}")))

    def _drop_artifacts(self) -> AttemptFiles:
        self._folder.discard()
        self._facts.checks = [replace(check, log=None) for check in self._facts.checks]
        return {}


def _output_text(facts: Facts) -> str:
    dropped = facts.output_dropped
    note = [f"… {dropped} more lines were printed and not kept"] if dropped else []
    return "\n".join([*facts.output, *note]) + "\n"
