"""Matchers on what an agent did in a turn: tools, commands, edits, searches, fetches.

On `c` they read its latest turn. A string is contained for commands, queries and URLs, exact for
tools, servers and skills, and exact or a glob for paths.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

from reeval.config.errors import UsageError
from reeval.grading.answer import Answer, CannotAnswer, answer, arguments
from reeval.grading.base import Subjects, TurnFacts
from reeval.grading.command_match import as_text, runs
from reeval.grading.equality import equal
from reeval.grading.patterns import Patterns, Test, described, is_pattern
from reeval.grading.shell import simple_commands
from reeval.grading.shown import one_line, printable, shown
from reeval.grading.turns import turn_of
from reeval.harness.events import FileEdit, Tool, WebFetch, WebSearch
from reeval.protocol.cuts import cut
from reeval.protocol.messages import Expect

_SHELL_TOOLS = frozenset(
    {
        "bash", "command_execution", "developer__shell", "exec", "exec_command", "execute",
        "local_shell", "run_command", "run_shell_command", "run_terminal_cmd", "shell",
        "terminal",
    }
)  # fmt: skip
"""The names agents give the tool that runs commands, in lower case."""

_LISTED = 5

InputTest = Callable[[Any], bool]


# ── tools ────────────────────────────────────────────────────────────────────────────────────


async def _called_tool(call: Expect, subjects: Subjects, patterns: Patterns) -> Answer:
    name, *rest = arguments(call, 1, 2, "a tool's name and, if it matters, its input")
    turn = turn_of(call, subjects)
    called = patterns.exact(name, "toHaveCalledTool")
    clause = f"have called {described(name)}" + _with_input(rest)
    return _tool_answer(turn, called, _input_test(rest, patterns), clause)


async def _called_mcp(call: Expect, subjects: Subjects, patterns: Patterns) -> Answer:
    server, tool, *rest = arguments(call, 2, 3, "a server, a tool and, if it matters, its input")
    turn = turn_of(call, subjects)
    name = f"mcp__{_name(server, call)}__{_name(tool, call)}"
    clause = f"have called {tool} of MCP server {server}" + _with_input(rest)
    return _tool_answer(turn, lambda called: called == name, _input_test(rest, patterns), clause)


async def _called_skill(call: Expect, subjects: Subjects, patterns: Patterns) -> Answer:
    (skill,) = arguments(call, 1, 1, "a skill's name")
    turn = turn_of(call, subjects)
    _name(skill, call)
    loaded = [
        str(event.input.get("skill"))
        for event in _tools(turn)
        if event.tool == "Skill" and isinstance(event.input, Mapping)
    ]
    clause = f"have loaded the skill {skill}"
    return _turn_answer(turn, skill in loaded, clause, "loaded", loaded)


def _tool_answer(turn: TurnFacts, called: Test, fits: InputTest, clause: str) -> Answer:
    # Inputs are tested only where the name fits, so that a runner's pattern isn't asked in vain.
    holds = any(called(event.tool) and fits(event.input) for event in _tools(turn))
    calls = [f"{event.tool} {_compact(event.input)}" for event in _tools(turn)]
    return _turn_answer(turn, holds, clause, "called", calls)


def _tools(turn: TurnFacts) -> Iterator[Tool]:
    return (event for event in turn.events if isinstance(event, Tool))


def _name(value: Any, call: Expect) -> str:
    if isinstance(value, str):
        return value
    raise UsageError(f"{call.matcher} takes names, got {shown(value)}")


def _with_input(rest: Sequence[Any]) -> str:
    return f" with input {described(rest[0])}" if rest else ""


def _input_test(rest: Sequence[Any], patterns: Patterns) -> InputTest:
    """Text or a pattern on the input's JSON, or an object that is part of the input."""
    if not rest:
        return lambda given: True
    wanted = rest[0]
    if isinstance(wanted, str) or is_pattern(wanted):
        test = patterns.contained(wanted, "a tool's input")
        return lambda given: test(_compact(given))
    if isinstance(wanted, Mapping):
        return lambda given: _is_part(wanted, given, patterns)
    raise UsageError(f"a tool's input is text, a pattern or an object, got {shown(wanted)}")


def _is_part(wanted: Any, given: Any, patterns: Patterns) -> bool:
    """Whether every key of `wanted` is in `given` with that value, at any depth.

    Every part is tested, whatever the others say: the runner then matches its patterns in one
    round.
    """
    if is_pattern(wanted):
        return patterns.searched(wanted)(given if isinstance(given, str) else _compact(given))
    if isinstance(wanted, Mapping):
        if not isinstance(given, Mapping):
            return False
        parts = [k in given and _is_part(v, given[k], patterns) for k, v in wanted.items()]
        return all(parts)
    if isinstance(wanted, list) and isinstance(given, list):
        parts = [_is_part(w, g, patterns) for w, g in zip(wanted, given, strict=False)]
        return len(wanted) == len(given) and all(parts)
    return equal(wanted, given)


