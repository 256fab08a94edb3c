"""What an eval, a group, a profile's defaults and the config may set, and what each key takes."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from reeval.config.agents import (
    GATEWAY_NAME,
    HARNESS_IDS,
    HARNESS_OPTION,
    NAMED_ENVIRONMENT,
    Name,
)
from reeval.config.environment import DEFINED
from reeval.config.fields import Duration, Flag, Json, Number, OneWord, Text, Whole
from reeval.config.machine import SANDBOX
from reeval.config.model import EnvironmentSpec, FakeJudge, HarnessSpec, Settings
from reeval.config.shapes import Key, ListOf, MapOf, OneOf, Shared, Table
from reeval.config.source import At, Source
from reeval.config.variables import EGRESS, ENV

PINNABLE = ("runs", "compare", "harness")

MODEL = Text(r"[^/\s]+/\S+", 'a model as "provider/model", such as "anthropic/claude-sonnet-5"')
_PATTERNS = ListOf(Text(), "patterns")

ENVIRONMENT_OPTION = OneOf(
    (NAMED_ENVIRONMENT,), "an environment by name, or define_environment(…)", wire=(DEFINED,)
)


@dataclass(frozen=True, slots=True)
class CompareOption:
    """`compare` before its names are looked up."""

    variants: tuple[EnvironmentSpec | Name, ...]
    baseline: EnvironmentSpec | Name | None
    harness: tuple[HarnessSpec | Name, ...]
    gate: Literal["variants", "all", "none"]
    min_lift: float | None
    stop: Mapping[str, Any] | None
    at: At


def _compare(value: dict[str, Any], at: At) -> CompareOption:
    return CompareOption(
        variants=value["variants"],
        baseline=value.get("baseline"),
        harness=value.get("harness", ()),
        gate=value.get("gate", "variants"),
        min_lift=value.get("min_lift"),
        stop=value.get("stop"),
        at=at,
    )


COMPARE = Table(
    {
        "variants": Key(
            ListOf(ENVIRONMENT_OPTION, "environments", minimum=1),
            "The environments to run side by side against the control.",
            required=True,
        ),
        "baseline": Key(ENVIRONMENT_OPTION, "The control, when `environment` is not it."),
        "harness": Key(HARNESS_IDS, "The harnesses to compare on; others run the control only."),
        "gate": Key(OneWord(("variants", "all", "none")), "Which cells decide the outcome."),
        "min_lift": Key(Number(-1, 1), "The lift below which a variant fails."),
        "stop": Key(Json(table=True), "When to stop early."),
    },
    "a table with variants",
    build=_compare,
)

_FAKE_JUDGE = Table(
    {
        "kind": Key(OneWord(("fake-judge",)), required=True),
        "score": Key(Number(0, 1), "The score of every call.", required=True),
    },
    build=lambda value, at: FakeJudge(value["score"]),
)
_SHOWN: Mapping[str, Key] = {
    "checks": Key(OneOf((Flag(), _PATTERNS), "true, false or commands"), "Results of commands."),
    "diff": Key(OneOf((Flag(), _PATTERNS), "true, false or patterns"), "What changed, whole."),
    "files": Key(Flag(), "Which files changed."),
    "output": Key(Flag(), "The final message."),
    "task": Key(Flag(), "The prompt."),
    "transcript": Key(
        OneOf((Flag(), OneWord(("tools", "full"))), 'true, false, "tools" or "full"'),
        "What the agent did.",
    ),
    "turns": Key(OneWord(("last", "all")), "The last turn, or all."),
}
JUDGE = Shared(
    "judge",
    Table(
        {
            "model": Key(OneOf((MODEL, _FAKE_JUDGE), MODEL.expects), "The model that judges."),
            "threshold": Key(Number(0, 1), "The score from which a verdict passes."),
            "state": Key(
                Table({**_SHOWN, "contents": Key(_PATTERNS, "Files shown whole.")}),
                "What the judge is shown.",
            ),
            "provider_options": Key(
                MapOf(Json(table=True), "tables of options"), "Options by provider."
            ),
            "max_concurrent": Key(Whole(), "The most judge calls at once."),
            "gateway": Key(GATEWAY_NAME, "The model gateway its calls go through."),
        }
    ),
)

_ARTIFACTS = OneOf((Flag(only=True), ListOf(Text(), "capture names")), "true or capture names")
_ACROSS = OneWord(("environment", "harness"))
_QUESTION_KEYS: Mapping[str, Key] = {
    "model": Key(MODEL, "The model that answers."),
    "state": Key(Table(_SHOWN), "What it is shown of each attempt."),
    "artifacts": Key(_ARTIFACTS, "The captures it is shown."),
}
QUESTION = Table(_QUESTION_KEYS)
QUESTIONS = Shared(
    "questions",
    ListOf(
        OneOf(
            (
                Text(expects="a question"),
                Table(
                    {
                        "question": Key(Text(), "The question.", required=True),
                        "across": Key(
                            ListOf(_ACROSS, "factors", single=True), "What differs between a pair."
                        ),
                        "choices": Key(
                            ListOf(Text(), "answers", minimum=2), "The answers to pick from."
                        ),
                        **_QUESTION_KEYS,
                    },
                ),
            ),
            "a question, or a table with question",
        ),
        "questions",
    ),
)
CAPTURE = Table(
    {
        "browser": Key(Flag(), "false refuses the host's browser."),
        "model": Key(MODEL, "The model that drives instructions."),
        "timeout": Key(Duration(), "How long a capture may take."),
        "viewport": Key(
            OneOf(
                (
                    OneWord(("full-page",)),
                    Table(
                        {
                            "width": Key(Whole(), "In CSS pixels.", required=True),
                            "height": Key(Whole(), "In CSS pixels.", required=True),
                        }
                    ),
                ),
                '"full-page" or { width = 1280, height = 720 }',
            ),
            "The window.",
        ),
    }
)

OPTION_KEYS: Mapping[str, Key] = {
    "harness": Key(HARNESS_OPTION, "The agents that run the eval; each is its own cell."),
    "environment": Key(ENVIRONMENT_OPTION, "What it runs in."),
    "compare": Key(COMPARE, "Environments to compare."),
    "sandbox": Key(SANDBOX, "The machine, when the environment names none."),
    "egress": Key(EGRESS, "Where an attempt may connect."),
    "env": Key(ENV, "Variables and secrets, by name."),
    "gate": Key(
        OneOf(
            (
                OneWord(("all",)),
                Table(
                    {"pass_rate": Key(Number(0, 1), "The least pass rate.", required=True)},
                    build=lambda value, at: float(value["pass_rate"]),
                ),
            ),
            '"all" or { pass_rate = 0.8 }',
        ),
        "What makes a cell pass.",
    ),
    "runs": Key(Whole(), "Attempts a cell."),
    "timeout": Key(Duration(), "How long an attempt may take."),
    "tags": Key(ListOf(Text(), "tags"), "Labels to select by; inherited ones stay."),
    "pin": Key(ListOf(OneWord(PINNABLE), "keys"), "Keys that a profile's limit may not narrow."),
    "judge": Key(JUDGE, "Defaults of `c.judge`."),
    "question": Key(QUESTION, "Defaults of every question."),
    "questions": Key(QUESTIONS, "Questions about the attempts."),
    "capture": Key(CAPTURE, "Defaults of `c.capture`."),
    "revision": Key(
        OneOf((Text(), Whole(0)), "text or a whole number"),
        "A label that is part of the fingerprint.",
    ),
}
OPTIONS = Table(OPTION_KEYS)


@dataclass(frozen=True, slots=True)
class Layer:
    """One level's own options: what an `evaluate` or `group` was given, as wire JSON.

    `source` names the level, such as `group("net")`; `file` is its eval file, relative to the
    project's root.
    """

    source: str
    options: Mapping[str, Any]
    file: str


def check_layer(layer: Layer, settings: Settings) -> dict[str, Any]:
    """The layer's options, checked. Raises `UsageError` with the file, the level and the key."""
    base = settings.root / posixpath.dirname(layer.file)
    source = Source(base=base, root=settings.root, file=layer.file, label=layer.source, wire=True)
    checked = OPTIONS.parse(layer.options, At(source))
    baseline = "compare" in checked and checked["compare"].baseline is not None
    if baseline and "environment" in checked:
        raise At(source, ("compare", "baseline")).error(
            "compare.baseline and environment are both the control: leave one out"
        )
    return dict(checked)
