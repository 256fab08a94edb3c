"""The fake agent really acts in its sandbox, and reports what it did."""

from __future__ import annotations

import asyncio
import itertools
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reeval.config.errors import UsageError
from reeval.config.model import EnvironmentSpec, HarnessSpec, McpServer, Secret, SkillSource
from reeval.harness.base import HarnessError, Launch, TurnResult
from reeval.harness.events import Event, FileEdit, Problem, Text, Tool
from reeval.harness.fake import FLAKED, FakeHarness
from reeval.sandbox.base import Sandbox

SERVER = Path(__file__).parent / "mcp_server.py"


def launch(sandbox: Sandbox | None, environment: EnvironmentSpec | None = None, **fields: Any):
    ticks = itertools.count()
    return Launch(
        HarnessSpec("fake", "fake", fields=fields),
        environment,
        sandbox,  # type: ignore[arg-type]  # None where the agent never touches it
        "a#1",
        lambda: float(next(ticks)),
    )


def turns(
    in_sandbox, prompts=1, environment=None, **fields
) -> list[tuple[TurnResult, list[Event]]]:
    """Each turn's result and events."""

    async def body(sandbox: Sandbox):
        session = await FakeHarness().start(launch(sandbox, environment, **fields))
        out = []
        for number in range(prompts):
            events: list[Event] = []
            out.append((await session.turn(f"prompt {number}", events.append), events))
        await session.close()
        return out

    return in_sandbox(body)


def texts(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Text)]


def test_it_says_done_when_it_was_told_nothing(in_sandbox):
    [(result, events)] = turns(in_sandbox)
    assert result == TurnResult("completed", "Done.")
    assert texts(events) == ["Done."]


def test_a_reply_is_the_final_message_instead_of_the_text(in_sandbox):
    [(result, events)] = turns(in_sandbox, script=[[{"reply": "hi"}]], text="unused")
    assert result.text == "hi"
    assert texts(events) == ["hi"]


def test_each_send_takes_the_next_list_of_the_script_and_the_last_repeats(in_sandbox):
    found = turns(in_sandbox, 4, script=[[{"reply": "one"}], [{"reply": "two"}]])
    assert [result.text for result, _ in found] == ["one", "two", "two", "two"]


def test_an_exec_step_runs_in_the_workspace_and_is_reported_as_a_shell_tool(in_sandbox):
    [(_, events)] = turns(
        in_sandbox, script=[[{"exec": "echo hi > a; cat a; echo no >&2; exit 3"}]]
    )
    tool = events[0]
    assert isinstance(tool, Tool)
    assert (tool.tool, tool.input) == (
        "shell",
        {"command": "echo hi > a; cat a; echo no >&2; exit 3"},
    )
    assert (tool.output, tool.ok, tool.stalled) == ("hi\n", False, False)
    assert tool.duration_ms is not None


def test_a_write_step_reports_real_line_counts(in_sandbox):
    script = [
        [{"write": {"src/a.py": "one\ntwo\n"}}],
        [{"write": {"src/a.py": "one\nTWO\nthree\n"}}],
    ]
    (_, first), (_, second) = turns(in_sandbox, 2, script=script)
    assert edits(first) == [("src/a.py", "create", 2, 0)]
    assert edits(second) == [("src/a.py", "modify", 2, 1)]


def edits(events: list[Event]) -> list[tuple[Any, ...]]:
    return [(e.path, e.kind, e.added, e.removed) for e in events if isinstance(e, FileEdit)]


def test_files_are_written_after_the_script_on_every_turn(in_sandbox):
    async def body(sandbox: Sandbox):
        spec = launch(
            sandbox, script=[[{"write": {"a": "script"}}]], files={"a": "files", "~/b": "b"}
        )
        session = await FakeHarness().start(spec)
        await session.turn("x", lambda event: None)
        return await sandbox.read_file("a"), await sandbox.read_file("~/b")

    assert in_sandbox(body) == (b"files", b"b")


def test_an_error_step_ends_the_turn_there(in_sandbox):
    script = [[{"reply": "so far"}, {"error": "overloaded"}, {"write": {"never": ""}}]]
    [(result, events)] = turns(in_sandbox, script=script, files={"also-never": ""})
    assert result == TurnResult("error", "so far", error="overloaded")
    assert [type(event) for event in events] == [Text, Problem]


