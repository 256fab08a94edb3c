"""Every kind of body: what it costs its own attempt, and nothing else."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from reeval.protocol import messages as m

HEAD = "from reeval import evaluate, expect\n"


def test_a_body_s_calls_and_checks_reach_the_engine_in_order(engine: Any) -> None:
    ended = engine.run(
        HEAD
        + """
@evaluate("greets")
def greets(c):
    turn = c.send("go")
    assert turn.text == "hi"
    assert c.exec("true").ok
    expect(turn, "has it").to_have_file("x.txt", "y")
"""
    )
    assert ended.calls == [
        m.Send("go"),
        m.Record("assert", "pass", subject='turn.text == "hi"'),
        m.Exec("true"),
        m.Record("assert", "pass", subject='c.exec("true").ok'),
        m.Expect(m.TurnSubject(0), "toHaveFile", ("x.txt", "y"), label="has it"),
    ]
    assert ended.error is None


def test_an_async_body_s_calls_and_checks_reach_the_engine(engine: Any) -> None:
    ended = engine.run(
        """
        import asyncio
        from reeval import evaluate
        from reeval.aio import expect

        @evaluate("greets")
        async def greets(c):
            turn = await c.send("go")
            assert turn.text == "hi"
            one, two = await asyncio.gather(c.exec("a"), turn.exec("b"))
            await expect(one).to_succeed()
            assert await c.read_file("x") == "contents of x"
        """
    )
    assert ended.error is None
    assert sorted(type(call).__name__ for call in ended.calls) == [
        "Exec", "Exec", "Expect", "ReadFile", "Record", "Record", "Send",
    ]  # fmt: skip


def test_32_bodies_run_at_once_and_each_gets_its_own_answers(engine: Any) -> None:
    engine.collect(
        HEAD
        + """
@evaluate("echoes")
def echoes(c):
    assert c.send(c.attempt.id).prompt == c.attempt.id
    print(c.attempt.id)
"""
    )
    keys = [f"k{n}" for n in range(32)]
    for key in keys:
        engine.send(m.Start(key, "b1", "evals/x.eval.py", m.AttemptInfo(key, 1, {})))
    requests = [engine.receive() for _ in keys]  # all are waiting before any is answered
    for request in reversed(requests):
        turn = {"prompt": request.call.prompt, "text": "", "status": "completed"}
        engine.send(m.Reply(request.id, request.key, "send", {"turn": turn}))
    seen: dict[str, list[object]] = {key: [] for key in keys}
    while not all(isinstance(got[-1], m.Done) for got in seen.values() if got) or not all(
        seen.values()
    ):
        message = engine.receive()
        seen[message.key].append(message)
    for key, (record, log, done) in seen.items():
        assert record.call.status == "pass"
        assert log.text == key
        assert done == m.Done(key)


def test_an_async_generator_that_a_body_leaves_is_closed_with_it(engine: Any) -> None:
    ended = engine.run(
        """
        from reeval import evaluate

        async def numbers():
            try:
                yield 1
            finally:
                print("closed")

        @evaluate("x")
        async def body(c):
            global left
            left = numbers()
            print(await anext(left))
        """
    )
    assert ended.error is None
    assert ended.logs == [("stdout", "1"), ("stdout", "closed")]


def test_an_error_s_stack_shows_the_eval_s_frames_and_not_the_sdk_s(engine: Any) -> None:
    ended = engine.run(
        HEAD + "@evaluate('x')\ndef body(c):\n    c.write_file('a', 3)\n",
    )
    assert ended.error.name == "TypeError"
    assert "in body\n    c.write_file('a', 3)\n" in ended.error.stack
    assert "context.py" not in ended.error.stack


def test_a_refused_call_raises_what_the_engine_said(engine: Any, request: Any) -> None:
    def answer(asked: m.Request) -> m.ErrorReply:
        error = m.WireError("UsageError", "capture is not in this version")
        return m.ErrorReply(asked.id, asked.key, asked.call.op, error)

    ended = engine.run(HEAD + "@evaluate('x')\ndef body(c):\n    c.capture(80)\n", answer)
    assert ended.calls == [m.Capture({"port": 80}, {})]
    assert ended.error.name == "UsageError"
    assert ended.error.message == "capture is not in this version"


def test_a_refused_record_is_shown_with_its_attempt(engine: Any) -> None:
    def answer(asked: m.Request) -> m.ErrorReply | None:
        if asked.call.op != "record":
            return None
        return m.ErrorReply(asked.id, asked.key, "record", m.WireError("UsageError", "no"))

    ended = engine.run(
        HEAD + "@evaluate('x')\ndef body(c):\n    assert 1\n    c.send('a'); c.send('b')\n", answer
    )
    assert ended.logs == [("stderr", "reeval refused a check: UsageError: no")]


# ── aborts ───────────────────────────────────────────────────────────────────────────────────


def started(engine: Any, source: str) -> None:
    engine.collect(HEAD + source)
    engine.start()


def test_an_abort_raises_in_the_call_in_flight_and_in_later_ones(engine: Any) -> None:
    started(
        engine,
        """
