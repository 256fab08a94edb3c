"""The machine of a cell, its id, and the policy it runs under."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reeval.config.machine import SANDBOX, egress_for, sandbox_for
from reeval.config.model import EnvironmentSpec, EvalOptions, HarnessSpec, SandboxSpec
from reeval.config.source import At, Source

FAKE, CODEX = HarnessSpec("fake", "fake"), HarnessSpec("codex", "codex")


def parsed(value: dict[str, Any]) -> SandboxSpec:
    found = SANDBOX.parse(value, At(Source(base=Path("/project/evals"), root=Path("/project"))))
    assert isinstance(found, SandboxSpec)
    return found


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"kind": "fake"}, "fake"),
        ({"kind": "local"}, "fake"),
        ({"kind": "docker"}, "docker"),
        ({"kind": "podman"}, "podman"),
        ({"kind": "docker", "engine": "podman"}, "podman"),
        ({"kind": "docker", "id": "mine", "image": "x"}, "mine"),
        ({"kind": "docker", "image": "ghcr.io/acme/node:24"}, "docker:node-24"),
        ({"kind": "docker", "from": "acme/base@sha256:ab"}, "docker:base-sha256-ab"),
        ({"kind": "docker", "dockerfile": "/project/docker/web/Dockerfile"}, "docker:web"),
        ({"kind": "docker", "dockerfile": "/project/Dockerfile"}, "docker:Dockerfile"),
        ({"kind": "docker", "dockerfile": "ci.Dockerfile"}, "docker:ci.Dockerfile"),
    ],
)
def test_a_sandboxs_id(value: dict[str, Any], expected: str) -> None:
    assert parsed(value).id == expected


def test_install_steps_are_part_of_the_id() -> None:
    one = parsed({"kind": "docker", "install": ["apt-get update"]}).id
    other = parsed({"kind": "docker", "install": ["apt-get upgrade"]}).id
    assert one != other
    assert one.startswith("docker+")
    assert len(one) == len("docker+") + 8


def test_docker_options_keep_their_names_and_from_its_underscore() -> None:
    spec = parsed(
        {"kind": "docker", "from": "a", "cpus": 2, "max_concurrent": 3, "start_timeout": "1m"}
    )
    assert spec.fields == {"from_": "a", "cpus": 2}
    assert (spec.max_concurrent, spec.start_timeout) == (3, 60.0)


def test_an_environments_sandbox_then_the_options_then_what_the_agent_needs() -> None:
    own, default = SandboxSpec("docker", "own"), SandboxSpec("docker", "default")
    environment = EnvironmentSpec("e", sandbox=own)
    assert sandbox_for(FAKE, environment, default) is own
    assert sandbox_for(FAKE, EnvironmentSpec("e"), default) is default
    assert sandbox_for(FAKE, None, None).kind == "fake"
    assert sandbox_for(CODEX, None, None).kind == "docker"


@pytest.mark.parametrize(
    ("own", "environment", "expected"),
    [
        (False, "deny-all", "deny-all"),
        (False, ("a.example",), ("a.example",)),
        (False, (), ()),
        (False, None, "allow-all"),
        (True, "deny-all", "allow-all"),
    ],
)
def test_an_environments_policy_lies_between_a_profile_and_a_group(
    own: bool, environment: Any, expected: Any
) -> None:
    options = EvalOptions(egress="allow-all", own=frozenset({"egress"} if own else ()))
    assert egress_for(EnvironmentSpec("e", egress=environment), options) == expected


def test_without_any_policy_it_is_proxy() -> None:
    assert egress_for(None, EvalOptions()) == "proxy"
