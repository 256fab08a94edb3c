"""Written against the public SDK: what it can declare, ask and check, passing and failing."""

import re

from reeval_python import (
    AttemptContext,
    SyncAttemptContext,
    aio,
    evaluate,
    evaluate_each,
    expect,
    fake_harness,
    fake_judge,
    group,
    soft,
    todo,
)

WRITER = fake_harness(
    script=[
        [
            {"write": {"greet.py": "print('hi')\n"}},
            {"exec": "python3 greet.py"},
            {"reply": "wrote it"},
        ],
        [{"exec": "ls"}, {"reply": "listed"}],
    ]
)
OPTIONS = {"harness": WRITER}


@evaluate("two turns and their files", {**OPTIONS, "runs": 2, "tags": ["files"]})
def two_turns(c: SyncAttemptContext) -> None:
    first = c.send("write greet.py")
    expect(first).to_have_file("greet.py", "print")
    expect(first).to_have_file("greet.py", re.compile(r"^print\(.hi.\)$", re.MULTILINE))
    expect(first).to_have_changed(["greet.py"])
    expect(first).to_have_edited("greet.py")
    expect(first).to_have_run("python3 greet.py")
    second = c.send("list")
    expect(second.text).to_contain("list")
    expect(second).not_.to_have_run(re.compile(r"rm\s"))
    assert second.text == "listed"


@evaluate("async, with a retry and a poll", OPTIONS)
async def with_async(c: AttemptContext) -> None:
    await c.write_file("count", "0\n")
    tried = await c.exec(
        "n=$(cat count); echo $((n+1)) > count; test $n -ge 1", retries=2, interval=0.05
    )
    await aio.expect(tried).to_succeed()
    await aio.expect(await c.read_file("count")).to_equal("2\n")
    await aio.expect.poll(lambda: c.read_file("count"), interval=0.05, timeout=5).to_contain("2")


@evaluate("a failed check and a soft one", OPTIONS)
def fails(c: SyncAttemptContext) -> None:
    soft(3, "three is four").to_equal(4)
    expect(None).to_be_null()
    expect([1, 2, 3]).to_contain(2)
    expect({"a": {"b": [1.0, None]}}).to_equal({"a": {"b": [1, None]}})
    expect({"a": 1, "b": [True]}, "the whole").to_equal({"a": 1, "b": [1]})


@evaluate("a plain assert that fails", OPTIONS)
def plain(c: SyncAttemptContext) -> None:
    done = c.exec("echo out; echo err >&2; exit 3")
    assert done.stdout == "out\n"
    assert done.exit_code == 0, "the command works"


@evaluate("raises", OPTIONS)
def raises(c: SyncAttemptContext) -> None:
    print("before it raises")
    raise ValueError("what went wrong")


@evaluate("judged", {**OPTIONS, "judge": {"model": fake_judge(score=0.9)}})
def judged(c: SyncAttemptContext) -> None:
    c.send("write greet.py")
    expect(c.judge("Is it good?")).to_pass()
    assert c.judge("Is it very good?", threshold=0.95).passed is False


def numbers() -> None:
    def one(c: SyncAttemptContext, case: dict) -> None:
        expect(case["a"] + case["b"]).to_be(case["sum"])

    evaluate_each(
        [{"a": 1, "b": 2, "sum": 3}, {"a": 2, "b": 2, "sum": 4}], "$a and $b (%#)", OPTIONS
    )(one)
    todo("later")


group("numbers", numbers)
