"""What an agent can be given: skills, MCP servers and plugins, as the config and the SDK say it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from reeval.config.fields import OneWord, Text
from reeval.config.model import McpServer, PluginSource, SkillSource
from reeval.config.shapes import Built, Key, ListOf, MapOf, OneOf, Shared, Table, Tagged
from reeval.config.source import At
from reeval.config.variables import ANY_TEXT, ENV, HEADERS

_SkillKind: TypeAlias = Literal["local", "git", "npm", "registry", "inline"]
_PluginKind: TypeAlias = Literal["local", "git", "npm", "marketplace"]

_MARKS = ("kind", "source", "placement", "only", "exclude")


def name_of_skill(skill: SkillSource) -> str:
    """What a skill source is called when a child environment replaces it."""
    fields = skill.fields
    if skill.source == "inline":
        return str(fields["name"])
    if skill.source == "registry":
        return str(fields["id"]).rsplit("@", 1)[-1]
    return _name_of(fields)


def name_of_plugin(plugin: PluginSource) -> str:
    return str(plugin.fields.get("name") or _name_of(plugin.fields))


def _name_of(fields: Mapping[str, Any]) -> str:
    """The last part of its path, else of its repository or package, without a version."""
    path = str(fields.get("path") or "").strip("/")
    if path:
        return path.rsplit("/", 1)[-1]
    if "spec" in fields:
        name, _, _ = str(fields["spec"])[1:].partition("@")
        return str(fields["spec"])[:1] + name
    return str(fields["repo"]).rstrip("/").rsplit("/", 1)[-1].removesuffix(".git")


# ── skills ───────────────────────────────────────────────────────────────────────────────────

_NAMES = ListOf(Text(), "names")
_PLACED: Mapping[str, Key] = {
    "placement": Key(
        OneWord(("harness", "workspace")), "Among the agent's own skills, or the repository's."
    ),
    "only": Key(_NAMES, "The skills to keep."),
    "exclude": Key(ListOf(Text(), "patterns"), "Paths in each skill to leave out."),
}


def _skill(source: _SkillKind, value: dict[str, Any], at: At) -> SkillSource:
    fields = {name: item for name, item in value.items() if name not in _MARKS}
    if source == "local":
        fields["path"] = str(at.source.base / fields["path"])
    if source == "npm":
        fields.setdefault("path", "skills")
    return SkillSource(
        source=source,
        fields=fields,
        placement=value.get("placement", "harness"),
        only=value.get("only", ()),
        exclude=value.get("exclude", ()),
    )


_SKILL_KEYS: Mapping[_SkillKind, Mapping[str, Key]] = {
    "local": {"path": Key(Text(), "A folder with SKILL.md, or a folder of such.", required=True)},
    "git": {
        "repo": Key(Text(), "The repository.", required=True),
        "ref": Key(Text(), "A branch, tag or commit."),
        "path": Key(Text(), "The folder of it to read skills from."),
    },
    "npm": {
        "spec": Key(Text(), "A pinned npm package.", required=True),
        "path": Key(Text(), "The folder of it to read skills from."),
    },
    "registry": {
        "id": Key(Text(), "A skill's id, `owner/repo@skill`.", required=True),
        "version": Key(Text(), "A git ref of its repository."),
    },
    "inline": {
        "name": Key(Text(), "The skill's name.", required=True),
        "description": Key(Text(), "When to use it.", required=True),
        "content": Key(ANY_TEXT, "The body of SKILL.md.", required=True),
        "files": Key(MapOf(ANY_TEXT, "file contents"), "Other files of the skill, by path."),
    },
}
_MAIN = {"local": "path", "git": "repo", "npm": "spec", "registry": "id", "inline": "name"}
"""The key that the config's short form writes as the source's own name: `{ git = "…" }`."""


def _skill_wire(source: _SkillKind) -> Table:
    marks = {
        "kind": Key(OneWord(("skill",)), wire=True),
        "source": Key(OneWord((source,)), wire=True),
    }
    return Table(
        {**marks, **_SKILL_KEYS[source], **_PLACED},
        tag=("source", source),
        build=lambda value, at: _skill(source, value, at),
    )


def _skill_short(source: _SkillKind) -> Table:
    main = _MAIN[source]
    own = dict(_SKILL_KEYS[source])
    keys = {source: own.pop(main), **own, **_PLACED}
    return Table(
        keys,
        when=source,
        build=lambda value, at: _skill(source, {main: value.pop(source), **value}, at),
    )


_SKILL_SOURCES: tuple[_SkillKind, ...] = ("local", "git", "npm", "registry", "inline")
_LOCAL_SKILL = Built(
    Text(expects="a skill's folder"), lambda path, at: _skill("local", {"path": path}, at)
)
SKILLS = Shared(
    "skills",
    ListOf(
        OneOf(
            (_LOCAL_SKILL, *map(_skill_short, _SKILL_SOURCES)),
            "a folder, or a table with local, git, npm, registry or inline",
            wire=tuple(map(_skill_wire, _SKILL_SOURCES)),
        ),
        "skills",
    ),
)

# ── plugins ──────────────────────────────────────────────────────────────────────────────────

_PARTS = ("skills", "agents", "commands", "hooks", "mcp", "rules")
_COMMANDS = ListOf(Text(expects="a command"), "commands", single=True)
_BUILD = OneOf(
    (
        _COMMANDS,
        Table({"run": Key(_COMMANDS, "What to run.", required=True), "cwd": Key(Text(), "Where.")}),
    ),
    "a command, a list of them, or { run = …, cwd = … }",
)
_PLUGIN_SHARED: Mapping[str, Key] = {
    "only": Key(ListOf(OneWord(_PARTS), "its parts"), "The parts to place."),
    "build": Key(_BUILD, "Commands that build it."),
}
_PLUGIN_KEYS: Mapping[_PluginKind, Mapping[str, Key]] = {
    "local": {"path": Key(Text(), "The plugin's folder.", required=True)},
    "git": {
        "repo": Key(Text(), "The repository.", required=True),
        "ref": Key(Text(), "A branch, tag or commit."),
        "path": Key(Text(), "The plugin's folder in it."),
    },
    "npm": {
        "spec": Key(Text(), "A pinned npm package.", required=True),
        "path": Key(Text(), "The plugin's folder in it."),
    },
}
_PLUGIN_MAIN: Mapping[_PluginKind, str] = {"local": "path", "git": "repo", "npm": "spec"}


def _plugin(source: _PluginKind, value: dict[str, Any], at: At) -> PluginSource:
    fields = {name: item for name, item in value.items() if name not in _MARKS}
    if source == "local":
        fields["path"] = str(at.source.base / fields["path"])
    return PluginSource(source=source, fields=fields, only=value.get("only", ()))


def _plugin_wire(source: _PluginKind, own: Mapping[str, Key]) -> Table:
    marks = {
        "kind": Key(OneWord(("plugin",)), wire=True),
        "source": Key(OneWord((source,)), wire=True),
    }
    return Table(
        {**marks, **own, **_PLUGIN_SHARED},
        tag=("source", source),
        build=lambda value, at: _plugin(source, value, at),
    )


def _plugin_short(source: _PluginKind) -> Table:
    main = _PLUGIN_MAIN[source]
    own = dict(_PLUGIN_KEYS[source])
    return Table(
        {source: own.pop(main), **own, **_PLUGIN_SHARED},
        when=source,
        build=lambda value, at: _plugin(source, {main: value.pop(source), **value}, at),
    )


def _market_plugin(value: dict[str, Any], at: At) -> PluginSource:
    """`name@source`: the entry of a git marketplace, or of an npm one at `npm:<package>`."""
    name, _, place = value.pop("marketplace").partition("@")
    ref = value.pop("ref", None)
    market: dict[str, Any] = {"source": "git", "repo": place}
    if place.startswith("npm:"):
        if ref is not None:
            raise at.error(f"{at.dotted}.ref is for a git marketplace; pin an npm one in its name")
        market = {"source": "npm", "spec": place.removeprefix("npm:")}
    elif ref is not None:
        market["ref"] = ref
    return _plugin("marketplace", {"name": name, "marketplace": market, **value}, at)


_MARKET_ENTRY = Text(r"[^@\s]+@\S+", '"name@source", such as "lint@github:acme/plugins"')
_MARKET_SHORT = Table(
    {
        "marketplace": Key(_MARKET_ENTRY, "The entry, as `name@source`.", required=True),
        "ref": Key(Text(), "A branch, tag or commit of a git marketplace."),
        **_PLUGIN_SHARED,
    },
    when="marketplace",
    build=_market_plugin,
)
_MARKET_WIRE = _plugin_wire(
    "marketplace",
    {
        "name": Key(Text(), required=True),
        "marketplace": Key(
            Tagged(
                "source",
                {
                    "git": Table(
                        {
                            "source": Key(OneWord(("git",))),
                            "repo": Key(Text(), required=True),
                            "ref": Key(Text()),
                        }
                    ),
                    "npm": Table(
                        {"source": Key(OneWord(("npm",))), "spec": Key(Text(), required=True)}
                    ),
                },
                "source",
            ),
            required=True,
        ),
    },
)
_PLUGIN_SOURCES: tuple[_PluginKind, ...] = ("local", "git", "npm")
_LOCAL_PLUGIN = Built(
    Text(expects="a plugin's folder"), lambda path, at: _plugin("local", {"path": path}, at)
)
PLUGINS = Shared(
    "plugins",
    ListOf(
        OneOf(
            (_LOCAL_PLUGIN, *map(_plugin_short, _PLUGIN_SOURCES), _MARKET_SHORT),
            "a folder, or a table with local, git, npm or marketplace",
            wire=(*(_plugin_wire(s, _PLUGIN_KEYS[s]) for s in _PLUGIN_SOURCES), _MARKET_WIRE),
        ),
        "plugins",
    ),
)

# ── MCP servers ──────────────────────────────────────────────────────────────────────────────


def _mcp(value: dict[str, Any], at: At) -> McpServer:
    remote = "url" in value
    if remote == ("command" in value):
        raise at.error(f"{at.dotted} needs command, to start a server, or url, to reach one")
    transport = value.get("transport", "http" if remote else "stdio")
    if remote == (transport == "stdio"):
        takes = '"http" or "sse" with url' if remote else '"stdio" with command'
        raise at.child("transport").wrong(takes, transport)
    foreign = [key for key in (("args", "env") if remote else ("headers",)) if value.get(key)]
    if foreign:
        raise at.error(
            f"{at.dotted}.{foreign[0]} is not for a server with {'url' if remote else 'command'}"
        )
    return McpServer(
        transport=transport,
        command=value.get("command"),
        args=value.get("args", ()),
        env=value.get("env", {}),
        url=value.get("url"),
        headers=value.get("headers", {}),
    )


_MCP_SERVER = Table(
    {
        "command": Key(Text(), "The program that is the server."),
        "args": Key(ListOf(ANY_TEXT, "arguments"), "Its arguments."),
        "env": Key(ENV, "Variables it gets."),
        "url": Key(
            Text(r"https?://\S+", 'a URL such as "https://mcp.example.com"'), "Its address."
        ),
        "headers": Key(HEADERS, "Headers of each request."),
        "transport": Key(OneWord(("stdio", "http", "sse")), "How it is spoken to."),
        "kind": Key(OneWord(("mcp",)), wire=True),
    },
    "a table with command or url",
    build=_mcp,
)
MCP = Shared("mcp", MapOf(_MCP_SERVER, "servers", key=r"[A-Za-z0-9_.-]+", named="a server's name"))
