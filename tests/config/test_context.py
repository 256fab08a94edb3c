"""Skills, plugins and MCP servers in the config's short form and in the SDK's data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reeval.config.context import MCP, PLUGINS, SKILLS, name_of_plugin, name_of_skill
from reeval.config.errors import UsageError
from reeval.config.shapes import Shared
from reeval.config.source import At, Source

BASE = Path("/project")


def parse(field: Shared, value: Any, *, wire: bool = False) -> Any:
    return field.parse(value, At(Source(base=BASE, wire=wire), ("x",)))


@pytest.mark.parametrize(
    ("short", "wire", "name"),
    [
        ("skills/greet", {"source": "local", "path": "skills/greet"}, "greet"),
        ({"local": "/abs/x/"}, {"source": "local", "path": "/abs/x/"}, "x"),
        (
            {"git": "github:acme/skills.git", "ref": "v1"},
            {"source": "git", "repo": "github:acme/skills.git", "ref": "v1"},
            "skills",
        ),
        (
            {"git": "github:acme/all", "path": "in/review", "only": ["a"]},
            {"source": "git", "repo": "github:acme/all", "path": "in/review", "only": ["a"]},
            "review",
        ),
        (
            {"npm": "@acme/kit@1.2.0", "path": ""},
            None,
            None,
        ),
        (
            {"registry": "owner/repo@lint", "placement": "workspace"},
            {"source": "registry", "id": "owner/repo@lint", "placement": "workspace"},
            "lint",
        ),
        (
            {"inline": "greet", "description": "d", "content": ""},
            {"source": "inline", "name": "greet", "description": "d", "content": ""},
            "greet",
        ),
    ],
)
def test_a_skills_two_forms_mean_the_same(short: Any, wire: Any, name: str | None) -> None:
    if wire is None:
        with pytest.raises(UsageError, match=r"x\[0\]\.path takes text"):
            parse(SKILLS, [short])
        return
    (skill,) = parse(SKILLS, [short])
    assert parse(SKILLS, [{"kind": "skill", **wire}], wire=True) == (skill,)
    assert name_of_skill(skill) == name


@pytest.mark.parametrize(
    ("short", "wire", "name"),
    [
        ("plugins/review", {"source": "local", "path": "plugins/review"}, "review"),
        (
            {"npm": "@acme/review@1.2.0"},
            {"source": "npm", "spec": "@acme/review@1.2.0"},
            "@acme/review",
        ),
        (
            {"marketplace": "lint@github:acme/all", "ref": "v1"},
            {
                "source": "marketplace",
                "name": "lint",
                "marketplace": {"source": "git", "repo": "github:acme/all", "ref": "v1"},
            },
            "lint",
        ),
        (
            {"git": "https://git.example.com/p.git", "build": {"run": "make", "cwd": "x"}},
            {
                "source": "git",
                "repo": "https://git.example.com/p.git",
                "build": {"run": "make", "cwd": "x"},
            },
            "p",
        ),
    ],
)
def test_a_plugins_two_forms_mean_the_same(short: Any, wire: Any, name: str) -> None:
    (plugin,) = parse(PLUGINS, [short])
    assert parse(PLUGINS, [{"kind": "plugin", **wire}], wire=True) == (plugin,)
    assert name_of_plugin(plugin) == name


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        (PLUGINS, [{"marketplace": "lint"}], '"name@source", such as "lint@github:acme/plugins"'),
        (PLUGINS, [{"marketplace": "a@npm:b", "ref": "v1"}], "ref is for a git marketplace"),
        (MCP, {"d": {"command": "a", "url": "https://b"}}, "x.d needs command"),
        (
            MCP,
            {"d": {"command": "a", "headers": {"A": "b"}}},
            "headers is not for a server with command",
        ),
        (MCP, {"d": {"url": "https://b", "args": ["a"]}}, "args is not for a server with url"),
        (MCP, {"d": {"url": "https://b", "transport": "stdio"}}, '"http" or "sse" with url'),
        (MCP, {"d": {"url": "ftp://b"}}, "a URL such as"),
    ],
)
def test_what_does_not_fit_together_is_refused(field: Shared, value: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(field, value)
    assert message in str(caught.value)
