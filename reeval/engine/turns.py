"""One `c.send`: the turn, its live counts, and the diff after it."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Any

from reeval.engine.eval_clock import EvalClock
from reeval.engine.events import TurnActivity, TurnEnded, TurnStarted
from reeval.engine.facts import Facts, TurnRun
from reeval.engine.phases import PhaseLog
from reeval.engine.stage import InfraError, Stage
from reeval.grading.base import ChangedFile, TurnFacts
from reeval.harness.base import HarnessError, Session, TurnResult
from reeval.harness.events import (
    Event,
    FileEdit,
    Problem,
    Prompt,
    Tool,
    TurnEnd,
    event_to_json,
    now,
)
from reeval.protocol.cuts import cut
from reeval.sandbox.base import SandboxError
from reeval.sandbox.collapse import collapse

LAST_DIFF_S = 1.0
"""How long reading what a stopped turn changed may take."""


class Turns:
    """The attempt's turns, one after another in one session."""

    def __init__(self, stage: Stage, facts: Facts, clock: EvalClock, log: PhaseLog) -> None:
        self._stage = stage
        self._facts = facts
        self._clock = clock
        self._log = log
        self._one_at_a_time = asyncio.Lock()

    async def send(self, prompt: str) -> TurnRun:
        """Runs the next turn. Raises `InfraError` when the agent can't be driven."""
        async with self._one_at_a_time:
            session = await self._stage.session()
            turn = self._begin(prompt)
            try:
                result = await self._drive(session, turn)
            except (HarnessError, SandboxError) as error:
                self._facts.fail_infra(str(error), getattr(error, "cause", None))
                self._end(turn, TurnResult("error", turn.text, error=str(error)))
                raise InfraError(str(error)) from None
            self._end(turn, result)
            await self._diff(turn)
            return turn

    async def settle_open(self) -> None:
        """Ends turns that were given up on, and reads what the last one changed, if it can be."""
        for turn in self._facts.turns:
            self._end(turn, TurnResult("aborted", turn.text))
        last = self._facts.turns[-1] if self._facts.turns else None
        if last is not None and last.facts is None:
            with suppress(TimeoutError, InfraError):
                async with asyncio.timeout(LAST_DIFF_S):
                    await self._diff(last)

    def _begin(self, prompt: str) -> TurnRun:
        turn = TurnRun(len(self._facts.turns), prompt, now(), self._log.now_ms())
        turn.events.append(Prompt(text=prompt, at_ms=turn.began_ms, ts=turn.started_at))
        self._facts.turns.append(turn)
        said = self._log.masker.text(prompt)  # before it is cut
        shown = cut(" ".join(said.split()), 80)
        self._log.line("harness", f'turn {turn.index + 1} started: "{shown}"')
        self._log.publish(TurnStarted(self._log.attempt, turn.index, said, turn.began_ms))
        return turn

    async def _drive(self, session: Session, turn: TurnRun) -> TurnResult:
        def on_event(event: Event) -> None:
            if turn.status is not None:
                return  # the turn was given up on; what comes late is not part of it
            turn.events.append(event)
            if isinstance(event, Tool):
                turn.tools += 1
            elif isinstance(event, FileEdit):
                turn.edits += 1
            elif isinstance(event, Problem) and event.type == "error" and turn.error is None:
                turn.error = event.message
                return
            else:
                return
            self._log.publish(TurnActivity(self._log.attempt, turn.index, turn.tools, turn.edits))

        return await session.turn(turn.prompt, on_event)

    def _end(self, turn: TurnRun, result: TurnResult) -> None:
        """Settles a turn once; a turn given up on stays `aborted`."""
        if turn.status is not None:
            return
        turn.duration_ms = round(self._log.now_ms() - turn.began_ms, 1)
        turn.status = result.status
        turn.text = result.text
        turn.usage = result.usage
        turn.model = result.model
        turn.unreported = result.unreported
        turn.error = result.error or turn.error
        turn.events.append(TurnEnd(status=result.status, at_ms=self._log.now_ms()))
        self._facts.timings.agent += turn.duration_ms
        counts = f"{_count(turn.tools, 'tool call')} · {_count(turn.edits, 'file edit')}"
        took = _took(turn.duration_ms)
        self._log.line("harness", f"turn {turn.index + 1} {result.status} in {took} · {counts}")
        self._log.publish(
            TurnEnded(
                self._log.attempt, turn.index, result.status, turn.began_ms, turn.duration_ms,
                turn.tools, turn.edits,
            )
        )  # fmt: skip

    async def _diff(self, turn: TurnRun) -> None:
        """Reads what changed since the start, as of now, into the turn and the attempt."""
        snapshot = self._stage.snapshot
        if snapshot is None:
            return
        with self._clock.paused():
            began = time.monotonic()
            try:
                changes = await snapshot.diff()
            except SandboxError as error:
                self._facts.fail_infra(f"the workspace can't be read: {error}", error.cause)
                raise InfraError(str(error)) from None
            finally:
                self._facts.timings.diff += (time.monotonic() - began) * 1000
        self._facts.changed = [dict(change) for change in collapse(changes.files)]
        self._facts.patch = changes.patch
        turn.facts = TurnFacts(
            turn.index,
            turn.prompt,
            turn.text,
            turn.status or "aborted",
            tuple(turn.events),
            turn.unreported,
            tuple(ChangedFile(change.path, change.status) for change in changes.files),
            changes.patch,
        )


def turn_to_wire(turn: TurnRun) -> dict[str, Any]:
    """The protocol's `TurnData`."""
    facts = turn.facts
    return {
        "prompt": turn.prompt,
        "text": turn.text,
        "status": turn.status,
        "startedAt": turn.started_at,
        "durationMs": turn.duration_ms,
        "transcript": [event_to_json(event) for event in turn.events],
        "usage": None if turn.usage is None else turn.usage.to_json(),
        "model": turn.model,
        "unreported": list(turn.unreported),
        "diff": {
            "patch": facts.patch if facts else "",
            "files": [{"path": f.path, "status": f.status} for f in facts.files] if facts else [],
        },
    }


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _took(ms: float) -> str:
    return f"{ms:.0f}ms" if ms < 1000 else f"{ms / 1000:.0f}s"
