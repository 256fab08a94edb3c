"""Matchers on what an agent did in a turn."""

from __future__ import annotations

import pytest

from reeval.config.errors import UsageError
from reeval.grading.base import Outcome, Untested
from reeval.harness.events import FileEdit, Text, Tool, WebFetch, WebSearch
from reeval.protocol import messages as m

C = m.AttemptSubject()

EVENTS = (
    Text(text="npm test"),
    Tool(tool="shell", input={"command": "cd app && npm test"}),
    Tool(tool="Bash", input={"cmd": ["git", "commit", "-m", "run ls later"]}, ok=False),
    Tool(tool="mcp__docs__search", input={"query": "greet", "limit": 5, "in": {"lang": "en"}}),
    Tool(tool="Skill", input={"skill": "greet"}),
    FileEdit(path="src/greet.py", kind="create"),
    FileEdit(path="./pages/[id].tsx", kind="modify"),
    WebSearch(query="how to greet"),
    WebFetch(url="https://example.com/greet?x=1"),
)


def regexp(source: str) -> dict:
    return {"regexp": source}


DID = [
    ("toHaveCalledTool", ("shell",)),
    ("toHaveCalledTool", (regexp("^sh"),)),
    ("toHaveCalledTool", ("shell", "npm test")),
    ("toHaveCalledTool", ("mcp__docs__search", {"query": "greet"})),
    ("toHaveCalledTool", ("mcp__docs__search", {"in": {"lang": regexp("^e")}, "limit": 5.0})),
    ("toHaveCalledTool", (regexp("search"), regexp('"limit":5'))),
    ("toHaveCalledTool", ("Bash", {"cmd": ["git", "commit", "-m", regexp("ls")]})),
    ("toHaveCalledMcp", ("docs", "search")),
    ("toHaveCalledMcp", ("docs", "search", {"limit": 5})),
    ("toHaveCalledSkill", ("greet",)),
    ("toHaveRun", ()),
    ("toHaveRun", ("npm test",)),
    ("toHaveRun", ("git commit",)),
    ("toHaveRun", (regexp("^(npm|pnpm) t(est)?$"),)),
    ("toHaveEdited", ()),
    ("toHaveEdited", ("src/greet.py",)),
    ("toHaveEdited", ("src/*.py",)),
    ("toHaveEdited", ("pages/[id].tsx",)),
    ("toHaveEdited", (regexp(r"greet\.py$"),)),
    ("toHaveSearched", ()),
    ("toHaveSearched", ("greet",)),
    ("toHaveFetched", ("example.com",)),
    ("toHaveFetched", (regexp(r"\?x=\d"),)),
]


@pytest.mark.parametrize(("matcher", "args"), DID)
def test_it_did_and_its_opposite_fails(checking, turn, matcher, args):
    turns = [turn(*EVENTS)]
    assert checking(m.TurnSubject(0), matcher, *args, turns=turns) == Outcome("pass")
    assert checking(C, matcher, *args, turns=turns, negated=True).status == "fail"


CALLED = (
    "\n"
    '  shell {"command":"cd app && npm test"}\n'
    '  Bash {"cmd":["git","commit","-m","run ls later"]}\n'
    '  mcp__docs__search {"query":"greet","limit":5,"in":{"lang":"en"}}\n'
    '  Skill {"skill":"greet"}'
)
RAN = "\n  cd app && npm test\n  git commit -m 'run ls later'"

DID_NOT = [
    ("toHaveCalledTool", ("she",), f'expected turn 1 to have called "she", it called:{CALLED}'),
    (
        "toHaveCalledTool",
        ("shell", "yarn"),
        f'expected turn 1 to have called "shell" with input "yarn", it called:{CALLED}',
    ),
    (
        "toHaveCalledTool",
        ("shell", {"command": "npm test"}),
        'expected turn 1 to have called "shell" with input {"command": "npm test"}, '
        f"it called:{CALLED}",
    ),
    (
        "toHaveCalledMcp",
        ("docs", "find"),
        f"expected turn 1 to have called find of MCP server docs, it called:{CALLED}",
    ),
    (
        "toHaveCalledMcp",
        ("docs", "search", {"in": {"lang": "de"}}),
        "expected turn 1 to have called search of MCP server docs with input "
        f'{{"in": {{"lang": "de"}}}}, it called:{CALLED}',
    ),
    (
        "toHaveCalledSkill",
        ("gre",),
        "expected turn 1 to have loaded the skill gre, it loaded:\n  greet",
    ),
    ("toHaveRun", ("ls",), f'expected turn 1 to have run "ls", it ran:{RAN}'),
    ("toHaveRun", (regexp("^app"),), f"expected turn 1 to have run /^app/, it ran:{RAN}"),
    (
        "toHaveEdited",
        ("greet.py",),
        'expected turn 1 to have edited "greet.py", it edited:\n  src/greet.py\n  ./pages/[id].tsx',
    ),
    (
        "toHaveSearched",
        ("bye",),
        'expected turn 1 to have searched the web for "bye", it searched for:\n  how to greet',
    ),
    (
        "toHaveFetched",
        (regexp("^http:"),),
        "expected turn 1 to have fetched /^http:/, it fetched:\n  https://example.com/greet?x=1",
    ),
]