def test_reasoning_comes_first_and_canned_tools_before_files(in_sandbox):
    tools = [
        {"tool": "Skill", "input": {"skill": "greet"}, "output": "ok"},
        {"tool": "x", "ok": False},
    ]
    [(_, events)] = turns(in_sandbox, reasoning="hm", tools=tools, files={"a": ""})
    assert [event.type for event in events] == ["reasoning", "tool", "tool", "file-edit", "text"]
    assert [event.ok for event in events if isinstance(event, Tool)] == [True, False]


def test_with_skill_replaces_files_and_text_only_when_there_is_a_skill(in_sandbox):
    fields = {
        "files": {"a": "a"},
        "text": "plain",
        "with_skill": {"files": {"b": "b"}, "text": "skilled"},
    }
    skilled = EnvironmentSpec("e", skills=(SkillSource("inline", {"name": "x"}),))
    [(plain, plain_events)] = turns(in_sandbox, **fields)
    [(result, events)] = turns(in_sandbox, environment=skilled, **fields)
    assert (plain.text, [e[0] for e in edits(plain_events)]) == ("plain", ["a"])
    assert (result.text, [e[0] for e in edits(events)]) == ("skilled", ["b"])


def test_with_skill_leaves_what_it_does_not_name(in_sandbox):
    skilled = EnvironmentSpec("e", skills=(SkillSource("inline", {"name": "x"}),))
    fields = {"files": {"a": "a"}, "with_skill": {"text": "skilled"}}
    [(result, events)] = turns(in_sandbox, environment=skilled, **fields)
    assert (result.text, [e[0] for e in edits(events)]) == ("skilled", ["a"])


def test_an_attempt_that_flakes_writes_nothing_and_says_so(in_sandbox):
    script = [[{"write": {"a": ""}}, {"reply": "wrote a"}]]
    [(result, events)] = turns(in_sandbox, script=script, files={"b": ""}, flake_rate=1)
    assert result.text == FLAKED
    assert edits(events) == []


def test_it_flakes_about_as_often_as_it_was_told():
    async def flaked() -> int:
        count = 0
        for _ in range(400):
            session = await FakeHarness().start(launch(None, flake_rate=0.5))
            count += (await session.turn("x", lambda event: None)).text == FLAKED
        return count

    # Outside this range once in 10^17 runs.
    assert 115 < asyncio.run(flaked()) < 285


def test_the_served_model_is_reported_and_usage_never(in_sandbox):
    [(result, _)] = turns(in_sandbox, served_model="fake-1[effort=medium]")
    assert (result.model, result.usage, result.unreported) == ("fake-1[effort=medium]", None, ())


def test_fail_with_stops_the_start():
    with pytest.raises(HarnessError, match=r"^no credits$"):
        asyncio.run(FakeHarness().start(launch(None, fail_with="no credits")))


def test_the_first_starts_of_each_attempt_hang():
    async def ready_after() -> list[list[bool]]:
        harness = FakeHarness()
        return [
            [await is_ready(harness, replace(spec, attempt_id=name)) for _ in range(4)]
            for name in ("a", "b")
        ]

    spec = launch(None, start_hangs=2)
    assert asyncio.run(ready_after()) == [[False, False, True, False]] * 2


async def is_ready(harness: FakeHarness, spec: Launch) -> bool:
    start = asyncio.ensure_future(harness.start(spec))
    done, _ = await asyncio.wait({start}, timeout=0.05)
    for _ in range(2):
        start.cancel()
        await asyncio.sleep(0)
    return bool(done)


def test_a_hung_start_goes_on_after_it_is_cancelled_and_ends_at_the_second_time():
    async def cancelled() -> list[bool]:
        start = asyncio.ensure_future(FakeHarness().start(launch(None, start_hangs=True)))
        out = []
        for _ in range(2):
            await asyncio.sleep(0.01)
            start.cancel()
            done, _ = await asyncio.wait({start}, timeout=0.05)
            out.append(bool(done))
        return out

    assert asyncio.run(cancelled()) == [False, True]


def test_an_abort_during_the_delay_leaves_the_workspace_alone(in_sandbox):
    async def body(sandbox: Sandbox):
        session = await FakeHarness().start(launch(sandbox, delay_ms=60_000, files={"a": ""}))
        turn = asyncio.ensure_future(session.turn("x", lambda event: None))
        await asyncio.sleep(0.01)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        return await sandbox.read_file("a")

    assert in_sandbox(body) is None


def test_an_agent_that_ignores_the_abort_sits_out_its_delay():
    async def aborted() -> tuple[bool, bool]:
        session = await FakeHarness().start(launch(None, delay_ms=200, ignore_abort=True))
        turn = asyncio.ensure_future(session.turn("x", lambda event: None))
        await asyncio.sleep(0.01)
        turn.cancel()
        early, _ = await asyncio.wait({turn}, timeout=0.05)
        await asyncio.wait({turn}, timeout=10)
        return bool(early), turn.cancelled()

    assert asyncio.run(aborted()) == (False, True)


