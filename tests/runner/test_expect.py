"""`expect`: what each matcher asks the engine, patterns only Python can match, and failures."""

from __future__ import annotations

import re
from typing import Any

import pytest

from reeval.protocol import messages as m

HEAD = "import re\nfrom datetime import timedelta\n"
SYNC = HEAD + "from reeval import evaluate, expect, soft\n@evaluate('x')\ndef body(c):\n"
ASYNC = (
    HEAD + "from reeval import evaluate\nfrom reeval.aio import expect, soft\n@evaluate('x')\n"
    "async def body(c):\n"
)


def value(subject: object, matcher: str, *args: object, **rest: Any) -> m.Expect:
    return m.Expect(m.ValueSubject(subject), matcher, args, **rest)


def attempt(matcher: str, *args: object, **rest: Any) -> m.Expect:
    return m.Expect(m.AttemptSubject(), matcher, args, **rest)


MATCHERS: list[tuple[str, m.Expect]] = [
    ("expect(1).to_be(2)", value(1, "toBe", 2)),
    ("expect([1], 'list').to_equal((1,))", value([1], "toEqual", [1], label="list")),
    ("expect(None).to_be_null()", value(None, "toBeNull")),
    ("expect(1).to_be_truthy()", value(1, "toBeTruthy")),
    ("expect('ab').to_contain('a')", value("ab", "toContain", "a")),
    ("expect('ab').to_match('a')", value("ab", "toMatch", "a")),
    ("expect('ab').to_have_length(2)", value("ab", "toHaveLength", 2)),
    ("expect(1).to_be_greater_than(0)", value(1, "toBeGreaterThan", 0)),
    ("expect(1).to_be_greater_than_or_equal(0)", value(1, "toBeGreaterThanOrEqual", 0)),
    ("expect(1).to_be_less_than(2.5)", value(1, "toBeLessThan", 2.5)),
    ("expect(1).to_be_less_than_or_equal(2)", value(1, "toBeLessThanOrEqual", 2)),
    ("expect(1).to_be_close_to(1.001)", value(1, "toBeCloseTo", 1.001, 2)),
    ("expect({'a': 1}).to_have_property('a')", value({"a": 1}, "toHaveProperty", "a")),
    ("expect({'a': 1}).to_have_property('a', None)", value({"a": 1}, "toHaveProperty", "a", None)),
    ("expect(1).not_.to_be(2)", value(1, "toBe", 2, negated=True)),
    ("expect(1).not_.not_.to_be(2)", value(1, "toBe", 2)),
    ("expect.soft(1, 'one').to_be(2)", value(1, "toBe", 2, soft=True, label="one")),
    ("soft(1).to_be(2)", value(1, "toBe", 2, soft=True)),
    ("expect(c).to_have_file('a')", attempt("toHaveFile", "a")),
    ("expect(c).to_have_file('a', 'b')", attempt("toHaveFile", "a", "b")),
    ("expect(c).to_have_changed()", attempt("toHaveChanged")),
    ("expect(c).to_have_changed(['a', 'b/**'])", attempt("toHaveChanged", ["a", "b/**"])),
    ("expect(c).to_have_edited('a')", attempt("toHaveEdited", "a")),
    ("expect(c).to_have_run()", attempt("toHaveRun")),
    ("expect(c).to_have_called_tool('Read', {'file_path': 'a'})",
     attempt("toHaveCalledTool", "Read", {"file_path": "a"})),
    ("expect(c).to_have_called_mcp('docs', 'search')",
     attempt("toHaveCalledMcp", "docs", "search")),
    ("expect(c).to_have_called_skill('greet')", attempt("toHaveCalledSkill", "greet")),
    ("expect(c).to_have_searched('x')", attempt("toHaveSearched", "x")),
    ("expect(c).to_have_fetched('x')", attempt("toHaveFetched", "x")),
    ("expect.poll(c, 'log', interval=0.1, timeout=timedelta(minutes=1)).to_have_file('a')",
     attempt("toHaveFile", "a", label="log", poll=m.Poll(100, 60_000))),
    ("expect.poll(lambda: c.read_file('a')).to_be('b')",
     m.Expect(m.FileSubject("a"), "toBe", ("b",), poll=m.Poll())),
    ("expect.poll(lambda: c.exec('ls')).not_.to_contain('b')",
     m.Expect(m.ExecSubject("ls"), "toContain", ("b",), negated=True, poll=m.Poll())),
]  # fmt: skip