@pytest.mark.parametrize(("matcher", "args", "message"), DID_NOT)
def test_it_did_not_with_this_sentence(checking, turn, matcher, args, message):
    turns = [turn(*EVENTS)]
    assert checking(C, matcher, *args, turns=turns) == Outcome("fail", message)
    assert checking(C, matcher, *args, turns=turns, negated=True) == Outcome("pass")


IDLE = [
    ("toHaveCalledTool", ("x",), 'expected turn 2 to have called "x", it called nothing'),
    ("toHaveRun", (), "expected turn 2 to have run a command, it ran nothing"),
    ("toHaveEdited", (), "expected turn 2 to have edited a file, it edited nothing"),
    (
        "toHaveSearched",
        (),
        "expected turn 2 to have searched the web for anything, it searched for nothing",
    ),
    ("toHaveFetched", (), "expected turn 2 to have fetched anything, it fetched nothing"),
]


@pytest.mark.parametrize(("matcher", "args", "message"), IDLE)
def test_a_turn_that_did_nothing_says_so(checking, turn, matcher, args, message):
    turns = [turn(*EVENTS), turn(index=1)]
    assert checking(C, matcher, *args, turns=turns) == Outcome("fail", message)


def test_what_it_did_is_cut_to_a_few_lines(checking, turn):
    events = [FileEdit(path=f"{n}\n" + "x" * 300, kind="create") for n in range(8)]
    message = checking(C, "toHaveEdited", "a", turns=[turn(*events)]).message
    lines = message.splitlines()
    assert len(lines) == 7
    assert lines[1] == "  0 " + "x" * 157 + "…"
    assert lines[-1] == "  and 3 more"


@pytest.mark.parametrize(
    ("matcher", "kind", "events"),
    [
        ("toHaveSearched", "web-search", "web searches"),
        ("toHaveFetched", "web-fetch", "web fetches"),
    ],
)
@pytest.mark.parametrize("negated", [False, True])
def test_events_a_harness_does_not_report_are_no_answer(
    checking, turn, matcher, kind, events, negated
):
    turns = [turn(*EVENTS, unreported=(kind,))]
    assert checking(C, matcher, turns=turns, negated=negated) == Outcome(
        "error",
        f"{matcher} can't answer: the harness doesn't report {events} for turn 1",
        "HarnessCapabilityError",
    )


def test_a_runners_patterns_in_an_input_are_asked_for_in_one_round(checking, turn):
    def pattern(name: str) -> dict:
        return {"matchedBy": name, "answers": {}}

    wanted = {"query": pattern("q"), "in": {"lang": pattern("l")}, "limit": pattern("n")}
    found = checking(C, "toHaveCalledMcp", "docs", "search", wanted, turns=[turn(*EVENTS)])
    assert found == Untested({"q": ["greet"], "l": ["en"], "n": ["5"]})


def test_a_tools_input_is_not_asked_about_before_its_name_fits(checking, turn):
    name, given = {"matchedBy": "n", "answers": {}}, {"matchedBy": "i", "answers": {}}
    turns = [turn(*EVENTS[1:3])]
    assert checking(C, "toHaveCalledTool", name, given, turns=turns) == Untested(
        {"n": ["shell", "Bash"]}
    )
    name["answers"] = {"shell": True, "Bash": False}
    assert checking(C, "toHaveCalledTool", name, given, turns=turns) == Untested(
        {"i": ['{"command":"cd app && npm test"}']}
    )


def test_tools_that_only_have_a_command_field_are_no_shells(checking, turn):
    events = [
        Tool(tool="mcp__ci__start", input={"command": "npm test"}),
        Tool(tool="shell", input=5),
    ]
    assert checking(C, "toHaveRun", turns=[turn(*events)]).status == "fail"


MISTAKES = [
    ("toHaveCalledSkill", (), "toHaveCalledSkill takes a skill's name, got 0 arguments"),
    ("toHaveCalledTool", ("x", 5), "a tool's input is text, a pattern or an object, got 5"),
    ("toHaveCalledMcp", ("docs", regexp("x")), 'toHaveCalledMcp takes names, got {"regexp": "x"}'),
    ("toHaveCalledSkill", (5,), "toHaveCalledSkill takes names, got 5"),
    ("toHaveRun", (5,), "toHaveRun takes a string or a pattern, got 5"),
    ("toHaveEdited", ([],), "toHaveEdited takes a string or a pattern, got []"),
]  # fmt: skip


@pytest.mark.parametrize(("matcher", "args", "message"), MISTAKES)
def test_an_argument_that_cannot_be_is_a_usage_error(checking, turn, matcher, args, message):
    with pytest.raises(UsageError) as error:
        checking(C, matcher, *args, turns=[turn(*EVENTS)])
    assert str(error.value) == message
