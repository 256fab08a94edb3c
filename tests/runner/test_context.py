"""The context in both kinds of body: each call's message, and what its answer becomes."""

from __future__ import annotations

from typing import Any

import pytest

from reeval.protocol import messages as m

SYNC = "from reeval import evaluate, expect\n@evaluate('x')\ndef body(c):\n"
ASYNC = (
    "from reeval import evaluate\nfrom reeval.aio import expect\n@evaluate('x')\n"
    "async def body(c):\n"
)

CALLS: list[tuple[str, m.Call]] = [
    ("c.send('go')", m.Send("go")),
    ("c.exec('ls')", m.Exec("ls")),
    ("c.exec('ls', retries=2, interval=0.25)", m.Exec("ls", retries=2, interval_ms=250)),
    ("c.exec('ls', retries=1, interval=0)", m.Exec("ls", retries=1, interval_ms=0)),
    ("c.exec('ls', background=True)", m.Exec("ls", background=True)),
    ("c.read_file('a')", m.ReadFile("a")),
    ("c.file('~/a')", m.ReadFile("~/a")),
    ("c.write_file('a', 'é\\n')", m.WriteFile("a", "é\n".encode())),
    ("c.write_file('a', b'\\xff\\x00')", m.WriteFile("a", b"\xff\x00")),
    ("c.serve('npm start')", m.Serve("npm start")),
    ("c.serve(['serve', '{port}'], port=80)", m.Serve(("serve", "{port}"), 80)),
    ("c.capture(3000, name='home', timeout=5)",
     m.Capture({"port": 3000}, {"name": "home", "timeout": "5s"})),
    ("c.judge('Is it?')", m.Judge("Is it?", {})),
    ("c.judge('Is it?', threshold=0.5, provider_options={'x': {'a_b': 1}})",
     m.Judge("Is it?", {"threshold": 0.5, "providerOptions": {"x": {"a_b": 1}}})),
    ("c.judge('Is it?', on=None)", m.Judge("Is it?", {"on": {"value": None}})),
    ("c.judge('Is it?', on=[1, {'a': 'b'}])",
     m.Judge("Is it?", {"on": {"value": [1, {"a": "b"}]}})),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), CALLS, ids=[source for source, _ in CALLS])
def test_each_call_is_the_same_message_from_both_kinds_of_body(
    engine: Any, call: str, message: m.Call
) -> None:
    captured = {"capture": {"name": "home"}}

    def answer(request: m.Request) -> m.Reply | None:
        if request.call.op == "capture":
            return m.Reply(request.id, request.key, "capture", captured)
        return None

    assert engine.run(f"{SYNC}    {call}\n", answer).calls == [message]
    ended = engine.run(f"{ASYNC}    await {call}\n", answer)
    assert ended.error is None
    assert ended.calls == [message]


SEES = [
    "turn = c.send('go')",
    "assert (turn.index, turn.prompt, turn.text, turn.status) == (0, 'go', 'hi', 'completed')",
    "assert (turn.started_at, turn.duration_ms) == ('2026-11-30T17:40:47.000Z', 12)",
    "assert turn.transcript == ({'type': 'text', 'text': 'hi'},)",
    "assert (turn.usage.input, turn.usage.cache_write, turn.usage.reasoning) == (1, 4, None)",
    "assert (turn.model, turn.unreported) == ('fake-1', ('web-search',))",
    "assert [(f.path, f.status) for f in turn.diff.files] == [('x.txt', 'added')]",
    "assert turn.diff.patch == '+x'",
    "assert c.turns == [turn] and c.send('again').index == 1 and len(c.turns) == 2",
    "r = turn.exec('ls')",
    "assert (r.command, r.exit_code, r.stdout, r.stderr, r.ok) == ('ls', 0, 'out\\n', '', True)",
    "assert turn.read_file('a') == 'contents of a' and c.read_file('missing') is None",
    "assert c.write_file('a', 'b') is None",
    "h = c.exec('sleep 9', background=True)",
    "h.kill(); c.kill(h)",
    "s = c.serve('npm start', port=80)",
    "assert (s.id, s.port) == ('h2', 80)",
    "v = c.judge('Is it?', on=turn)",
    "assert (v.verdict, v.passed, v.score, v.threshold) == ('pass', True, 0.9, 0.8)",
    "assert (v.question, v.model, v.reason) == ('Is it?', 'm', None)",
    "assert (c.attempt.id, c.attempt.n) == ('fake/-/fake#1', 1)",
    "assert c.attempt.cell['key'] == 'fake/-/fake'",
    "assert (c.signal.aborted, c.signal.reason, c.signal.wait(0)) == (False, None, False)",
]


