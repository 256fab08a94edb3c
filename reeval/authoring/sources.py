"""What an environment gives the agent besides files: skills, MCP servers, plugins."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict

from reeval.authoring.descriptor import Descriptor, present
from reeval.authoring.environment import Secret, SecretTemplate
from reeval.authoring.places import host_path
from reeval.authoring.spelling import to_wire

Placement = Literal["harness", "workspace"]


class Skill(Descriptor):
    """Skills to place for the agent, made by `skill.local(…)`, `skill.git(…)`, …"""


class McpServer(Descriptor):
    """An MCP server the agent gets, made by `mcp.stdio(…)` or `mcp.http(…)`."""


class Plugin(Descriptor):
    """A plugin in Claude Code's layout, made by `plugin.local(…)`, `plugin.git(…)`, …"""


class PluginBuild(TypedDict):
    """A plugin's build commands, run from `cwd` (relative to its source)."""

    run: str | list[str]
    cwd: NotRequired[str]


Build = str | Sequence[str] | PluginBuild


def _listed(values: Sequence[str] | None, where: str) -> list[str] | None:
    if isinstance(values, str):
        raise TypeError(f"{where} takes a list, e.g. [{values!r}] (got {values!r})")
    return None if values is None else list(values)


# ── skills ───────────────────────────────────────────────────────────────────────────────────


class _Skills:
    """`skill.local(…)`, `.git`, `.npm`, `.registry`, `.inline`.

    `only` and `exclude` choose among what is found: skill names to keep, and paths in each skill
    to leave out. `placement` is the agent's own folder (`harness`) or the `workspace`'s.
    """

    def local(
        self,
        path: str | os.PathLike[str],
        *,
        only: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        placement: Placement = "harness",
    ) -> Skill:
        """A host folder with a `SKILL.md`, or a folder of them.

        `path` is absolute, or relative to the folder of the file it is written in.
        """
        chosen = _chosen("skill.local", only, exclude)
        return _skill("local", placement, path=host_path(path), **chosen)

    def git(
        self,
        repo: str,
        *,
        ref: str | None = None,
        path: str | None = None,
        only: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        placement: Placement = "harness",
    ) -> Skill:
        """Skills of a repository: a URL or `github:owner/repo`, at `ref`, under `path`."""
        chosen = _chosen("skill.git", only, exclude)
        return _skill("git", placement, repo=repo, **present(ref=ref, path=path), **chosen)

    def npm(
        self,
        spec: str,
        *,
        path: str = "skills",
        only: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        placement: Placement = "harness",
    ) -> Skill:
        """Skills of a pinned npm package, in its folder `path`."""
        chosen = _chosen("skill.npm", only, exclude)
        return _skill("npm", placement, spec=spec, path=path, **chosen)

    def registry(
        self, id: str, *, version: str | None = None, placement: Placement = "harness"
    ) -> Skill:
        """A skill of the skills registry, `owner/repo@skill`; `version` is a git ref."""
        return _skill("registry", placement, id=id, **present(version=version))

    def inline(
        self,
        name: str,
        *,
        description: str,
        content: str,
        files: Mapping[str, str] | None = None,
        placement: Placement = "harness",
    ) -> Skill:
        """A skill written here: the body of its `SKILL.md`, and its other files by path."""
        return _skill(
            "inline",
            placement,
            name=name,
            description=description,
            content=content,
            files=dict(files or {}),
        )


def _skill(source: str, placement: Placement, **fields: Any) -> Skill:
    return Skill({"kind": "skill", "source": source, "placement": placement, **fields})


def _chosen(
    what: str, only: Sequence[str] | None, exclude: Sequence[str] | None
) -> dict[str, list[str]]:
    return present(
        only=_listed(only, f"{what}(only=…)"), exclude=_listed(exclude, f"{what}(exclude=…)")
    )


skill = _Skills()


# ── MCP servers ──────────────────────────────────────────────────────────────────────────────


