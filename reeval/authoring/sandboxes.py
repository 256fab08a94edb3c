"""The machines an attempt can run on: Docker, Podman, or a temporary folder for the fake agent."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal

from reeval.authoring.descriptor import Descriptor, present
from reeval.authoring.durations import duration_text
from reeval.authoring.places import host_path
from reeval.authoring.spelling import to_wire


class SandboxDescriptor(Descriptor):
    """A machine, made by `docker(…)`, `podman(…)` or `fake_sandbox(…)`."""


class DockerSandbox(SandboxDescriptor):
    """A container, made by `docker(…)` or `podman(…)`."""


class FakeSandbox(SandboxDescriptor):
    """A temporary folder on this machine, made by `fake_sandbox(…)`."""


def docker(
    *,
    image: str | None = None,
    from_: str | None = None,
    dockerfile: str | os.PathLike[str] | None = None,
    install: Sequence[str | Mapping[str, Any]] | None = None,
    engine: Literal["docker", "podman"] | None = None,
    cpus: float | None = None,
    memory: str | int | None = None,
    swap: str | int | None = None,
    pids: int | None = None,
    root: bool | None = None,
    capabilities: Sequence[str] | None = None,
    max_concurrent: int | None = None,
    start_timeout: timedelta | float | None = None,
    id: str | None = None,
) -> DockerSandbox:
    """A container.

    On reeval's image for the agent, or `image` as it is, or the agent's tools on `from_` or on
    `dockerfile` (relative to the folder of the file it is written in), with the commands of
    `install` baked in. `memory` and `swap` are bytes or text such as `"4g"`; `start_timeout` is
    seconds or a timedelta.
    """
    fields = present(
        image=image,
        dockerfile=None if dockerfile is None else host_path(dockerfile),
        install=None if install is None else to_wire(install),
        engine=engine,
        cpus=cpus,
        memory=memory,
        swap=swap,
        pids=pids,
        root=root,
        capabilities=None if capabilities is None else list(capabilities),
        maxConcurrent=max_concurrent,
        startTimeout=None
        if start_timeout is None
        else duration_text(start_timeout, "start_timeout"),
        id=id,
    )
    base = {} if from_ is None else {"from": from_}
    return DockerSandbox({"kind": "docker", **base, **fields})


def podman(
    *,
    image: str | None = None,
    from_: str | None = None,
    dockerfile: str | os.PathLike[str] | None = None,
    install: Sequence[str | Mapping[str, Any]] | None = None,
    cpus: float | None = None,
    memory: str | int | None = None,
    swap: str | int | None = None,
    pids: int | None = None,
    root: bool | None = None,
    capabilities: Sequence[str] | None = None,
    max_concurrent: int | None = None,
    start_timeout: timedelta | float | None = None,
    id: str | None = None,
) -> DockerSandbox:
    """The same as `docker(…)`, run by Podman."""
    return docker(
        image=image,
        from_=from_,
        dockerfile=dockerfile,
        install=install,
        engine="podman",
        cpus=cpus,
        memory=memory,
        swap=swap,
        pids=pids,
        root=root,
        capabilities=capabilities,
        max_concurrent=max_concurrent,
        start_timeout=start_timeout,
        id=id,
    )


def fake_sandbox(
    *,
    dir: str | os.PathLike[str] | None = None,
    id: str | None = None,
    max_concurrent: int | None = None,
) -> FakeSandbox:
    """A temporary folder on this machine, in `dir` or the system's. Only the fake agent may use it.

    `dir` is absolute, or relative to the folder of the file it is written in.
    """
    where = None if dir is None else host_path(dir)
    return FakeSandbox({"kind": "fake", **present(dir=where, id=id, maxConcurrent=max_concurrent)})
