"""The calls a body makes: each is done, recorded, and answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

from reeval.config.errors import UsageError
from reeval.config.model import JudgeSpec
from reeval.engine.checks import Checks
from reeval.engine.events import Asserted, Judged
from reeval.engine.facts import Facts
from reeval.engine.phases import PhaseLog
from reeval.engine.stage import InfraError, Stage
from reeval.engine.turns import Turns, turn_to_wire
from reeval.grading.base import TurnFacts, Untested
from reeval.grading.check import check
from reeval.grading.judge import Judging, judge
from reeval.grading.naming import CheckNames
from reeval.protocol import messages as m
from reeval.sandbox.base import PathError, SandboxError

Answer = Callable[[m.Reply | m.ErrorReply], None]


class Calls:
    """Answers one attempt's requests. Requests made at once are served at once."""

    def __init__(
        self,
        stage: Stage,
        turns: Turns,
        checks: Checks,
        judge_spec: JudgeSpec,
        facts: Facts,
        log: PhaseLog,
        answer: Answer,
    ) -> None:
        self._stage = stage
        self._turns = turns
        self._checks = checks
        self._judge_spec = judge_spec
        self._facts = facts
        self._log = log
        self._answer = answer
        self._names = CheckNames(log.masker.text)
        self._rounds: dict[str, m.ExecResult | None] = {}
        self._judge_calls = 0
        self._in_flight: set[asyncio.Task[None]] = set()
        self._closed = False

    def on_request(self, request: m.Request) -> None:
        """Takes a request; its answer is sent when it is done."""
        if self._closed:
            self._refuse(request, m.WireError("AbortError", "the attempt is over"))
            return
        if isinstance(request.call, m.Record):
            # A body doesn't wait for these: settled at once, in the order they were made.
            self._reply(request, {"assertion": self._record(request.call)})
            return
        task = asyncio.ensure_future(self._serve(request))
        self._in_flight.add(task)
        task.add_done_callback(self._in_flight.discard)

    async def stop(self, grace_s: float) -> None:
        """Cancels what is in flight and waits up to `grace_s` for it to end."""
        self._closed = True
        tasks = set(self._in_flight)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=grace_s)

    # ── serving one ──────────────────────────────────────────────────────────────────────────

    async def _serve(self, request: m.Request) -> None:
        try:
            self._reply(request, await self._do(request.call))
        except InfraError as error:
            self._refuse(request, m.WireError("InfraError", str(error)))
        except SandboxError as error:
            self._facts.fail_infra(str(error), error.cause)
            self._refuse(request, m.WireError("InfraError", str(error)))
        except (PathError, UsageError, ValueError) as error:
            self._refuse(request, m.WireError("UsageError", str(error)))
        except _Unanswered as error:
            self._refuse(request, m.WireError(error.name, str(error)))
        except asyncio.CancelledError:
            self._refuse(request, m.WireError("AbortError", "the attempt was stopped"))
            raise
        except Exception as error:
            self._facts.fail_infra(f"reeval failed: {type(error).__name__}: {error}")
            self._refuse(request, m.WireError(type(error).__name__, str(error)))

    def _reply(self, request: m.Request, fields: dict[str, Any]) -> None:
        self._answer(m.Reply(request.id, request.key, request.call.op, fields))

    def _refuse(self, request: m.Request, error: m.WireError) -> None:
        self._answer(m.ErrorReply(request.id, request.key, request.call.op, error))

    async def _do(self, call: m.Call) -> dict[str, Any]:
        match call:
            case m.Send():
                return {"turn": turn_to_wire(await self._turns.send(call.prompt))}
            case m.Expect():
                return await self._expect(call)
            case m.Exec(background=True):
                return {"result": {"handle": await self._checks.start(call)}}
            case m.Exec():
                done = await self._checks.run(call.command, call.retries, call.interval_ms / 1000)
                return {"result": _exec_to_wire(done)}
            case m.ReadFile():
                contents = await (await self._stage.sandbox()).read_file(call.path)
                text = None if contents is None else contents.decode("utf-8", "replace")
                return {"contents": text}
            case m.WriteFile():
                await self._write_file(call)
                return {}
            case m.Serve():
                handle, port = await self._checks.serve(call)
                return {"handle": handle, "port": port}
            case m.Kill():
                await self._checks.kill(call.handle)
                return {}
            case m.Judge():
                return {"verdict": await self._judge(call)}
            case m.Record():
                return {"assertion": self._record(call)}
            case m.Capture():
                raise UsageError("c.capture is not in this version yet")

    async def _write_file(self, call: m.WriteFile) -> None:
        sandbox = await self._stage.sandbox()
        await sandbox.write_file(call.path, call.contents)
        snapshot = self._stage.snapshot
        if snapshot is not None:
            snapshot.note_written(call.path, call.contents)
        self._log.line("check", f"wrote {call.path} ({len(call.contents)} bytes)")

    # ── checks ───────────────────────────────────────────────────────────────────────────────

    def _record(self, call: m.Record) -> dict[str, Any]:
        return self._settle(self._names.recorded(call))

    async def _expect(self, call: m.Expect) -> dict[str, Any]:
        began = time.monotonic()
        subjects = _Subjects(self, self._rounds.pop(_asked(call), None))
        outcome = await check(call, subjects)
        if isinstance(outcome, Untested):
            self._rounds[_asked(call)] = subjects.ran
            return {"untested": {name: list(s) for name, s in outcome.strings.items()}}
        took = (time.monotonic() - began) * 1000
        assertion = self._settle(self._names.assertion(call, outcome, round(took, 1)))
        if outcome.raises is not None and not call.soft:
            raise _Unanswered(outcome.raises, outcome.message or "it could not answer")
        return {"assertion": assertion}

    def _settle(self, assertion: dict[str, Any]) -> dict[str, Any]:
        self._facts.assertions.append(assertion)
        shown = self._log.masker.json(assertion)
        self._log.publish(Asserted(self._log.attempt, shown, self._log.now_ms()))
        return assertion

    # ── the judge ────────────────────────────────────────────────────────────────────────────

    async def _judge(self, call: m.Judge) -> dict[str, Any]:
        index = self._judge_calls
        self._judge_calls += 1
        began = time.monotonic()
        judged = await judge(call, self._judge_spec, self.turn_facts, index)
        self._facts.timings.judge += (time.monotonic() - began) * 1000
        self._note_judged(judged)
        return judged.to_wire()

    def _note_judged(self, judged: Judging) -> None:
        record = judged.to_record()
        if record is not None:
            self._facts.judgements.append(record)
        elif self._facts.judge_failure is None:
            self._facts.judge_failure = judged.error
        score = "error" if judged.score is None else f"{judged.verdict} {judged.score:.2f}"
        mask = self._log.masker.text
        self._log.line("judge", f"{score} (≥ {judged.threshold:g})  {judged.question}")
        self._log.publish(
            Judged(
                self._log.attempt, mask(judged.question), judged.verdict, judged.score,
                judged.threshold, self._log.now_ms(),
            )
        )  # fmt: skip

    @property
    def turn_facts(self) -> list[TurnFacts]:
        return [turn.facts for turn in self._facts.turns if turn.facts is not None]

    async def read_bytes(self, path: str) -> bytes | None:
        return await (await self._stage.sandbox()).read_file(path)

    async def run_check(self, command: str) -> m.ExecResult:
        return await self._checks.run(command)