def test_an_abort_during_a_command_ends_it_and_shows_a_call_without_a_result(in_sandbox):
    async def body(sandbox: Sandbox):
        events: list[Event] = []
        script = [[{"exec": "touch began; sleep 60; touch late"}]]
        session = await FakeHarness().start(launch(sandbox, script=script))
        turn = asyncio.ensure_future(session.turn("x", events.append))
        while await sandbox.read_file("began") is None:  # noqa: ASYNC110  another process writes it
            await asyncio.sleep(0.01)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        return events

    [call] = in_sandbox(body)
    assert isinstance(call, Tool)
    assert (call.ok, call.duration_ms, call.output) == (False, None, None)


def test_a_write_outside_the_workspace_is_a_harness_error(in_sandbox):
    with pytest.raises(HarnessError, match=r"^the fake agent can't write \.\./x: "):
        turns(in_sandbox, files={"../x": ""})


# ── MCP ──────────────────────────────────────────────────────────────────────────────────────


def with_server(**options: Any) -> EnvironmentSpec:
    server = McpServer("stdio", sys.executable, (str(SERVER),), **options)
    return EnvironmentSpec("e", mcp={"notes": server})


def test_an_mcp_step_really_calls_the_servers_tool(in_sandbox):
    environment = with_server(env={"NOTE": "from the environment"})
    script = [[{"mcp": "notes/read"}, {"mcp": "notes/broken"}, {"mcp": "notes/nope"}]]
    [(_, events)] = turns(in_sandbox, environment=environment, script=script)
    calls = [(e.tool, e.input, e.output, e.ok) for e in events if isinstance(e, Tool)]
    assert calls == [
        ("mcp__notes__read", {}, "from the environment", True),
        ("mcp__notes__broken", {}, "the disk is full", False),
        ("mcp__notes__nope", {}, "unknown tool nope", False),
    ]


def test_a_servers_secret_is_its_value_and_one_bound_to_hosts_is_not(in_sandbox):
    async def body(sandbox: Sandbox, secret: Secret):
        environment = with_server(env={"NOTE": secret})
        spec = launch(sandbox, environment, script=[[{"mcp": "notes/read"}]])
        events: list[Event] = []
        session = await FakeHarness().start(replace(spec, secrets={"HOST_NOTE": "s3cret-value"}))
        await session.turn("x", events.append)
        return events[0].output

    assert in_sandbox(lambda sandbox: body(sandbox, Secret("HOST_NOTE"))) == "s3cret-value"
    bound = Secret("HOST_NOTE", hosts=("api.example.com",))
    placeholder = in_sandbox(lambda sandbox: body(sandbox, bound))
    assert len(placeholder) == len("s3cret-value")
    assert placeholder != "s3cret-value"


MCP_MISTAKES = [
    (
        None,
        "the fake agent's script calls MCP server 'notes', but the environment has none: "
        "add it to the environment's mcp",
    ),
    (
        EnvironmentSpec("e", mcp={"docs": McpServer("http", url="http://localhost")}),
        "the fake agent's script calls MCP server 'notes', but the environment has docs: "
        "add it to the environment's mcp",
    ),
    (
        EnvironmentSpec("e", mcp={"notes": McpServer("http", url="http://localhost")}),
        "the fake agent can't call MCP server 'notes' over http: its mcp step starts stdio "
        "servers only",
    ),
    (
        with_server(env={"NOTE": Secret("HOST_NOTE")}),
        "secret HOST_NOTE, which an MCP server needs, is not set",
    ),
]


@pytest.mark.parametrize(("environment", "message"), MCP_MISTAKES)
def test_an_mcp_step_that_cannot_be_is_a_harness_error(in_sandbox, environment, message):
    with pytest.raises(HarnessError) as error:
        turns(in_sandbox, environment=environment, script=[[{"mcp": "notes/read"}]])
    assert str(error.value) == message


def test_a_script_it_cannot_read_is_a_usage_error():
    with pytest.raises(UsageError) as error:
        asyncio.run(FakeHarness().start(launch(None, script=[[{"run": "ls"}]])))
    assert str(error.value) == (
        'fake_harness script[0][0]: a step is one of {"exec": command}, {"write": {path: text}}, '
        '{"reply": text}, {"mcp": "server/tool"} and {"error": message}, got {\'run\': \'ls\'}'
    )
