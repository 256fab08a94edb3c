"""What an environment may say, and how one laid over another becomes a third."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reeval.config.context import MCP, PLUGINS, SKILLS, name_of_plugin, name_of_skill
from reeval.config.fields import Duration, Flag, OneWord, Text
from reeval.config.machine import SANDBOX
from reeval.config.model import EnvironmentSpec, GitWorkspace, HostFile, SetupStep
from reeval.config.shapes import Built, Key, ListOf, MapOf, OneOf, Shared, Table
from reeval.config.source import At
from reeval.config.variables import ANY_TEXT, EGRESS, ENV, HOST_VARIABLE

SETUP_TIMEOUT = 300.0
"""Seconds a setup step may take."""

NAME = Text(r"[A-Za-z0-9][A-Za-z0-9._-]*", "a name of letters, digits, '.', '_' and '-'")


def host_path(text: str, at: At) -> Path:
    """A path on the host, absolute: relative ones start where the file that says it lies."""
    return at.source.base / text


def _file(value: dict[str, Any], at: At) -> HostFile:
    return HostFile(host_path(value.get("file") or value["path"], at))


CONTENTS = Shared(
    "contents",
    OneOf(
        (
            ANY_TEXT,
            Table(
                {"file": Key(Text(), "A file on the host.", required=True)},
                when="file",
                build=_file,
            ),
        ),
        'text or { file = "path" }',
        wire=(
            Table(
                {"kind": Key(OneWord(("file",)), wire=True), "path": Key(Text(), required=True)},
                tag=("kind", "file"),
                build=_file,
            ),
        ),
    ),
)


def _step(value: dict[str, Any], at: At) -> SetupStep:
    return SetupStep(value["run"], value.get("timeout", SETUP_TIMEOUT), value.get("cwd"))


_SETUP = OneOf(
    (
        Built(Text(expects="a shell command"), lambda run, at: SetupStep(run)),
        Table(
            {
                "run": Key(Text(), "The shell command.", required=True),
                "timeout": Key(Duration(), "How long it may take; 5 minutes by default."),
                "cwd": Key(Text(), "A folder of the workspace."),
            },
            build=_step,
        ),
    ),
    'a shell command, or { run = "…", timeout = "5m" }',
)


def _workspace(value: dict[str, Any], at: At) -> GitWorkspace:
    repo = value.get("git") or value.get("repo")
    if repo is None:
        raise at.error(f'{at.dotted} needs git: a repository such as "github:acme/app"')
    return GitWorkspace(
        repo=repo,
        ref=value.get("ref"),
        path=value.get("path"),
        init=value.get("init", False),
        token=value.get("token"),
    )


_WORKSPACE = Table(
    {
        "git": Key(Text(), "A repository: a URL, `github:owner/repo`, or a local path."),
        "ref": Key(Text(), "A branch, tag or commit."),
        "path": Key(Text(), "The folder of it that becomes the workspace."),
        "init": Key(Flag(), "Whether the workspace gets a `.git` of one commit."),
        "token": Key(HOST_VARIABLE, "The host variable with a token for the fetch."),
        "kind": Key(OneWord(("git",)), wire=True),
        "repo": Key(Text(), wire=True),
        "url": Key(Text(), wire=True),
    },
    'a table such as { git = "github:acme/app" }',
    build=_workspace,
)

SPEC_KEYS: Mapping[str, Key] = {
    "sandbox": Key(SANDBOX, "The machine it runs on."),
    "workspace": Key(_WORKSPACE, "The code the workspace starts as."),
    "files": Key(
        MapOf(
            CONTENTS,
            "files",
            key=r"(?s)(?:~/)?(?!/)(?!(?:.*/)?\.\.(?:/|$))[^\0]+",
            named="a path in the workspace or under ~/",
        ),
        "Files by path: workspace-relative, or under `~/`.",
    ),
    "rules": Key(CONTENTS, "Project rules, written where the agent reads them."),
    "setup": Key(ListOf(_SETUP, "commands"), "Commands run before the agent starts."),
    "skills": Key(SKILLS, "Skills the agent gets."),
    "mcp": Key(MCP, "MCP servers the agent gets, by name."),
    "plugins": Key(PLUGINS, "Plugins the agent gets, in Claude Code's layout."),
    "egress": Key(EGRESS, "Where it may connect."),
    "env": Key(ENV, "Variables and secrets, by name."),
}
SPEC = Table(SPEC_KEYS)


def merged(name: str, layers: Sequence[tuple[str, Mapping[str, Any]]]) -> EnvironmentSpec:
    """An `extend` chain as one environment; each layer, root first, is its name and its spec."""
    spec: EnvironmentSpec | None = None
    for layer, own in layers:
        spec = extended(spec, layer, own)
    return EnvironmentSpec(name) if spec is None else replace(spec, name=name)


def extended(below: EnvironmentSpec | None, name: str, own: Mapping[str, Any]) -> EnvironmentSpec:
    """`own` laid over `below`: by name where things have names, setup appended, else replaced."""
    if below is None:
        return EnvironmentSpec(name, **own)
    values: dict[str, Any] = {}
    replaced: list[str] = []
    for key, value in own.items():
        before = getattr(below, key)
        if key in ("env", "files", "mcp"):
            values[key] = {**before, **value}
            replaced += [f"{key}.{item}" for item in value if item in before]
        elif key == "setup":
            values[key] = (*before, *value)
        elif key in ("skills", "plugins"):
            values[key], names = _by_name(key, before, value)
            replaced += [f"{key}.{item}" for item in names]
        else:
            values[key] = value
            replaced += [key] if before is not None else []
    overrides = tuple(dict.fromkeys((*below.overrides, *replaced)))
    return replace(below, name=name, parent=below.name, overrides=overrides, **values)


def _by_name(
    key: str, before: Sequence[Any], own: Sequence[Any]
) -> tuple[tuple[Any, ...], list[str]]:
    """Those before whose names aren't used again, then the own ones; and the names used again."""
    name_of = name_of_skill if key == "skills" else name_of_plugin
    names = {name_of(item) for item in own}
    kept = [item for item in before if name_of(item) not in names]
    return (*kept, *own), [name for name in map(name_of, before) if name in names]


_LAYER = Table(
    {"name": Key(NAME, required=True), "spec": Key(SPEC, required=True)},
    build=lambda value, at: (value["name"], value["spec"]),
)
DEFINED = Table(
    {
        "kind": Key(OneWord(("environment",)), wire=True),
        "name": Key(NAME, required=True),
        "layers": Key(ListOf(_LAYER, "layers", minimum=1), required=True),
    },
    tag=("kind", "environment"),
    build=lambda value, at: merged(value["name"], value["layers"]),
)
"""What `define_environment` and `extend` send."""
