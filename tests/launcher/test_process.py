"""A runner process is started, spoken with and ended, whatever it does."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from reeval.config.errors import UsageError
from reeval.launcher import pipes
from reeval.launcher.command import RunnerCommand
from reeval.launcher.process import Runner, RunnerDied
from reeval.protocol.messages import (
    AttemptInfo,
    Declared,
    Done,
    LoadError,
    Log,
    Reply,
    Request,
    Start,
    WireError,
)

PEER = Path(__file__).with_name("peer.py")


def command(mode: str = "", start_timeout: float = 30.0) -> RunnerCommand:
    argv = (sys.executable, str(PEER), mode)
    return RunnerCommand(argv, os.environ, PEER.parent, "the test", start_timeout)


def run(work: Coroutine[Any, Any, None]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(30):
            await work

    asyncio.run(bounded())


class Session:
    """A started runner, what it printed outside bodies, and what its bodies logged."""

    def __init__(self) -> None:
        self.stray: list[tuple[str, str]] = []
        self._came = asyncio.Event()
        self.logs: list[str] = []
        self.runner: Runner

    async def __aenter__(self) -> Session:
        self.runner = await Runner.start(command(), "a.eval.py", self._on_stray)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.runner.close()

    def _on_stray(self, stream: str, text: str) -> None:
        self.stray.append((stream, text))
        self._came.set()

    async def heard(self, text: str) -> None:
        """Waits until this was printed outside any body."""
        while text not in (line for _, line in self.stray):
            self._came.clear()
            await self._came.wait()

    def begin(
        self, body: str, key: str = "k", on_request: Callable[[Request], None] | None = None
    ) -> asyncio.Future[Done]:
        start = Start(key, body, "a.eval.py", AttemptInfo(f"{key}#1", 1, {}))
        return self.runner.begin(
            start, on_request or (lambda request: None), lambda log: self.logs.append(log.text)
        )


# ── starting ─────────────────────────────────────────────────────────────────────────────────


def test_it_starts_though_a_megabyte_of_stderr_comes_first() -> None:
    async def work() -> None:
        async with Session() as session:
            assert session.runner.alive
            assert await session.runner.collect() == Declared("a.eval.py", ())
        said = "".join(text for _, text in session.stray)
        assert said.replace("……", "") == "1" * 1_000_000  # a mark on both sides of a cut
        assert not session.runner.alive

    run(work())


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("newer", r"\(peer SDK 9\) speaks runner protocol 4 and this reeval speaks 3"),
        ("dies", r"exit 1; set REEVAL_PYTHON .*\nIt wrote:\nno module named reeval"),
        ("talks", "Welcome"),
    ],
)
def test_a_runner_that_cannot_be_used_is_an_error_that_says_why(mode: str, message: str) -> None:
    async def work() -> None:
        with pytest.raises(UsageError, match=message):
            await Runner.start(command(mode), "a.eval.py", lambda *s: None)

    run(work())


def test_a_silent_runner_is_given_up_and_ended() -> None:
    async def work() -> None:
        with pytest.raises(UsageError, match="said nothing for 0 s"):
            await Runner.start(command("silent", 0.2), "a.eval.py", lambda *s: None)

    run(work())


def test_a_program_that_is_not_there_is_an_error() -> None:
    async def work() -> None:
        missing = RunnerCommand(("/no/such/python",), {}, PEER.parent, "REEVAL_PYTHON")
        with pytest.raises(UsageError, match="/no/such/python can't be started: No such file"):
            await Runner.start(missing, "a.eval.py", lambda *s: None)

    run(work())


# ── loading ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("mode", "error"),
    [
        ("load-fails", WireError("ValueError", "bad", "T")),
        (
            "load-dies",
            WireError("RunnerDied", "loading it ended the process: exit 5", "…" + "1" * 65535),
        ),
    ],
)
def test_a_file_that_does_not_load_is_an_answer(mode: str, error: WireError) -> None:
    async def work() -> None:
        runner = await Runner.start(command(mode), "a.eval.py", lambda *s: None)
        assert await runner.collect() == LoadError(error)
        await runner.close()

    run(work())


# ── bodies ───────────────────────────────────────────────────────────────────────────────────


def test_a_body_gets_its_answers_and_ends() -> None:
    async def work() -> None:
        async with Session() as session:

            def answer(request: Request) -> None:
                contents = {"contents": f"file {request.id}"}
                session.runner.reply(Reply(request.id, request.key, "readFile", contents))

            done = session.begin("ask 3", on_request=answer)
            assert await done == Done("k")
            assert session.logs == ["file 0", "file 1", "file 2"]

    run(work())


def test_an_abort_reaches_the_body_with_its_reason() -> None:
    async def work() -> None:
        async with Session() as session:
            done = session.begin("wait")
            session.runner.abort("k", "timeout", "took too long")
            assert (await done).error == WireError("timeout", "took too long")

    run(work())


def test_a_cancelled_wait_leaves_the_runner_to_the_next_body() -> None:
    async def work() -> None:
        async with Session() as session:
            done = session.begin("wait")
            done.cancel()
            await asyncio.sleep(0)
            session.runner.abort("k", "cancelled", "stop")
            assert await session.begin("nothing", key="next") == Done("next")
            assert session.runner.alive

    run(work())


def test_what_comes_after_a_body_ended_disturbs_nobody() -> None:
    async def work() -> None:
        async with Session() as session:
            assert await session.begin("late") == Done("k")
            await session.heard("AbortError")
            assert await session.begin("nothing", key="next") == Done("next")
            assert session.stray[-2:] == [("stderr", "after the end"), ("stdout", "AbortError")]

    run(work())


def test_a_flood_of_output_arrives_whole() -> None:
    async def work() -> None:
        async with Session() as session:
            await session.begin("print 20000")
            assert len(session.logs) == 20_000
            assert set(map(len, session.logs)) == {1000}

    run(work())


def test_a_line_of_many_megabytes_arrives_whole() -> None:
    async def work() -> None:
        async with Session() as session:
            await session.begin("long 30000000")
            assert [len(text) for text in session.logs] == [30_000_000]

    run(work())


# ── dying ────────────────────────────────────────────────────────────────────────────────────


def test_an_exit_costs_its_bodies_and_says_so() -> None:
    async def work() -> None:
        async with Session() as session:
            with pytest.raises(RunnerDied) as died:
                await session.begin("exit 3")
            error = died.value
            assert error.reason == "exit 3"
            assert error.stderr_tail.endswith("to stderr")
            assert session.logs == ["last words"]
            assert not session.runner.alive
            with pytest.raises(RunnerDied, match="exit 3"):
                await session.begin("nothing")

    run(work())


def test_a_signal_is_named() -> None:
    async def work() -> None:
        async with Session() as session:
            with pytest.raises(RunnerDied) as died:
                await session.begin("signal SIGSEGV")
            assert died.value.reason == "signal SIGSEGV"

    run(work())


def test_an_end_is_seen_though_a_child_holds_the_pipes() -> None:
    async def work() -> None:
        async with Session() as session:
            await session.begin("leave")
            child = int(session.logs[0])
            with pytest.raises(RunnerDied, match="exit 4"):
                await session.begin("exit 4", key="second")
            assert running(child)  # until the runner is closed
        assert await gone(child)

    run(work())


def test_a_line_that_is_no_message_ends_the_runner() -> None:
    async def work() -> None:
        async with Session() as session:
            with pytest.raises(RunnerDied, match="hello there"):
                await session.begin("garbage")
            assert not session.runner.alive

    run(work())


def test_a_message_without_end_ends_the_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipes, "LINE_LIMIT", 1_000_000)

    async def work() -> None:
        async with Session() as session:
            with pytest.raises(RunnerDied, match="longer than 1000000 bytes"):
                await session.begin("long 5000000")

    run(work())


# ── ending ───────────────────────────────────────────────────────────────────────────────────


def running(pid: int) -> bool:
    """Whether the process is there; one that ended and nobody waited for isn't."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