@pytest.mark.parametrize(("check", "message"), MATCHERS, ids=[source for source, _ in MATCHERS])
def test_each_matcher_is_the_same_message_from_both_kinds_of_body(
    engine: Any, check: str, message: m.Expect
) -> None:
    ended = engine.run(f"{SYNC}    {check}\n")
    assert ended.error is None, ended.error
    assert ended.calls == [message]
    ended = engine.run(f"{ASYNC}    await {check}\n")
    assert ended.error is None, ended.error
    assert ended.calls == [message]


def test_results_are_checked_as_what_they_are(engine: Any) -> None:
    ended = engine.run(
        SYNC + "    t = c.send('go'); r = c.exec('ls')\n"
        "    expect(t).to_have_run()\n"
        "    expect(r).to_succeed()\n"
        "    expect(c.turns).to_have_length(1)\n"
        "    expect(t.diff.files).to_contain(r)\n"
    )
    turn, result = m.TurnSubject(0), m.ExecResult(0, "out\n", "")
    assert ended.error is None, ended.error
    on_turn, on_result, on_turns, on_files = ended.calls[2:]
    assert on_turn == m.Expect(turn, "toHaveRun", ())
    assert on_result == m.Expect(m.ExecSubject("ls", result), "toSucceed", ())
    assert on_turns.subject.value[0]["text"] == "hi"
    assert on_files == value(
        [{"path": "x.txt", "status": "added"}],
        "toContain",
        {"exitCode": 0, "stdout": "out\n", "stderr": ""},
    )


def failing(request: m.Request) -> m.Reply | None:
    if not isinstance(request.call, m.Expect):
        return None
    assertion = {"label": "x", "status": "fail", "message": "expected 1 to be 2"}
    return m.Reply(request.id, request.key, "expect", {"assertion": assertion})


@pytest.mark.parametrize("head", [SYNC, ASYNC])
def test_a_failed_matcher_ends_the_body_unless_it_is_soft(engine: Any, head: str) -> None:
    wait = "await " if head is ASYNC else ""
    ended = engine.run(
        f"{head}    {wait}expect.soft(1).to_be(2)\n    {wait}expect(1).to_be(2)\n    print('no')\n",
        failing,
    )
    assert len(ended.calls) == 2
    assert ended.logs == []
    assert (ended.error.name, ended.error.message) == ("AssertionError", "expected 1 to be 2")


@pytest.mark.parametrize("head", [SYNC, ASYNC])
def test_a_pattern_is_matched_here_on_the_strings_the_engine_tested(engine: Any, head: str) -> None:
    def answer(request: m.Request) -> m.Reply:
        pattern = request.call.args[0]
        untested = [s for s in ("npm test", "ls") if s not in pattern["answers"]]
        if untested:
            asked = {pattern["matchedBy"]: untested}
            return m.Reply(request.id, request.key, "expect", {"untested": asked})
        return m.Reply(request.id, request.key, "expect", {"assertion": {"status": "pass"}})

    wait = "await " if head is ASYNC else ""
    ended = engine.run(
        f"{head}    {wait}expect(c).to_have_run(re.compile(r'(?<=npm )T', re.I))\n", answer
    )
    assert ended.error is None, ended.error
    name = repr(re.compile(r"(?<=npm )T", re.IGNORECASE))
    assert [call.args for call in ended.calls] == [
        ({"matchedBy": name, "answers": {}},),
        ({"matchedBy": name, "answers": {"npm test": True, "ls": False}},),
    ]


