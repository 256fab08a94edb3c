"""The machine an attempt runs on: what `sandbox` may say, its id, and which one a cell gets."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from reeval.config.fields import Duration, Flag, Number, OneWord, Text, Whole
from reeval.config.model import (
    Egress,
    EnvironmentSpec,
    EvalOptions,
    HarnessSpec,
    SandboxSpec,
)
from reeval.config.shapes import Key, ListOf, OneOf, Shared, Table, Tagged
from reeval.config.source import At

DEFAULT = "default"
"""The source of a value that nobody set."""

FAKE_SANDBOX = SandboxSpec(kind="fake", id="fake")
DOCKER_SANDBOX = SandboxSpec(kind="docker", id="docker")

_COMMON = ("kind", "id", "max_concurrent", "start_timeout", "dir")


def sandbox_for(
    harness: HarnessSpec, environment: EnvironmentSpec | None, default: SandboxSpec | None
) -> SandboxSpec:
    """A cell's machine: its environment's, else the options' `sandbox`, else its agent's own."""
    if environment is not None and environment.sandbox is not None:
        return environment.sandbox
    if default is not None:
        return default
    return FAKE_SANDBOX if harness.kind == "fake" else DOCKER_SANDBOX


def egress_for(environment: EnvironmentSpec | None, options: EvalOptions) -> Egress:
    """A cell's policy: the environment's lies over the config's and profile's, under the eval's."""
    if environment is not None and environment.egress is not None and "egress" not in options.own:
        return environment.egress
    return "proxy" if options.egress is None else options.egress


def _fake(value: dict[str, Any], at: At) -> SandboxSpec:
    folder = value.get("dir")
    return SandboxSpec(
        kind="fake",
        id=value.get("id", "fake"),
        max_concurrent=value.get("max_concurrent"),
        start_timeout=value.get("start_timeout"),
        dir=None if folder is None else at.source.base / folder,
    )


def _docker(value: dict[str, Any], at: At) -> SandboxSpec:
    fields = {name: item for name, item in value.items() if name not in _COMMON}
    if "from" in fields:
        fields["from_"] = fields.pop("from")
    if value.get("kind") == "podman":
        fields.setdefault("engine", "podman")
    if "dockerfile" in fields:
        fields["dockerfile"] = str(at.source.base / fields["dockerfile"])
    given = [name for name in ("image", "from_", "dockerfile") if name in fields]
    if len(given) > 1:
        names = " and ".join(name.rstrip("_") for name in given)
        raise at.error(f"{at.dotted} has {names}: the machine is made from one of them")
    return SandboxSpec(
        kind="docker",
        id=value.get("id") or _docker_id(fields, at.source.root or at.source.base),
        max_concurrent=value.get("max_concurrent"),
        start_timeout=value.get("start_timeout"),
        fields=fields,
    )


def _docker_id(fields: Mapping[str, Any], root: Path) -> str:
    """The engine, what the image is made from, and eight hex digits of the install steps."""
    out = str(fields.get("engine", "docker"))
    made_from = _made_from(fields, root)
    if made_from:
        out += ":" + re.sub(r"[^A-Za-z0-9_.-]+", "-", made_from)
    if fields.get("install"):
        steps = json.dumps(fields["install"], sort_keys=True).encode()
        out += "+" + hashlib.sha256(steps).hexdigest()[:8]
    return out


def _made_from(fields: Mapping[str, Any], root: Path) -> str:
    reference = fields.get("image") or fields.get("from_")
    if reference:
        return str(reference).rsplit("/", 1)[-1]
    if "dockerfile" not in fields:
        return ""
    # From the project's root, so that an id is the same on every machine.
    path = Path(os.path.relpath(fields["dockerfile"], root))
    return path.parent.name if path.name == "Dockerfile" and path.parent.name else path.name


_SIZE = OneOf(
    (Text(r"[0-9]+(?:\.[0-9]+)?[bkmgBKMG]?", 'a size such as "4g"'), Whole()),
    'a size such as "4g", or a number of bytes',
)
_STEP = OneOf(
    (
        Text(expects="a shell command"),
        Table(
            {"run": Key(Text(), "The shell command.", required=True), "timeout": Key(Duration())}
        ),
    ),
    'a shell command, or { run = "…", timeout = "5m" }',
)
_SHARED: Mapping[str, Key] = {
    "id": Key(Text(), "Its name in cells."),
    "max_concurrent": Key(Whole(), "The most attempts on it at once."),
    "start_timeout": Key(Duration(), "How long it may take to start."),
}


def _docker_table(kind: Literal["docker", "podman"]) -> Table:
    return Table(
        {
            "kind": Key(OneWord((kind,)), "What runs the attempt.", required=True),
            **_SHARED,
            "engine": Key(OneWord(("docker", "podman")), "The program that runs the containers."),
            "image": Key(Text(), "An image that is used as it is."),
            "from": Key(Text(), "An image that the agent is added to."),
            "dockerfile": Key(Text(), "A Dockerfile that the agent is added to."),
            "install": Key(ListOf(_STEP, "commands"), "Commands baked into a cached layer."),
            "cpus": Key(Number(0.01), "CPUs it may use."),
            "memory": Key(_SIZE, "Memory it may use."),
            "swap": Key(_SIZE, "Swap it may use beside its memory."),
            "pids": Key(Whole(), "Processes it may have."),
            "root": Key(Flag(), "Whether the agent runs as root."),
            "capabilities": Key(ListOf(Text(), "capabilities"), "Capabilities added back."),
        },
        build=_docker,
    )


def _fake_table(kind: Literal["fake", "local"]) -> Table:
    return Table(
        {
            "kind": Key(OneWord((kind,)), "What runs the attempt.", required=True),
            **_SHARED,
            "dir": Key(Text(), "The folder its temporary directories are made in."),
        },
        build=_fake,
    )


SANDBOX = Shared(
    "sandbox",
    Tagged(
        "kind",
        {
            "docker": _docker_table("docker"),
            "podman": _docker_table("podman"),
            "local": _fake_table("local"),
            "fake": _fake_table("fake"),
        },
        "kind of sandbox",
    ),
)
