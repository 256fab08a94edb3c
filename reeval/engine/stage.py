"""What an attempt needs before its first call: sandbox, files, setup, snapshot, agent session.

Both start once, on the first call that needs them; calls made at once share that start.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from reeval.config.errors import UsageError
from reeval.config.model import EnvironmentSpec, SetupStep
from reeval.engine.eval_clock import EvalClock
from reeval.engine.facts import Facts
from reeval.engine.phases import PhaseLog
from reeval.engine.variables import Variables
from reeval.harness.base import Harness, HarnessError, Launch, Session
from reeval.harness.placement import place
from reeval.plan.model import Cell
from reeval.protocol.cuts import CUT
from reeval.sandbox.base import Command, PathError, Sandbox, SandboxError
from reeval.sandbox.snapshot import Snapshot

T = TypeVar("T")

START_TRIES = 2
CLOSE_LIMIT_S = 5.0


class InfraError(Exception):
    """reeval couldn't give the agent a fair try. The fact is already noted."""


class Stage:
    """One attempt's sandbox, snapshot and session. `close` ends them, whatever was started."""

    def __init__(
        self,
        cell: Cell,
        harness: Harness,
        sandbox: Sandbox,
        variables: Variables,
        secrets: Mapping[str, str],
        facts: Facts,
        clock: EvalClock,
        log: PhaseLog,
    ) -> None:
        self._cell = cell
        self._harness = harness
        self._sandbox = sandbox
        self._variables = variables
        self._secrets = secrets
        self._facts = facts
        self._clock = clock
        self._log = log
        self._starting = asyncio.Lock()
        self._failed: InfraError | None = None
        self._ready = False
        self._touched = False
        self._snapshot: Snapshot | None = None
        self._session: Session | None = None

    # ── starting ─────────────────────────────────────────────────────────────────────────────

    async def sandbox(self) -> Sandbox:
        """The started sandbox. Raises `InfraError`."""
        if not self._ready:
            async with self._starting:
                await self._started_once()
        return self._sandbox

    async def session(self) -> Session:
        """The agent's session, ready for a turn. Raises `InfraError`."""
        if self._session is None:
            async with self._starting:
                await self._started_once()
                if self._session is None:
                    self._session = await self._noting_failure(self._start_session())
        return self._session

    async def _started_once(self) -> None:
        if self._failed is not None:
            raise InfraError(str(self._failed))
        if not self._ready:
            self._touched = True
            began = time.monotonic()
            await self._noting_failure(self._prepare())
            self._ready = True
            self._log.sandbox_ready((time.monotonic() - began) * 1000)

    async def _noting_failure(self, start: Coroutine[Any, Any, T]) -> T:
        """Runs a part of the start, whose time isn't the eval's; a failure is an infra error."""
        began = time.monotonic()
        try:
            with self._clock.paused():
                return await start
        except (SandboxError, HarnessError, UsageError, PathError) as error:
            self._facts.fail_infra(str(error), getattr(error, "cause", None))
            self._failed = InfraError(str(error))
            raise self._failed from None
        finally:
            self._facts.timings.setup += (time.monotonic() - began) * 1000

    async def _prepare(self) -> None:
        self._name_variables()
        began = time.monotonic()
        await self._sandbox.start(self._variables.agent)
        self._facts.sandbox_started = True
        self._facts.image_id = self._sandbox.image_id
        took = (time.monotonic() - began) * 1000
        self._log.line("container", f"{self._cell.sandbox.id} sandbox started in {took:.0f}ms")
        environment = self._cell.environment
        if environment is not None:
            await self._furnish(environment)
        self._snapshot = await Snapshot.take(self._sandbox, self._log.masker)
        self._log.line("env", "workspace snapshot taken: the diff starts here")

    def _name_variables(self) -> None:
        variables, facts = self._variables, self._facts
        if variables.missing:
            names = ", ".join(variables.missing)
            verb = "isn't" if len(variables.missing) == 1 else "aren't"
            raise SandboxError(
                f"secret {names} {verb} set: set it in the environment or in .env, "
                "or mark it optional"
            )
        facts.env_vars = list(variables.names)
        facts.env_secrets = list(variables.secrets)
        facts.env_brokered = list(variables.brokered)
        names = ", ".join(variables.names) or "none"
        self._log.line("env", f"vars {names} · secrets {', '.join(variables.secrets) or 'none'}")

    async def _furnish(self, environment: EnvironmentSpec) -> None:
        placed = await place(environment, self._cell.harness, self._harness, self._sandbox)
        self._facts.context = placed.context
        if placed.written:
            self._log.line("files", f"{len(placed.written)} files written")
        for step in environment.setup:
            await self._run_setup(step)

    async def _run_setup(self, step: SetupStep) -> None:
        command = Command(step.run, env=self._variables.checks, cwd=step.cwd, timeout=step.timeout)
        done = await self._sandbox.run(command)
        ended = f"timed out after {step.timeout:g}s" if done.timed_out else f"exit {done.exit_code}"
        self._facts.setup_log.append(
            f"$ {step.run}\n{done.stdout}{done.stderr}→ {ended} · {done.duration_ms:.0f}ms\n"
        )
        self._log.line("setup", f"$ {step.run} → {ended} · {done.duration_ms:.0f}ms")
        if done.exit_code != 0 or done.timed_out:
            *before, last = (done.stderr or done.stdout).strip().splitlines() or [""]
            said = f"{CUT}{last}" if before else last
            raise SandboxError(f"setup step `{step.run}` failed: {ended}. {said}".rstrip())

    async def _start_session(self) -> Session:
        spec = self._cell.harness
        began = time.monotonic()
        self._log.line("harness", f"starting {spec.id}: bootstrap and session")
        session = await self._start_with_retry()
        took = (time.monotonic() - began) * 1000
        self._log.line("harness", f"{spec.id} session ready in {took:.0f}ms")
        return session

    async def _start_with_retry(self) -> Session:
        spec = self._cell.harness
        launch = Launch(
            spec,
            self._cell.environment,
            self._sandbox,
            self._log.attempt,
            self._log.now_ms,
            self._secrets,
        )
        for attempt in range(1, START_TRIES + 1):
            began = time.monotonic()
            start = asyncio.ensure_future(self._harness.start(launch))
            await asyncio.sleep(0)  # one that is ready at once needs no timer
            try:
                if not start.done():
                    await asyncio.wait({start}, timeout=spec.start_timeout)
            except asyncio.CancelledError:
                _leave(start)
                raise
            if start.done():
                return start.result()
            # A start that ignores its cancellation is left behind; the sandbox's end ends it.
            _leave(start)
            error = f"{spec.kind}: session did not become ready within {spec.start_timeout:g}s"
            if attempt == START_TRIES:
                raise HarnessError(error)
            waited = (time.monotonic() - began) * 1000
            self._facts.start_retries.append({"error": error, "waitedMs": round(waited)})
            self._log.line("harness", f"{error}, starting it again")
        raise AssertionError("unreachable")

    # ── while it runs ────────────────────────────────────────────────────────────────────────

    @property
    def check_variables(self) -> dict[str, str]:
        """What only checks get, laid over the sandbox's own variables."""
        return dict(self._variables.checks)

    @property
    def snapshot(self) -> Snapshot | None:
        """The workspace as the agent first saw it; None before the sandbox is ready."""
        return self._snapshot

    # ── ending ───────────────────────────────────────────────────────────────────────────────

    async def close(self) -> None:
        """Ends session and sandbox, bounded. Whoever started them has been cancelled."""
        if not self._touched:
            return
        began = time.monotonic()
        for what, close in (("session", self._close_session), ("sandbox", self._sandbox.close)):
            try:
                async with asyncio.timeout(CLOSE_LIMIT_S):
                    await close()
            except Exception as error:
                # Whatever is wrong with its end, the attempt has its result.
                self._log.line("teardown", f"the {what} did not close: {error or 'too slow'}")
        if self._snapshot is not None:
            self._snapshot.close()
        took = (time.monotonic() - began) * 1000
        self._log.line("teardown", f"sandbox destroyed ({took:.0f}ms for teardown)")

    async def _close_session(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._log.line("teardown", "harness session closed")


def _leave(start: asyncio.Future[Any]) -> None:
    """Leaves a start behind that may not end when told to; the sandbox's end ends it."""
    start.cancel()
    # Its exception is taken, so that asyncio doesn't print it.
    start.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