def test_a_subject_that_never_stops_changing_ends_after_five_rounds(engine: Any) -> None:
    def answer(request: m.Request) -> m.Reply:
        pattern = request.call.args[0]
        asked = {pattern["matchedBy"]: [f"new {request.id}"]}
        return m.Reply(request.id, request.key, "expect", {"untested": asked})

    ended = engine.run(SYNC + "    expect(c).to_have_run(re.compile('x'))\n", answer)
    assert len(ended.calls) == 6
    assert ended.error.message == (
        "toHaveRun's subject changed while reeval matched re.compile('x') on it, 5 times over: "
        "check it once it has stopped changing"
    )


WRONG = {
    "expect({1}).to_be(1)": (
        "TypeError: expect() takes the attempt, a turn, c.exec(…), c.read_file(…) or a JSON "
        "value: Object of type set is not JSON serializable"
    ),
    "expect(1).to_be(object)": (
        "TypeError: a matcher takes JSON values and re patterns: Object of type type is not JSON "
        "serializable"
    ),
    "expect(1).to_raise()": (
        "TypeError: to_raise calls a function, e.g. expect(lambda: parse('x')).to_raise(ValueError)"
    ),
    "expect.poll('a').to_be('b')": (
        "TypeError: expect.poll takes c, or a function that reads a file or runs a command, e.g. "
        "expect.poll(lambda: c.read_file('ready.txt')): a value never changes"
    ),
    "expect.poll(lambda: 1).to_be(1)": (
        "TypeError: expect.poll's function must return c.read_file(…) or c.exec(…), which reeval "
        "makes again on each try"
    ),
    "expect.poll(lambda x: 1).to_be(1)": (
        "TypeError: expect.poll's function takes no arguments, e.g. "
        "expect.poll(lambda: c.read_file('ready.txt'))"
    ),
    "expect.poll(lambda: c.exec('x').stdout).to_be(1)": (
        "TypeError: expect.poll's function returns c.read_file(…) or c.exec(…) itself, which "
        "reeval makes again on each try: check what it gives with the matcher, as in "
        "expect.poll(lambda: c.exec('cat x')).to_contain('ok') (it read .stdout)"
    ),
    "expect.poll(lambda: c.send('x')).to_be(1)": (
        "TypeError: expect.poll's function can only read a file or run a command, not c.send()"
    ),
    "expect.poll(lambda: (c.exec('a'), c.exec('b'))[1]).to_be(1)": (
        "TypeError: expect.poll's function reads one file or runs one command, which reeval makes "
        "again on each try; this one made 2"
    ),
    "expect.poll(lambda: c.exec('a', retries=1)).to_be(1)": (
        "TypeError: expect.poll runs its command again on each try already: drop c.exec's retries "
        "and interval, or check the command once, without expect.poll"
    ),
    "expect.poll(lambda: c.read_file('a') + c.read_file('b')).to_be(1)": (
        "TypeError: expect.poll's function reads one file or runs one command, which reeval makes "
        "again on each try; this one made 2"
    ),
    "expect.poll(lambda: (c.exec('a'), c.send('x'))).to_be(1)": (
        "TypeError: expect.poll's function can only read a file or run a command, not c.send()"
    ),
    "expect(1).toBeGreaterThan(0)": (
        "AttributeError: expect(…) has no 'toBeGreaterThan': did you mean 'to_be_greater_than'?"
    ),
    "expect(c).to_have_fil('a')": (
        "AttributeError: expect(…) has no 'to_have_fil': did you mean 'to_have_file'?"
    ),
    "expect(1).not_.toBe(2)": "AttributeError: expect(…) has no 'toBe': did you mean 'to_be'?",
    "expect(1).not_to_be(2)": (
        "AttributeError: expect(…) has no 'not_to_be': write expect(…).not_.to_be(…)"
    ),
    "expect(1).notToEqual(2)": (
        "AttributeError: expect(…) has no 'notToEqual': write expect(…).not_.to_equal(…)"
    ),
    "expect.soft(1).never(2)": (
        "AttributeError: expect(…) has no 'never': its matchers are to_be, to_equal, to_be_null, "
        "to_be_truthy, to_contain, to_match, to_have_length, to_be_greater_than, "
        "to_be_greater_than_or_equal, to_be_less_than, to_be_less_than_or_equal, to_be_close_to, "
        "to_have_property, to_raise, to_succeed, to_pass, to_have_file, to_have_changed, "
        "to_have_edited, to_have_run, to_have_called_tool, to_have_called_mcp, "
        "to_have_called_skill, to_have_searched, to_have_fetched"
    ),
    "expect.poll(c, timeout='5s').to_have_file('a')": (
        "TypeError: expect.poll(timeout=…) takes seconds or a timedelta: write 5 or "
        "timedelta(seconds=5) (got '5s')"
    ),
    "expect.poll(c, timeout=0).to_have_file('a')": (
        "ValueError: expect.poll(timeout=…) takes more than zero seconds (got 0)"
    ),
}


