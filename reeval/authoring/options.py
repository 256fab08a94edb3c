"""The options of `evaluate`, `group`, `c.judge` and `c.capture`, each key typed.

Keys are snake_case; a duration is seconds or a `timedelta`. What is nested in an option is the
data its page describes, and the plan checks all of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal, NotRequired, Required, TypeAlias, TypedDict

from reeval.authoring.environment import Environment, GitWorkspace, HostFile, Secret
from reeval.authoring.harnesses import FakeJudge, HarnessDescriptor
from reeval.authoring.sandboxes import SandboxDescriptor
from reeval.authoring.sources import McpServer, Plugin, Skill

Harness: TypeAlias = str | HarnessDescriptor | Mapping[str, Any]
EnvironmentLike: TypeAlias = str | Environment | Mapping[str, Any]
SandboxLike: TypeAlias = SandboxDescriptor | Mapping[str, Any]
EnvVars: TypeAlias = Mapping[str, str | Secret | Mapping[str, Any]]
Egress: TypeAlias = Literal["allow-all", "deny-all", "proxy"] | Mapping[str, Sequence[str]]
Duration: TypeAlias = timedelta | float


class SetupStep(TypedDict):
    """A command with its own limits: `timeout` (5 minutes), `cwd` (the workspace)."""

    run: str
    timeout: NotRequired[Duration]
    cwd: NotRequired[str]


class EnvironmentSpec(TypedDict, total=False):
    """What an environment holds. Paths in `files` are workspace-relative, or `~/` for home."""

    sandbox: SandboxLike
    workspace: GitWorkspace | Mapping[str, Any]
    files: Mapping[str, str | HostFile | Mapping[str, Any]]
    rules: str | HostFile | Mapping[str, Any]
    setup: Sequence[str | SetupStep | Mapping[str, Any]]
    skills: Sequence[Skill | Mapping[str, Any]]
    mcp: Mapping[str, McpServer | Mapping[str, Any]]
    plugins: Sequence[Plugin | Mapping[str, Any]]
    egress: Egress
    env: EnvVars


class Compare(TypedDict, total=False):
    """Environments to run beside the control. `min_lift` is in points, −1 to 1."""

    variants: Required[Sequence[EnvironmentLike]]
    baseline: EnvironmentLike
    harness: Sequence[Harness]
    gate: Literal["variants", "all", "none"]
    min_lift: float
    stop: Mapping[str, Any]


class JudgeDefaults(TypedDict, total=False):
    """Defaults for `c.judge()`, merged field by field down the cascade."""

    gateway: str | Mapping[str, Any]
    max_concurrent: int
    model: str | FakeJudge
    provider_options: Mapping[str, Mapping[str, Any]]
    state: Mapping[str, Any]
    threshold: float


class JudgeOptions(JudgeDefaults, total=False):
    """`c.judge()`'s own: the defaults, and the pictures it sends along."""

    artifacts: Literal[True] | Sequence[str]


class CaptureCall(TypedDict, total=False):
    """`c.capture()`'s options."""

    name: str
    path: str
    viewport: Literal["full-page"] | Mapping[str, int]
    timeout: Duration
    wait: Literal["load", "idle"] | Mapping[str, float]
    instructions: Sequence[str | Mapping[str, Any]]
    model: str


class EvalOptions(TypedDict, total=False):
    """Options of an eval or a group. A group's apply to what is inside it."""

    capture: Mapping[str, Any]
    compare: Compare | Mapping[str, Any]
    egress: Egress
    env: EnvVars
    environment: EnvironmentLike
    gate: Literal["all"] | Mapping[str, float]
    harness: Harness | Sequence[Harness] | Mapping[str, Any]
    judge: JudgeDefaults
    pin: Sequence[str]
    question: Mapping[str, Any]
    questions: Sequence[str | Mapping[str, Any]]
    """Asked of each attempt, or between pairs with `across`; `[]` clears the inherited ones."""
    revision: str | int
    runs: int
    sandbox: SandboxLike
    tags: Sequence[str]
    timeout: Duration
    """Per attempt, in seconds or as a timedelta."""
