"""What `harness` may say: a kind of agent with its options, a name, or an edit of the inherited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from reeval.config.fields import Duration, Flag, Json, Number, OneWord, Text, Whole
from reeval.config.model import HarnessSpec
from reeval.config.shapes import Built, Key, ListOf, MapOf, OneOf, Shared, Table, Tagged
from reeval.config.source import At
from reeval.config.variables import ANY_TEXT, ENV

START_TIMEOUT = 90.0
"""Seconds a session may take to become ready."""

_COMMON = ("kind", "id", "model", "effort", "gateway", "max_concurrent", "start_timeout")


@dataclass(frozen=True, slots=True)
class Name:
    """Something named by its table in the config, and where the name was written."""

    name: str
    at: At


@dataclass(frozen=True, slots=True)
class HarnessEdit:
    """`{"add": …}` and `{"only": …}`: what changes about the inherited harnesses."""

    add: tuple[HarnessSpec | Name, ...] = ()
    only: tuple[Name, ...] | None = None


HarnessOption: TypeAlias = tuple[HarnessSpec | Name, ...] | HarnessEdit


def harness_id(kind: str, model: str | None, effort: str | None) -> str:
    out = f"{kind}:{model}" if model else kind
    return f"{out}[effort={effort}]" if effort else out


def plain_harness(kind: str, model: str | None = None) -> HarnessSpec:
    return HarnessSpec(kind=kind, id=harness_id(kind, model, None), model=model)


def _build(value: dict[str, Any], at: At) -> HarnessSpec:
    kind, model, effort = value["kind"], value.get("model"), value.get("effort")
    return HarnessSpec(
        kind=kind,
        id=value.get("id") or harness_id(kind, model, effort),
        model=model,
        effort=effort,
        gateway=value.get("gateway"),
        max_concurrent=value.get("max_concurrent"),
        start_timeout=value.get("start_timeout", START_TIMEOUT),
        fields={name: item for name, item in value.items() if name not in _COMMON},
    )


GATEWAY_NAME = OneOf(
    (Text(expects="a gateway's name"),),
    "a gateway's name",
    wire=(
        Table(
            {"kind": Key(Text(), required=True)}, when="kind", build=lambda value, at: value["kind"]
        ),
    ),
)
_FILES = MapOf(ANY_TEXT, "file contents")


def _step(value: dict[str, Any], at: At) -> dict[str, Any]:
    if len(value) != 1:
        raise at.error(f"{at.dotted} needs exactly one of exec, write, reply, mcp and error")
    return value


_STEP = Table(
    {
        "exec": Key(Text(), "A command the agent runs."),
        "write": Key(_FILES, "Files it writes."),
        "reply": Key(ANY_TEXT, "What it answers."),
        "mcp": Key(Text(r"[^/]+/.+", '"server/tool"'), "An MCP tool it calls, as `server/tool`."),
        "error": Key(Text(), "The error that ends its turn."),
    },
    'a step such as { exec = "…" }',
    build=_step,
)
_TOOL = Table(
    {
        "tool": Key(Text(), "The tool's name.", required=True),
        "input": Key(Json(), "What it was called with."),
        "output": Key(Json(), "What it returned."),
        "ok": Key(Flag(), "Whether it worked."),
    },
    "a table with tool",
)
LAYOUTS = (
    *("cursor", "claude-code", "antigravity", "opencode", "goose"),
    *("pi", "codex", "fx", "grok-build", "gemini"),
)

_OWN: Mapping[str, Mapping[str, Key]] = {
    "claude-code": {
        "effort": Key(OneWord(("low", "medium", "high", "xhigh", "max")), "Reasoning effort.")
    },
    "codex": {},
    "opencode": {},
    "pi": {},
    "goose": {},
    "cursor": {"params": Key(MapOf(Text(), "model parameters"), "Parameters of the model.")},
    "antigravity": {},
    "fx": {},
    "grok-build": {},
    "gemini": {},
    "acp": {
        "command": Key(
            OneOf(
                (Text(), ListOf(ANY_TEXT, "words", minimum=1)), "a command, or its words as a list"
            ),
            "The agent that speaks ACP on its stdin and stdout.",
        ),
        "env": Key(ENV, "Variables it gets."),
    },
    "fake": {
        "script": Key(ListOf(ListOf(_STEP, "steps"), "lists of steps"), "What it does, per turn."),
        "files": Key(_FILES, "Files it writes each turn."),
        "text": Key(ANY_TEXT, "Its message each turn."),
        "tools": Key(ListOf(_TOOL, "tool calls"), "Tool calls it reports each turn."),
        "with_skill": Key(
            Table({"files": Key(_FILES), "text": Key(ANY_TEXT)}),
            "Files and message used instead when it has a skill.",
        ),
        "delay_ms": Key(Number(0), "How long a turn takes, in ms."),
        "flake_rate": Key(Number(0, 1), "The chance that an attempt writes nothing."),
        "fail_with": Key(Text(), "The error its start fails with."),
        "start_hangs": Key(
            OneOf((Flag(only=True), Whole(0)), "true or a whole number from 0"),
            "How many starts never become ready; true: all.",
        ),
        "ignore_abort": Key(Flag(), "Whether it goes on when told to stop."),
        "served_model": Key(Text(), "The model it says served a turn."),
        "layout": Key(OneWord(LAYOUTS), "The agent whose rules and skills folders it uses."),
        "reasoning": Key(ANY_TEXT, "A reasoning block each turn."),
    },
}
KINDS = tuple(_OWN)


def _table(kind: str, own: Mapping[str, Key]) -> Table:
    return Table(
        {
            "kind": Key(OneWord((kind,)), "The agent.", required=True),
            "id": Key(Text(), "Its name in cells."),
            "model": Key(Text(), "The model it runs, as its CLI names it."),
            "effort": Key(Text(), "Reasoning effort."),
            "gateway": Key(GATEWAY_NAME, "The model gateway its calls go through."),
            "max_concurrent": Key(Whole(), "The most attempts of it at once."),
            "start_timeout": Key(Duration(), "How long a session may take to become ready."),
            **own,
        },
        build=_build,
    )


HARNESS = Shared(
    "harness",
    Tagged("kind", {kind: _table(kind, own) for kind, own in _OWN.items()}, "kind of harness"),
)


NAMED_HARNESS = Built(Text(expects='a harness such as "claude-code:claude-sonnet-5"'), Name)
NAMED_ENVIRONMENT = Built(Text(expects="an environment's name"), Name)

_ONE = OneOf((NAMED_HARNESS, HARNESS), "a harness by name, or a table with kind")
_MANY = ListOf(_ONE, "harnesses", single=True, minimum=1)
_EDITS = (
    Table(
        {"add": Key(_MANY, "Harnesses beside the inherited ones.", required=True)},
        when="add",
        build=lambda value, at: HarnessEdit(add=value["add"]),
    ),
    Table(
        {
            "only": Key(
                ListOf(NAMED_HARNESS, "harness names", single=True, minimum=1),
                "The inherited harnesses to keep.",
                required=True,
            )
        },
        when="only",
        build=lambda value, at: HarnessEdit(only=value["only"]),
    ),
)
HARNESS_OPTION = Shared(
    "harnesses",
    OneOf((*_EDITS, _MANY), 'a harness such as "claude-code:claude-sonnet-5", or a list of them'),
)
HARNESS_IDS = ListOf(_ONE, "harnesses", single=True, minimum=1)