@pytest.mark.parametrize("check", WRONG)
def test_a_wrong_check_is_refused_where_it_is_made(engine: Any, check: str) -> None:
    for source in (f"{SYNC}    {check}\n", f"{ASYNC}    await {check}\n"):
        ended = engine.run(source)
        assert f"{ended.error.name}: {ended.error.message}" == WRONG[check]
        assert ended.calls == []


RAISES: dict[str, tuple[str, str | None]] = {
    "expect(lambda: int('x')).to_raise(ValueError)": ("toRaise", None),
    "expect(lambda: int('x')).to_raise(ValueError, match='invalid')": ("toRaise", None),
    "expect(lambda: int('x')).to_raise(ValueError, match=re.compile('inv.*x'))": ("toRaise", None),
    "expect(lambda: 3).not_.to_raise()": ("not.toRaise", None),
    "expect(lambda: 3).to_raise()": ("toRaise", "expected Exception, returned 3"),
    "expect(lambda: {}['a']).to_raise(ValueError)": (
        "toRaise",
        "expected ValueError, raised KeyError: 'a'",
    ),
    "expect(lambda: {}['a']).to_raise(KeyError, match='b')": (
        "toRaise",
        "expected KeyError matching 'b', raised KeyError: 'a'",
    ),
    "expect(lambda: {}['a']).not_.to_raise()": (
        "not.toRaise",
        "expected no Exception, raised KeyError: 'a'",
    ),
}


@pytest.mark.parametrize("check", RAISES)
def test_to_raise_is_checked_here_and_recorded(engine: Any, check: str) -> None:
    matcher, problem = RAISES[check]
    for source in (f"{SYNC}    {check}\n", f"{ASYNC}    await {check}\n"):
        ended = engine.run(source)
        status = "pass" if problem is None else "fail"
        record = m.Record(matcher, status, subject="body.<locals>.<lambda>", message=problem)
        assert ended.calls == [record]
        if problem is None:
            assert ended.error is None
        else:
            assert (ended.error.name, ended.error.message) == ("AssertionError", problem)


def test_an_async_to_raise_awaits_what_the_function_returns(engine: Any) -> None:
    ended = engine.run(
        ASYNC + "    async def fails(): raise ValueError('boom')\n"
        "    await expect(fails, 'it fails').to_raise(ValueError)\n"
    )
    assert [(r.status, r.label) for r in ended.records] == [("pass", "it fails")]


NOT_ITSELF = [
    "{} + 'x'", "'x' + {}", "{} * 2", "-{}", "{} < 'x'", "{} == 'x'", "{} != 'x'", "{}[0]",
    "'x' in {}", "{} and 1", "not {}", "len({})", "str({})", "repr({})", "f'{{{}}}'", "int({})",
    "list({})", "{{{}: 1}}", "{}.strip()", "{}.stdout", "{}()", "json.loads({})",
    "re.search('x', {})", "'%s' % {}", "open({})",
]  # fmt: skip


