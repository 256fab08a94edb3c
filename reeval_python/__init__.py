"""The public SDK's name for reeval's own: `from reeval_python import evaluate` and the rest.

Its objects are `reeval`'s, so files written for either run the same.
"""

from reeval.authoring.context import AttemptContext, SyncAttemptContext
from reeval.authoring.declare import evaluate, evaluate_each, group, todo
from reeval.authoring.environment import (
    DEFAULT_EGRESS_ALLOW,
    Environment,
    define_environment,
    file,
    git,
    secret,
)
from reeval.authoring.errors import ReevalAssertionError, ReevalCallError
from reeval.authoring.harnesses import (
    FakeHarness,
    FakeJudge,
    acp,
    antigravity,
    claude_code,
    codex,
    cursor,
    fake_harness,
    fake_judge,
    fx,
    gemini,
    goose,
    grok_build,
    opencode,
    pi,
)
from reeval.authoring.options import EvalOptions, JudgeDefaults, JudgeOptions
from reeval.authoring.results import (
    BackgroundHandle,
    Diff,
    ExecResult,
    FileChange,
    Turn,
    Usage,
    Verdict,
)
from reeval.authoring.sandboxes import DockerSandbox, FakeSandbox, docker, fake_sandbox, podman
from reeval.authoring.sources import Plugin, PluginBuild, mcp, plugin, skill

# Last, from the submodule of that name: importing it binds `expect` to the module, and this
# binds it back to the function.
from reeval_python.expect import Expectation, expect, soft

__all__ = [
    "DEFAULT_EGRESS_ALLOW",
    "AttemptContext",
    "BackgroundHandle",
    "Diff",
    "DockerSandbox",
    "Environment",
    "EvalOptions",
    "ExecResult",
    "Expectation",
    "FakeHarness",
    "FakeJudge",
    "FakeSandbox",
    "FileChange",
    "JudgeDefaults",
    "JudgeOptions",
    "Plugin",
    "PluginBuild",
    "ReevalAssertionError",
    "ReevalCallError",
    "SyncAttemptContext",
    "Turn",
    "Usage",
    "Verdict",
    "acp",
    "antigravity",
    "claude_code",
    "codex",
    "cursor",
    "define_environment",
    "docker",
    "evaluate",
    "evaluate_each",
    "expect",
    "fake_harness",
    "fake_judge",
    "fake_sandbox",
    "file",
    "fx",
    "gemini",
    "git",
    "goose",
    "grok_build",
    "group",
    "mcp",
    "opencode",
    "pi",
    "plugin",
    "podman",
    "secret",
    "skill",
    "soft",
    "todo",
]