async def gone(pid: int) -> bool:
    """Whether the process ends within ten seconds."""
    for _ in range(1000):
        if not running(pid):
            return True
        await asyncio.sleep(0.01)
    return False


def test_closing_ends_what_a_body_left_running() -> None:
    async def work() -> None:
        async with Session() as session:
            await session.begin("leave")
            child = int(session.logs[0])
            assert running(child)
        assert await gone(child)

    run(work())


def test_a_runner_that_stays_is_killed_after_the_grace() -> None:
    async def work() -> None:
        runner = await Runner.start(command("stays"), "a.eval.py", lambda *s: None)
        await runner.close(grace_s=0.1)
        await runner.close()
        assert not runner.alive

    run(work())


def test_closing_fails_bodies_that_still_run() -> None:
    async def work() -> None:
        async with Session() as session:
            done = session.begin("wait")
            await session.runner.close(grace_s=0)
            with pytest.raises(RunnerDied):
                await done

    run(work())


def test_it_leads_a_session_of_its_own_that_ctrl_c_does_not_reach() -> None:
    async def work() -> None:
        async with Session() as session:
            await session.begin("pid")
            pid = int(session.logs[0])
            assert (os.getsid(pid), os.getpgid(pid)) == (pid, pid)

    run(work())


def test_messages_of_one_loop_turn_go_out_in_one_write(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        writes: list[bytes] = []
        write = pipes.Pipes.write
        monkeypatch.setattr(
            pipes.Pipes, "write", lambda self, data: (writes.append(data), write(self, data))
        )
        async with Session() as session:
            await asyncio.gather(*(session.begin("nothing", key=str(n)) for n in range(20)))
            assert [data.count(b"\n") for data in writes] == [20]

    run(work())


def test_a_log_is_passed_on_before_the_body_ends() -> None:
    async def work() -> None:
        async with Session() as session:
            seen: list[tuple[str, bool]] = []

            def on_log(log: Log) -> None:
                seen.append((log.stream, done.done()))

            start = Start("k", "print 1", "a.eval.py", AttemptInfo("k#1", 1, {}))
            done = session.runner.begin(start, lambda request: None, on_log)
            await done
            assert seen == [("stdout", False)]

    run(work())