def _compact(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return shown(value)


# ── commands ─────────────────────────────────────────────────────────────────────────────────


async def _have_run(call: Expect, subjects: Subjects, patterns: Patterns) -> Answer:
    wanted, *_ = arguments(call, 0, 1, "a command or a pattern") or (None,)
    turn = turn_of(call, subjects)
    commands = [line for event in _tools(turn) if (line := _command(event)) is not None]
    if wanted is None:
        return _turn_answer(turn, bool(commands), "have run a command", "ran", commands)
    clause = f"have run {described(wanted)}"
    if isinstance(wanted, str):
        holds = any(runs(wanted, command) for command in commands)
    else:
        test = patterns.contained(wanted, "toHaveRun")
        texts = [as_text(argv) for command in commands for argv in simple_commands(command)]
        holds = any(test(text) for text in texts)
    return _turn_answer(turn, holds, clause, "ran", commands)


def _command(event: Tool) -> str | None:
    """What a shell tool was told to run: a line, or an argv."""
    if event.tool.lower() not in _SHELL_TOOLS:
        return None
    given = event.input
    if isinstance(given, Mapping):
        given = next((given[key] for key in ("command", "cmd", "script") if key in given), None)
    if isinstance(given, str):
        return given
    if isinstance(given, list) and all(isinstance(word, str) for word in given):
        return as_text(given)
    return None


# ── edits and the web ────────────────────────────────────────────────────────────────────────


async def _have_edited(call: Expect, subjects: Subjects, patterns: Patterns) -> Answer:
    turn = turn_of(call, subjects)
    paths = [event.path for event in turn.events if isinstance(event, FileEdit)]
    return _listed_answer(call, turn, paths, patterns.path, ("have edited", "a file", "edited"))


async def _have_searched(call: Expect, subjects: Subjects, patterns: Patterns) -> Answer:
    turn = _reporting(call, subjects, "web-search", "web searches")
    queries = [event.query for event in turn.events if isinstance(event, WebSearch)]
    words = ("have searched the web for", "anything", "searched for")
    return _listed_answer(call, turn, queries, patterns.contained, words)


async def _have_fetched(call: Expect, subjects: Subjects, patterns: Patterns) -> Answer:
    turn = _reporting(call, subjects, "web-fetch", "web fetches")
    urls = [event.url for event in turn.events if isinstance(event, WebFetch)]
    return _listed_answer(
        call, turn, urls, patterns.contained, ("have fetched", "anything", "fetched")
    )


def _reporting(call: Expect, subjects: Subjects, kind: str, events: str) -> TurnFacts:
    """The turn, when its harness reports these events; without them nothing is known."""
    turn = turn_of(call, subjects)
    if kind in turn.unreported:
        raise CannotAnswer(
            f"{call.matcher} can't answer: the harness doesn't report {events} for "
            f"turn {turn.index + 1}",
            "HarnessCapabilityError",
        )
    return turn


def _listed_answer(
    call: Expect,
    turn: TurnFacts,
    found: list[str],
    read: Callable[[Any, str], Test],
    words: tuple[str, str, str],
) -> Answer:
    """Whether one of `found` fits the argument; `words` are verb, object without one, past."""
    verb, anything, past = words
    wanted, *_ = arguments(call, 0, 1, "a string or a pattern") or (None,)
    if wanted is None:
        return _turn_answer(turn, bool(found), f"{verb} {anything}", past, found)
    test = read(wanted, call.matcher)
    holds = any(test(text) for text in found)
    return _turn_answer(turn, holds, f"{verb} {described(wanted)}", past, found)


# ── explaining ───────────────────────────────────────────────────────────────────────────────


def _turn_answer(
    turn: TurnFacts, holds: bool, clause: str, past: str, found: Sequence[str]
) -> Answer:
    subject = f"turn {turn.index + 1}"
    if not found:
        return answer(holds, lambda: subject, clause, f", it {past} nothing")
    listed = "\n".join("  " + cut(one_line(printable(text)), 160) for text in found[:_LISTED])
    more = f"\n  and {len(found) - _LISTED:,} more" if len(found) > _LISTED else ""
    return answer(holds, lambda: subject, clause, f", it {past}:\n{listed}{more}")


TRANSCRIPT_MATCHERS: dict[str, Callable[[Expect, Subjects, Patterns], Awaitable[Answer]]] = {
    "toHaveCalledTool": _called_tool,
    "toHaveCalledMcp": _called_mcp,
    "toHaveCalledSkill": _called_skill,
    "toHaveRun": _have_run,
    "toHaveEdited": _have_edited,
    "toHaveSearched": _have_searched,
    "toHaveFetched": _have_fetched,
}
