"""What `reeval.toml` may say, beside the options that an eval may also set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reeval.config.agents import HARNESS
from reeval.config.environment import NAME, SPEC_KEYS
from reeval.config.fields import Duration, Flag, OneWord, Text, Whole
from reeval.config.model import Budget, Limit, ModelGateway, Network
from reeval.config.options import OPTION_KEYS, OPTIONS
from reeval.config.shapes import Key, ListOf, MapOf, OneOf, Table
from reeval.config.source import At
from reeval.config.variables import ANY_TEXT, HOST_VARIABLE

_HERE = r"(?!/)(?!(?:.*/)?\.\.(?:/|$))[^\0]+"
_INSIDE_THE_PROJECT = "a path inside the project"
_ADDRESS = Text(
    r"(?:[^\s:/]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}", 'an address such as "127.0.0.1:8443"'
)
_URL = Text(r"https?://[^\s/]+(?:/\S*)?", 'a URL such as "http://127.0.0.1:4000"')


def _ca_file(text: str | None, at: At) -> Path | None:
    if text is None:
        return None
    path = at.source.base / text
    if not path.is_file():
        raise at.child("ca_file").error(f"{at.dotted}.ca_file: there is no file {path}")
    return path


def _network(value: dict[str, Any], at: At) -> Network:
    return Network(
        resolve=value.get("resolve", {}),
        private=value.get("private", ()),
        ca_file=_ca_file(value.get("ca_file"), at),
    )


def _images(value: dict[str, Any], at: At) -> dict[str, Any]:
    path = _ca_file(value.get("ca_file"), at)
    return value if path is None else {**value, "ca_file": path}


def _gateway(value: dict[str, Any], at: At) -> ModelGateway:
    return ModelGateway(
        name=str(at.path[-1]),
        base_url=value["base_url"],
        key=value.get("key"),
        protocols=value["protocols"],
    )


def _limit(value: dict[str, Any], at: At) -> Limit:
    compare = value.get("compare")
    return Limit(
        runs=value.get("runs"),
        max_variants=compare if compare is not False else None,
        compare=compare is not False,
        harness=value.get("harness"),
    )


_LIMIT = Table(
    {
        "runs": Key(Whole(), "The most attempts a cell."),
        "compare": Key(
            OneOf(
                (
                    Flag(only=False),
                    Table(
                        {"max_variants": Key(Whole(0), "The most variants.", required=True)},
                        build=lambda value, at: value["max_variants"],
                    ),
                ),
                "false or { max_variants = 1 }",
            ),
            "false plans no variants.",
        ),
        "harness": Key(
            ListOf(Text(expects="a harness's name"), "harness names", single=True, minimum=1),
            "The only harnesses to run.",
        ),
    },
    build=_limit,
)
_WORDS = ListOf(Text(), "words", single=True, minimum=1)
_PROFILE = Table(
    {
        "when": Key(
            Table(
                {
                    "ci": Key(Flag(), "Whether it runs on CI."),
                    "event": Key(_WORDS, "What started it: push, pull_request, schedule, …"),
                    "branch": Key(_WORDS, "The branch, as a name or a pattern."),
                }
            ),
            "What chooses it without --profile; all must hold.",
        ),
        "defaults": Key(OPTIONS, "Options under the groups' and evals' own."),
        "limit": Key(_LIMIT, "What it narrows, whatever an eval says."),
    }
)

_ENVIRONMENT = Table(
    {"extends": Key(NAME, "The environment it is laid over."), **SPEC_KEYS},
    build=lambda value, at: (value, at),
)

PROTOCOLS = ("anthropic", "openai-responses", "openai-chat", "google")
_GATEWAY = Table(
    {
        "base_url": Key(_URL, "Its address.", required=True),
        "key": Key(HOST_VARIABLE, "The host variable with its key."),
        "protocols": Key(
            ListOf(OneWord(PROTOCOLS), "protocols", minimum=1), "What it speaks.", required=True
        ),
    },
    build=_gateway,
)

_IMAGES = Table(
    {
        "base": Key(Text(), "The image that agents are added to."),
        "build_network": Key(Text(), "The network of builds."),
        "ca_file": Key(Text(), "A root certificate trusted inside."),
        "npm_registry": Key(_URL, "Where npm fetches from."),
        "pip_index": Key(_URL, "Where pip fetches from."),
        "proxy": Key(_URL, "The proxy of builds."),
        "build_args": Key(MapOf(ANY_TEXT, "text"), "Arguments of builds."),
        "versions": Key(MapOf(Text(), "versions"), "The version of each agent's CLI."),
    },
    build=_images,
)

_OWN: Mapping[str, Key] = {
    "evals": Key(
        ListOf(Text(_HERE, _INSIDE_THE_PROJECT), "patterns", single=True, minimum=1),
        "Where the eval files are.",
    ),
    "concurrency": Key(Whole(), "Attempts at once."),
    "record": Key(OneWord(("manual", "ci", "always")), "Which runs are copied to the history."),
    "history": Key(Text(_HERE, _INSIDE_THE_PROJECT), "The history's folder."),
    "artifacts": Key(OneWord(("all", "failures", "none")), "Which attempts' files are kept."),
    "gateway": Key(
        ListOf(Text(expects="a gateway's name"), "gateway names", single=True),
        "Model gateways, in order.",
    ),
    "runner": Key(
        Table(
            {
                "module": Key(
                    Text(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", "the name of a Python module"),
                    "The module that runs eval files.",
                )
            }
        ),
        "What runs eval files.",
    ),
    "network": Key(
        Table(
            {
                "resolve": Key(MapOf(_ADDRESS, "addresses"), "Where a host is found instead."),
                "private": Key(ListOf(_ADDRESS, "addresses"), "Private addresses to allow."),
                "ca_file": Key(Text(), "Root certificates for what `resolve` names."),
            },
            build=_network,
        ),
        "What the egress gateway on this machine may do.",
    ),
    "budget": Key(
        Table(
            {
                "attempts": Key(Whole(), "The most attempts a plan may have."),
                "duration": Key(Duration(), "After this no attempt starts."),
            },
            build=lambda value, at: Budget(value.get("attempts"), value.get("duration")),
        ),
        "What a run may use.",
    ),
    "harnesses": Key(MapOf(HARNESS, "harnesses", NAME.pattern, NAME.expects), "Agents by name."),
    "environments": Key(
        MapOf(_ENVIRONMENT, "environments", NAME.pattern, NAME.expects), "Environments by name."
    ),
    "images": Key(_IMAGES, "How sandbox images are built."),
    "profiles": Key(MapOf(_PROFILE, "profiles", NAME.pattern, NAME.expects), "Profiles by name."),
    "gateways": Key(
        MapOf(_GATEWAY, "gateways", NAME.pattern, NAME.expects), "Model gateways by name."
    ),
}

CONFIG = Table({**_OWN, **OPTION_KEYS})

NOT_DECIDING = ("concurrency", "record", "history", "artifacts")
"""Keys that change nothing about an attempt's result, left out of the settings' hash."""
