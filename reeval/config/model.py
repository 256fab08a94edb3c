"""What the settings mean, parsed once: all that `reeval.toml` and an eval say, as dataclasses.

Durations are seconds. Names are the ones `docs/config.md` uses, in snake_case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

# ── variables and secrets ────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Secret:
    """A host variable's value. With `hosts` the sandbox only ever holds a placeholder."""

    from_: str
    hosts: tuple[str, ...] = ()
    in_: tuple[Literal["header", "query", "body"], ...] = ("header",)
    to: Literal["agent", "checks"] = "agent"
    optional: bool = False


@dataclass(frozen=True, slots=True)
class SecretTemplate:
    """Text with `${NAME}` for each host variable, for MCP headers."""

    template: str


EnvValue: TypeAlias = str | Secret


# ── environments ─────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class HostFile:
    """A file on the host, read when the plan is made. `path` is absolute."""

    path: Path


FileContents: TypeAlias = str | HostFile


@dataclass(frozen=True, slots=True)
class SetupStep:
    """A shell command run before the agent starts. `timeout` in seconds; `cwd` in the workspace."""

    run: str
    timeout: float = 300.0
    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class GitWorkspace:
    repo: str
    ref: str | None = None
    path: str | None = None
    init: bool = False
    token: str | None = None


@dataclass(frozen=True, slots=True)
class SkillSource:
    """`source` says which `fields` are set: `path` (absolute on `local`), `repo`, `spec`, …"""

    source: Literal["local", "git", "npm", "registry", "inline"]
    fields: Mapping[str, Any]
    placement: Literal["harness", "workspace"] = "harness"
    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class McpServer:
    """`stdio`: `command` and `args` and `env`; `http` and `sse`: `url` and `headers`."""

    transport: Literal["stdio", "http", "sse"]
    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, EnvValue] = field(default_factory=dict)
    url: str | None = None
    headers: Mapping[str, str | Secret | SecretTemplate] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PluginSource:
    source: Literal["local", "git", "npm", "marketplace"]
    fields: Mapping[str, Any]
    only: tuple[str, ...] = ()


Egress: TypeAlias = Literal["proxy", "allow-all", "deny-all"] | tuple[str, ...]
"""A policy by name, or the hosts of `{"allow": […]}`."""


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """The machine an attempt runs on. `id` names it in cells. Unset limits are None.

    `fields` holds the Docker options this dataclass doesn't name (`image`, `from_`, `dockerfile`,
    `install`, `cpus`, `memory`, `swap`, `pids`, `root`, `capabilities`, `engine`).
    """

    kind: Literal["fake", "docker"]
    id: str
    max_concurrent: int | None = None
    start_timeout: float | None = None
    dir: Path | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EnvironmentSpec:
    """An environment after its `extend` chain is merged, root first.

    `parent` is the previous layer's name; `overrides` the keys a later layer replaced, such as
    `env.KEY`, `skills.typescript`, `mcp.docs` or `rules`.
    """

    name: str
    parent: str | None = None
    overrides: tuple[str, ...] = ()
    sandbox: SandboxSpec | None = None
    workspace: GitWorkspace | None = None
    files: Mapping[str, FileContents] = field(default_factory=dict)
    rules: FileContents | None = None
    setup: tuple[SetupStep, ...] = ()
    skills: tuple[SkillSource, ...] = ()
    mcp: Mapping[str, McpServer] = field(default_factory=dict)
    plugins: tuple[PluginSource, ...] = ()
    egress: Egress | None = None
    env: Mapping[str, EnvValue] = field(default_factory=dict)


# ── agents and judges ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class HarnessSpec:
    """An agent. `id` is the given one, else `<kind>:<model>` with `[effort=…]`, else the kind.

    `fields` are the kind's own options in snake_case (the fake harness's `script`, `files`, …).
    """

    kind: str
    id: str
    model: str | None = None
    effort: str | None = None
    gateway: str | None = None
    max_concurrent: int | None = None
    start_timeout: float = 90.0
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FakeJudge:
    """A judge that gives every call this score (0–1)."""

    score: float


