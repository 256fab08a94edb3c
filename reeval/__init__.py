"""What an eval file imports: `from reeval import evaluate, expect, …`.

Names are resolved on first use, so the command line's start doesn't load the SDK.
"""

TYPE_CHECKING = False  # importing it from typing would be most of a start's cost
if TYPE_CHECKING:
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
    from reeval.authoring.expect import Expectation, expect, soft
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

_WHERE = {
    "context": ("AttemptContext", "SyncAttemptContext"),
    "declare": ("evaluate", "evaluate_each", "group", "todo"),
    "environment": (
        "DEFAULT_EGRESS_ALLOW",
        "Environment",
        "define_environment",
        "file",
        "git",
        "secret",
    ),
    "errors": ("ReevalAssertionError", "ReevalCallError"),
    "expect": ("Expectation", "expect", "soft"),
    "harnesses": (
        "FakeHarness",
        "FakeJudge",
        "acp",
        "antigravity",
        "claude_code",
        "codex",
        "cursor",
        "fake_harness",
        "fake_judge",
        "fx",
        "gemini",
        "goose",
        "grok_build",
        "opencode",
        "pi",
    ),
    "options": ("EvalOptions", "JudgeDefaults", "JudgeOptions"),
    "results": (
        "BackgroundHandle",
        "Diff",
        "ExecResult",
        "FileChange",
        "Turn",
        "Usage",
        "Verdict",
    ),
    "sandboxes": ("DockerSandbox", "FakeSandbox", "docker", "fake_sandbox", "podman"),
    "sources": ("Plugin", "PluginBuild", "mcp", "plugin", "skill"),
}
_MODULE_OF = {name: module for module, names in _WHERE.items() for name in names}


def __getattr__(name: str) -> object:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'reeval' has no attribute {name!r}")
    from importlib import import_module  # only an eval file needs it

    value = getattr(import_module(f"reeval.authoring.{module}"), name)
    globals()[name] = value
    return value


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