@pytest.mark.parametrize("use", NOT_ITSELF)
def test_whatever_a_polled_function_does_with_its_read_is_refused(engine: Any, use: str) -> None:
    said = (
        "expect.poll's function returns c.read_file(…) or c.exec(…) itself, which reeval makes "
        "again on each try: check what it gives with the matcher, as in "
        "expect.poll(lambda: c.exec('cat x')).to_contain('ok')"
    )
    for read in ('c.read_file("a")', 'c.exec("a")'):
        ended = engine.run(
            f"import json\n{SYNC}    expect.poll(lambda: {use.format(read)}).to_be('x')\n"
        )
        assert ended.error.name == "TypeError"
        assert ended.error.message.split(" (it read ")[0] == said
        assert ended.calls == []


def test_an_error_of_a_polled_function_s_own_is_passed_on(engine: Any) -> None:
    ended = engine.run(f"{SYNC}    expect.poll(lambda: c.read_file({{}}['a'])).to_be(1)\n")
    assert (ended.error.name, ended.error.message) == ("KeyError", "'a'")


# ── an expect that checks nothing ────────────────────────────────────────────────────────────

UNUSED = (
    "expect(…) at evals/x.eval.py:{} was never used, so nothing was checked: call a matcher on it, "
    "as in expect(x).to_be(1)"
)


@pytest.mark.parametrize("head", [SYNC, ASYNC])
@pytest.mark.parametrize(
    "check",
    [
        "expect(1)",
        "expect(1).to_be_truthy",
        "expect(1).not_",
        "expect(1).not_.to_be",
        "expect.soft(1, 'one').to_be",
        "soft(1)",
        "expect.poll(c).to_have_file",
        "kept = expect(1)",
        "kept = expect(len).to_raise",
    ],
)
def test_an_expect_whose_matcher_is_never_called_fails_the_body(
    engine: Any, head: str, check: str
) -> None:
    ended = engine.run(f"{head}    c.turns\n    {check}\n")
    line = head.count("\n") + 2
    assert ended.error is not None
    assert (ended.error.name, ended.error.message) == ("UsageError", UNUSED.format(line))


@pytest.mark.parametrize(
    "body",
    [
        "e = expect(1)\ne.to_be(1)",
        "e = expect(1).not_\ne.to_be(1)",
        "e = expect(1).to_be\ne(1)",
        "e = expect(1)\ne.not_.to_be(2)\ne.to_be(1)",
        "expect(lambda: 1).not_.to_raise()",
        "[expect(n).to_be(n) for n in range(3)]",
        "threading.Thread(target=lambda: expect(1).to_be(1)).start()",
    ],
)
def test_an_expect_whose_matcher_is_called_somehow_is_used(engine: Any, body: str) -> None:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    assert engine.run(f"import threading\n{SYNC}{lines}").error is None


@pytest.mark.parametrize("head", [SYNC, ASYNC])
def test_an_unused_expect_doesn_t_hide_the_error_that_ended_the_body(
    engine: Any, head: str
) -> None:
    ended = engine.run(f"{head}    expect(1)\n    raise ValueError('boom')\n")
    assert (ended.error.name, ended.error.message) == ("ValueError", "boom")


def test_an_unused_expect_in_a_module_of_the_project_s_names_that_line(engine: Any) -> None:
    (engine._root / "shared.py").write_text(
        "from reeval import expect\n\ndef check(x):\n    expect(x)\n"
    )
    ended = engine.run(f"from shared import check\n{SYNC}    check(1)\n")
    assert ended.error.message == UNUSED.format(4).replace("evals/x.eval.py", "shared.py")


def test_an_attempt_s_errors_are_named_as_they_are_imported(engine: Any) -> None:
    ended = engine.run(SYNC + "    expect(1).to_be(2)\n", failing)
    assert ended.error.stack.endswith("\nreeval.ReevalAssertionError: expected 1 to be 2\n")
    ended = engine.run(
        SYNC + "    import pickle\n    from reeval import ReevalCallError\n"
        "    assert pickle.loads(pickle.dumps(ReevalCallError)) is ReevalCallError\n"
    )
    assert ended.error is None
