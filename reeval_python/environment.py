"""Environments, plugins, sandboxes and harnesses by the public SDK's name."""

from reeval.authoring.environment import DEFAULT_EGRESS_ALLOW, Environment, define_environment
from reeval.authoring.harnesses import FakeHarness, FakeJudge, fake_harness, fake_judge
from reeval.authoring.sandboxes import DockerSandbox, docker
from reeval.authoring.sources import Build, Plugin, PluginBuild, plugin

__all__ = [
    "DEFAULT_EGRESS_ALLOW",
    "Build",
    "DockerSandbox",
    "Environment",
    "FakeHarness",
    "FakeJudge",
    "Plugin",
    "PluginBuild",
    "define_environment",
    "docker",
    "fake_harness",
    "fake_judge",
    "plugin",
]