def test_a_sync_body_reads_every_answer(engine: Any) -> None:
    ended = engine.run(SYNC + "".join(f"    {line}\n" for line in SEES))
    assert ended.error is None, ended.error
    assert [call.handle for call in ended.calls if isinstance(call, m.Kill)] == ["h1", "h1"]
    assert m.Judge("Is it?", {"on": {"turn": 0}}) in ended.calls


def test_an_async_body_reads_every_answer(engine: Any) -> None:
    import re

    waited = re.compile(
        r"\b((?:c|turn|h)\.(?:send|exec|read_file|write_file|kill|serve|judge|signal\.wait)"
        r"\((?:[^()]|\([^()]*\))*\))"
    )
    lines = [waited.sub(r"(await \1)", line) for line in SEES]
    ended = engine.run(ASYNC + "".join(f"    {line}\n" for line in lines))
    assert ended.error is None, ended.error
    assert [call.handle for call in ended.calls if isinstance(call, m.Kill)] == ["h1", "h1"]


def test_a_judge_that_failed_is_a_verdict_that_says_why(engine: Any) -> None:
    failure = {
        "verdict": "error",
        "score": None,
        "threshold": 0.8,
        "question": "Is it?",
        "model": "m",
        "error": "429 from the provider",
    }

    def answer(request: m.Request) -> m.Reply | None:
        if request.call.op == "judge":
            return m.Reply(request.id, request.key, "judge", {"verdict": failure})
        return None

    ended = engine.run(
        SYNC + "    v = c.judge('Is it?')\n"
        "    print(v.verdict, v.score, v.passed, v.reason)\n"
        "    expect(v).to_pass()\n",
        answer,
    )
    assert ended.logs == [("stdout", "error 0.0 False 429 from the provider")]
    assert ended.calls[1] == m.Expect(m.ValueSubject(failure), "toPass", ())


WRONG = {
    "c.send(3)": 'TypeError: c.send(…) takes a str, e.g. c.send("Create greet.py") (got 3)',
    "c.exec(['ls'])": "TypeError: c.exec(…) takes a str, e.g. c.exec(\"npm test\") (got ['ls'])",
    "c.exec('ls', retries=-1)": (
        "TypeError: c.exec(retries=…) takes a whole number from 0 (got -1)"
    ),
    "c.exec('ls', retries=1, interval='2s')": (
        "TypeError: c.exec(interval=…) takes seconds or a timedelta: write 2 or "
        "timedelta(seconds=2) (got '2s')"
    ),
    "c.exec('ls', retries=1, interval=-1)": (
        "ValueError: c.exec(interval=…) takes 0 or more seconds (got -1)"
    ),
    "c.exec('ls', background=True, retries=1)": (
        "TypeError: c.exec(…, background=True) doesn't wait for the command's exit, so it takes "
        "neither retries nor interval"
    ),
    "c.serve('x', port=70000)": (
        "ValueError: c.serve(port=…) takes a port from 1 to 65535 (got 70000)"
    ),
    "c.kill('h1')": (
        "TypeError: c.kill(…) takes the handle of c.exec(…, background=True) or c.serve(…) "
        "(got 'h1')"
    ),
    "c.write_file('a', 3)": "TypeError: c.write_file('a', …) takes str or bytes (got 3)",
    "c.judge('Is it?', on={1, 2})": (
        "TypeError: judge(on=…) takes a turn, an ExecResult, a Verdict or a JSON value: Object of "
        "type set is not JSON serializable"
    ),
}


@pytest.mark.parametrize("call", WRONG)
def test_a_wrong_argument_is_refused_where_it_is_passed(engine: Any, call: str) -> None:
    for source in (f"{SYNC}    {call}\n", f"{ASYNC}    await {call}\n"):
        ended = engine.run(source)
        assert f"{ended.error.name}: {ended.error.message}" == WRONG[call]
        assert ended.calls == []
