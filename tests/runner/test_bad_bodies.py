"""Bodies that go wrong, each in its own way: what is said of each, and that others go on."""

from __future__ import annotations

from typing import Any

import pytest

from reeval.protocol import messages as m

HEAD = "from reeval import evaluate, expect\n"

BAD_BODIES = {
    "sys.exit": (
        "def body(c):\n    import sys; sys.exit(3)",
        "SystemExit",
        "the eval's body called sys.exit(3), which ends only its own attempt",
    ),
    "raises": ("def body(c):\n    raise ValueError('boom')", "ValueError", "boom"),
    "raises a broken error": (
        "class Broken(Exception):\n    def __str__(self): raise RuntimeError\n"
        "def body(c):\n    raise Broken",
        "Broken",
        "<Broken whose message can't be shown>",
    ),
    "KeyboardInterrupt": ("def body(c):\n    raise KeyboardInterrupt", "KeyboardInterrupt", ""),
    "returns a generator": (
        "def gen():\n    yield\ndef body(c):\n    return gen()",
        "UsageError",
        "the eval body is a generator, so it never ran: declare it def or async def without yield",
    ),
    "returns an awaitable": (
        "async def inner():\n    pass\ndef body(c):\n    return inner()",
        "UsageError",
        "the eval body is a plain function that returned an awaitable, which never ran: declare "
        "the body `async def`, and keep functools.wraps on any decorator around it",
    ),
    "an unawaited call": (
        "async def body(c):\n    c.exec('true')",
        "UsageError",
        "c.exec() at evals/x.eval.py:3 was never awaited, so it didn't run: an async body awaits "
        "each c call and matcher",
    ),
    "an unawaited matcher": (
        "from reeval.aio import expect as aexpect\n"
        "async def body(c):\n    aexpect(1).to_be_greater_than(0)",
        "UsageError",
        "expect(…).to_be_greater_than() at evals/x.eval.py:4 was never awaited, so it didn't run: "
        "an async body awaits each c call and matcher",
    ),
    "a task left running": (
        "import asyncio\nasync def body(c):\n    t = asyncio.create_task(asyncio.sleep(60))",
        "UsageError",
        "the body returned with 1 task(s) still running that it started at evals/x.eval.py:4, so "
        "their calls and checks were cut short: await each task (asyncio.gather or a TaskGroup) "
        "before the body returns",
    ),
    "a task that failed unseen": (
        "import asyncio\nasync def fails():\n    raise ValueError('boom')\n"
        "async def body(c):\n    asyncio.create_task(fails())\n    await asyncio.sleep(0.01)",
        "ValueError",
        "a task that the body started at evals/x.eval.py:6 and never awaited raised ValueError: "
        "boom",
    ),
    "tasks left in a group's own way": (
        "import asyncio\nasync def body(c):\n    asyncio.gather(asyncio.sleep(60), c.exec('a'))",
        "UsageError",
        "the body returned with 2 task(s) still running that it started at evals/x.eval.py:4, so "
        "their calls and checks were cut short: await each task (asyncio.gather or a TaskGroup) "
        "before the body returns",
    ),
    "a name the SDK has": (
        "def body(c):\n    fake_harness()",
        "NameError",
        "name 'fake_harness' is not defined: add `from reeval import fake_harness`",
    ),
    "a call that isn't one of the attempt's": (
        "def body(c):\n    c.readFile('a')",
        "AttributeError",
        "'SyncAttemptContext' object has no attribute 'readFile': did you mean 'read_file'?",
    ),
    "a breakpoint": (
        "def body(c):\n    breakpoint()",
        "UsageError",
        "breakpoint() can't be used in an eval, since the runner's stdin is not a terminal: print "
        "what you want to see, or set PYTHONBREAKPOINT to a debugger that you reach in another way",
    ),
    "pdb's own breakpoint": (
        "import pdb\ndef body(c):\n    pdb.set_trace()\n    c.send('x')",
        "UsageError",
        "pdb can't be used in an eval, since the runner's stdin is not a terminal: print what you "
        "want to see, or set PYTHONBREAKPOINT to a debugger that you reach in another way",
    ),
    "a task's sys.exit": (
        "import asyncio, sys\nasync def leaves():\n    sys.exit(4)\n"
        "async def body(c):\n    await asyncio.create_task(leaves())",
        "SystemExit",
        "the eval's body called sys.exit(4), which ends only its own attempt",
    ),
    "an unhandled thread error": (
        "import threading\ndef fails():\n    raise ValueError('boom')\n"
        "def body(c):\n    t = threading.Thread(target=fails, name='t1'); t.start(); t.join()",
        "ValueError",
        "thread 't1' raised ValueError: boom",
    ),
    "the other body's expect": (
        "async def body(c):\n    expect(1).to_be(1)",
        "RuntimeError",
        "expect() is for def bodies; in an async def body, use reeval.aio's and await the matcher",
    ),
    "too deep a recursion": (
        "def body(c):\n    body(c)",
        "RecursionError",
        "maximum recursion depth exceeded",
    ),
}


@pytest.mark.parametrize("kind", BAD_BODIES)
def test_a_bad_body_is_reported_for_what_it_is_and_others_go_on(engine: Any, kind: str) -> None:
    source, name, message = BAD_BODIES[kind]
    declared = engine.collect(
        f"{HEAD}{source}\nevaluate('bad', body)\nevaluate('good', lambda c: c.send('x') and None)\n"
    )
    assert isinstance(declared, m.Declared), declared
    engine.start("b1")
    error = engine.follow().error
    assert error is not None
    assert (error.name, error.message) == (name, message)
    engine.start("b2", "k2")
    assert engine.follow("k2").error is None