class _Mcp:
    """`mcp.stdio(…)` and `mcp.http(…)`."""

    def stdio(
        self,
        command: str,
        args: Sequence[str] = (),
        *,
        env: Mapping[str, str | Secret] | None = None,
    ) -> McpServer:
        """A server that the agent starts in the sandbox, with its arguments and variables."""
        return McpServer(
            {
                "kind": "mcp",
                "transport": "stdio",
                "command": command,
                "args": _listed(args, "mcp.stdio(args=…)"),
                "env": {k: to_wire(v) for k, v in (env or {}).items()},
            }
        )

    def http(
        self,
        url: str,
        *,
        headers: Mapping[str, str | Secret | SecretTemplate] | None = None,
        transport: Literal["http", "sse"] = "http",
    ) -> McpServer:
        """A server at a URL, with request headers."""
        return McpServer(
            {
                "kind": "mcp",
                "transport": transport,
                "url": url,
                "headers": {k: to_wire(v) for k, v in (headers or {}).items()},
            }
        )


mcp = _Mcp()


# ── plugins ──────────────────────────────────────────────────────────────────────────────────


class _Plugins:
    """`plugin.local(…)`, `.git`, `.npm`, `.marketplace`.

    `only` picks parts (`skills agents commands hooks mcp rules`); `build` is a command, commands
    in order, or `{"run": …, "cwd": …}`.
    """

    def local(
        self,
        path: str | os.PathLike[str],
        *,
        only: Sequence[str] | None = None,
        build: Build | None = None,
    ) -> Plugin:
        """A host folder with a `.claude-plugin/plugin.json`.

        `path` is absolute, or relative to the folder of the file it is written in.
        """
        return _plugin("local", "plugin.local", only, build, path=host_path(path))

    def git(
        self,
        repo: str,
        *,
        ref: str | None = None,
        path: str | None = None,
        only: Sequence[str] | None = None,
        build: Build | None = None,
    ) -> Plugin:
        """A plugin of a repository: a URL or `github:owner/repo`, at `ref`, under `path`."""
        return _plugin("git", "plugin.git", only, build, repo=repo, **present(ref=ref, path=path))

    def npm(
        self,
        spec: str,
        *,
        path: str | None = None,
        only: Sequence[str] | None = None,
        build: Build | None = None,
    ) -> Plugin:
        """A plugin in a pinned npm package."""
        return _plugin("npm", "plugin.npm", only, build, spec=spec, **present(path=path))

    def marketplace(
        self,
        entry: str,
        *,
        ref: str | None = None,
        only: Sequence[str] | None = None,
        build: Build | None = None,
    ) -> Plugin:
        """`name@source`: an entry of a git marketplace, or of an `npm:<package>` one."""
        name, _, source = (part.strip() for part in entry.partition("@"))
        if not name or not source:
            raise ValueError(
                "plugin.marketplace takes 'name@source', e.g. "
                f"plugin.marketplace('lint@github:acme/agent-plugins') (got {entry!r})"
            )
        market = _market(entry, source, ref)
        return _plugin(
            "marketplace", "plugin.marketplace", only, build, name=name, marketplace=market
        )


def _market(entry: str, source: str, ref: str | None) -> dict[str, str]:
    if not source.startswith("npm:"):
        return {"source": "git", "repo": source, **present(ref=ref)}
    if ref is not None:
        raise ValueError(
            f"plugin.marketplace({entry!r}): ref picks a commit of a git marketplace; pin an npm "
            "marketplace in its spec, e.g. npm:@acme/plugins@2.0.0"
        )
    return {"source": "npm", "spec": source.removeprefix("npm:")}


def _plugin(
    source: str, what: str, only: Sequence[str] | None, build: Build | None, **fields: Any
) -> Plugin:
    chosen = present(only=_listed(only, f"{what}(only=…)"), build=_build(build))
    return Plugin({"kind": "plugin", "source": source, **fields, **chosen})


def _build(build: Build | None) -> Any:
    if build is None or isinstance(build, str):
        return build
    return dict(build) if isinstance(build, Mapping) else list(build)


plugin = _Plugins()