class _Unanswered(Exception):
    """A matcher that could not answer. `name` is the class of error its body sees."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class _Subjects:
    """What matchers may ask about this attempt.

    `again` is what the command of this check gave when the runner was asked to match strings of
    it itself: the round that follows checks that, and doesn't run the command again.
    """

    def __init__(self, calls: Calls, again: m.ExecResult | None) -> None:
        self._calls = calls
        self._again = again
        self.ran: m.ExecResult | None = None

    @property
    def turns(self) -> Sequence[TurnFacts]:
        return self._calls.turn_facts

    async def read_file(self, path: str) -> bytes | None:
        return await self._calls.read_bytes(path)

    async def run(self, command: str) -> m.ExecResult:
        self.ran = self._again or await self._calls.run_check(command)
        self._again = None
        return self.ran


def _asked(call: m.Expect) -> str:
    """The call without the answers its patterns have so far: the same in each of its rounds."""

    def bare(value: Any) -> Any:
        if isinstance(value, dict):
            known = "answers" if "matchedBy" in value else None
            return {key: bare(item) for key, item in value.items() if key != known}
        return [bare(v) for v in value] if isinstance(value, list) else value

    return repr((call.subject, call.matcher, bare(list(call.args)), call.negated, call.label))


def _exec_to_wire(result: m.ExecResult) -> dict[str, Any]:
    return {"exitCode": result.exit_code, "stdout": result.stdout, "stderr": result.stderr}