@evaluate("waits")
def waits(c):
    try:
        c.send("go")
    except Exception:
        print("an Exception")
    except BaseException as error:
        print(type(error).__name__, error, c.signal.aborted, c.signal.reason)
        c.exec("late")
""",
    )
    assert engine.receive().call == m.Send("go")
    engine.abort()
    ended = engine.follow()
    assert ended.calls == []
    assert ended.logs == [("stdout", "AttemptAborted timed out True timeout")]
    assert ended.error == m.WireError("TimeoutError", "timed out")


ENDLESS = {
    "def": "def body(c):\n    print('on')\n    while True: pass",
    "def that catches Exception": (
        "def body(c):\n    print('on')\n    while True:\n"
        "        try:\n            while True: pass\n        except Exception: pass"
    ),
    "async def": "async def body(c):\n    print('on')\n    while True: pass",
    "async def that sleeps": (
        "import asyncio\nasync def body(c):\n    print('on')\n    await asyncio.sleep(600)"
    ),
    "def that waits for its signal": "def body(c):\n    print('on')\n    c.signal.wait(600)",
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_an_endless_body_ends_when_it_is_aborted(engine: Any, kind: str) -> None:
    started(engine, f"{ENDLESS[kind]}\nevaluate('endless', body)\n")
    assert engine.receive() == m.Log("k1", "stdout", "on")
    engine.abort(reason="cancelled", message="stopped")
    error = engine.follow().error
    if kind == "def that waits for its signal":
        assert error is None
    else:
        assert error == m.WireError("AbortError", "stopped")


def test_a_thread_that_outlives_its_body_can_make_no_calls_and_no_checks(engine: Any) -> None:
    ended = engine.run(
        HEAD
        + """
import threading
over = threading.Event()

def late(c):
    over.wait()
    try:
        c.exec("late")
    except BaseException as error:
        global said
        said = str(error)

@evaluate("x")
def body(c):
    global thread
    thread = threading.Thread(target=late, args=(c,))
    thread.start()

@evaluate("then")
def then(c):
    over.set()
    thread.join()
    print(said)
"""
    )
    assert ended.error is None
    engine.start("b2", "k2")
    assert engine.follow("k2").logs == [
        ("stdout", "the attempt is over: its body already returned")
    ]


def test_a_forked_child_can_t_write_to_the_engine(engine: Any) -> None:
    ended = engine.run(
        HEAD
        + """
import os

@evaluate("x")
def body(c):
    print("parent")
    child = os.fork()
    if child == 0:
        print("child")
        try:
            c.exec("true")
        except Exception as error:
            print(error)
        os._exit(0)
    os.waitpid(child, 0)
    c.send("x")
"""
    )
    assert ended.logs == [("stdout", "parent")]
    assert ended.calls == [m.Send("x")]
    engine.close()
    assert engine.stderr.decode().splitlines() == [
        "child",
        "c.exec was called in a process that the body forked: make the call in the body itself",
    ]


# ── the process itself ───────────────────────────────────────────────────────────────────────


def test_closing_stdin_ends_the_runner_even_with_a_body_that_never_ends(engine: Any) -> None:
    started(engine, "def body(c):\n    print('on')\n    while True: pass\nevaluate('x', body)\n")
    assert engine.receive() == m.Log("k1", "stdout", "on")
    assert engine.close() == 0
    error = m.WireError("AbortError", "reeval closed the runner before this body ended")
    assert engine.receive() == m.Done("k1", error)
    assert engine.receive() is None


def test_os_exit_ends_the_process_with_its_code(engine: Any) -> None:
    started(engine, "def body(c):\n    import os; os._exit(7)\nevaluate('x', body)\n")
    assert engine.receive() is None
    assert engine.process.wait() == 7


def test_a_segfault_leaves_a_trace_on_stderr(engine: Any) -> None:
    started(
        engine,
        "def body(c):\n    import ctypes; ctypes.string_at(0)\nevaluate('x', body)\n",
    )
    assert engine.receive() is None
    assert engine.close() == -signal.SIGSEGV
    assert b"Segmentation fault" in engine.stderr
    assert b"x.eval.py" in engine.stderr