@dataclass(frozen=True, slots=True)
class JudgeSpec:
    model: str | FakeJudge | None = None
    threshold: float = 0.8
    state: Mapping[str, Any] = field(default_factory=dict)
    provider_options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    max_concurrent: int | None = None
    gateway: str | None = None


# ── the options of one eval, after the cascade ───────────────────────────────────────────────

Gate: TypeAlias = Literal["all", "none"] | float
"""`all`: every counted attempt passes; a float: at least this pass rate; `none`: never fails."""


@dataclass(frozen=True, slots=True)
class Compare:
    """`baseline` None means: the cascaded environment, else an empty one named `baseline`."""

    variants: tuple[EnvironmentSpec, ...]
    baseline: EnvironmentSpec | None = None
    harness: tuple[str, ...] = ()
    gate: Literal["variants", "all", "none"] = "variants"
    min_lift: float | None = None
    stop: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class EvalOptions:
    """One eval's options with everything inherited laid under its own.

    `sources` says where each key's value comes from, such as `reeval.toml`, `profile pr`,
    `group("net")`, `evaluate("greets")`, `--runs`, or `default`. `own` are the keys that a group,
    the eval or the command line set: the others are the same for every eval. `limited` says what
    the profile's limit took away, such as `runs 9 → 2`.
    """

    harness: tuple[HarnessSpec, ...] = ()
    environment: EnvironmentSpec | None = None
    compare: Compare | None = None
    sandbox: SandboxSpec | None = None
    egress: Egress | None = None
    env: Mapping[str, EnvValue] = field(default_factory=dict)
    gate: Gate = "all"
    runs: int = 1
    timeout: float = 900.0
    tags: tuple[str, ...] = ()
    pin: tuple[str, ...] = ()
    judge: JudgeSpec = field(default_factory=JudgeSpec)
    question: Mapping[str, Any] = field(default_factory=dict)
    questions: tuple[Mapping[str, Any], ...] = ()
    capture: Mapping[str, Any] = field(default_factory=dict)
    revision: str | int | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    own: frozenset[str] = frozenset()
    limited: tuple[str, ...] = ()


# ── the config file ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Budget:
    """`duration` in seconds."""

    attempts: int | None = None
    duration: float | None = None


@dataclass(frozen=True, slots=True)
class Network:
    """What the egress gateway on this machine may do. `resolve`: host → `address:port`."""

    resolve: Mapping[str, str] = field(default_factory=dict)
    private: tuple[str, ...] = ()
    ca_file: Path | None = None


@dataclass(frozen=True, slots=True)
class ModelGateway:
    name: str
    base_url: str
    key: str | None = None
    protocols: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limit:
    """What a profile narrows: `compare` False plans no variants."""

    runs: int | None = None
    max_variants: int | None = None
    compare: bool = True
    harness: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """`defaults` is a raw option layer, checked, under the groups' and evals' own options."""

    name: str
    when: Mapping[str, Any]
    defaults: Mapping[str, Any]
    limit: Limit


@dataclass(frozen=True, slots=True)
class Settings:
    """`reeval.toml`, whole. `root` is the project's folder, absolute; `file` the config, if any.

    `options` is the file's option layer (raw, checked), which the cascade lays under all others.
    `environments` and `harnesses` are the named ones, by their table's name.
    """

    root: Path
    file: Path | None = None
    evals: tuple[str, ...] = ("evals/**/*.eval.py",)
    concurrency: int | None = None
    record: Literal["manual", "ci", "always"] = "manual"
    history: str = "evals/history"
    artifacts: Literal["all", "failures", "none"] = "all"
    gateway: tuple[str, ...] = ()
    runner_module: str | None = None
    network: Network = field(default_factory=Network)
    budget: Budget = field(default_factory=Budget)
    images: Mapping[str, Any] = field(default_factory=dict)
    gateways: Mapping[str, ModelGateway] = field(default_factory=dict)
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    environments: Mapping[str, EnvironmentSpec] = field(default_factory=dict)
    harnesses: Mapping[str, HarnessSpec] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    """Where each dotted key of the file stands, such as `judge.model` → `reeval.toml:12`."""
    hash: str = ""
    """sha256 of the settings that decide a run's results; `concurrency` is left out."""
