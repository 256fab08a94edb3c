"""What an eval runs in: named environments, and the files, variables and secrets in them."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Never

from reeval.authoring.descriptor import Descriptor, present
from reeval.authoring.places import host_path
from reeval.authoring.spelling import as_dict, options_to_wire

if TYPE_CHECKING:
    from reeval.authoring.options import EnvironmentSpec

DEFAULT_EGRESS_ALLOW: tuple[str, ...] = (
    "@registries",
    "github.com",
    "*.github.com",
    "*.githubusercontent.com",
)
"""The package registries and code hosts an install needs, for an `allow` list that adds to them:
`{"allow": [*DEFAULT_EGRESS_ALLOW, "api.example.com"]}`."""


@dataclass(frozen=True, repr=False)
class Environment(Descriptor):
    """A named environment: its own spec on top of those it extends."""

    @property
    def name(self) -> str:
        return str(self._data["name"])

    def extend(
        self, name: str, spec: EnvironmentSpec | Mapping[str, Any] | None = None, **misplaced: Never
    ) -> Environment:
        """A child. Its spec replaces this one's key by key.

        Variables and files merge by name, and its setup runs after this one's.
        """
        return _environment(
            [*self._data["layers"], _layer(name, spec, "env.extend", misplaced)], name
        )

    def __repr__(self) -> str:
        return f"Environment({self.name!r})"


def define_environment(
    name: str, spec: EnvironmentSpec | Mapping[str, Any] | None = None, **misplaced: Never
) -> Environment:
    """An environment to run evals in. The spec is copied: changing the dict later changes nothing.

    Raises `TypeError` when the spec isn't a dict or holds what isn't data.
    """
    return _environment([_layer(name, spec, "define_environment", misplaced)], name)


def _environment(layers: list[Any], name: str) -> Environment:
    return Environment({"kind": "environment", "name": name, "layers": layers})


def _layer(name: object, spec: object, what: str, misplaced: Mapping[str, Any]) -> dict[str, Any]:
    if misplaced:
        raise TypeError(
            f"{what} takes what the environment holds as a dict: "
            f"{what}({name!r}, {as_dict(misplaced)})"
        )
    if not isinstance(name, str) or not isinstance(spec, Mapping):
        raise TypeError(
            f'{what} takes a name and a dict, e.g. {what}("with-skill", {{"rules": "Be brief."}}) '
            f"(got {name!r}, {spec!r})"
        )
    return {"name": name, "spec": options_to_wire(copy.copy(dict(spec)))}


class HostFile(Descriptor):
    """A file on the host, made by `file(…)`."""


def file(path: str | os.PathLike[str]) -> HostFile:
    """A host file's contents, read when the plan is made.

    `path` is absolute, or relative to the folder of the file it is written in.
    """
    return HostFile({"kind": "file", "path": host_path(path)})


class GitWorkspace(Descriptor):
    """The repository a workspace starts as, made by `git(…)`."""


def git(
    repo: str,
    ref: str | None = None,
    path: str | None = None,
    *,
    init: bool | None = None,
    token: str | None = None,
) -> GitWorkspace:
    """A repository, or its folder `path`, that the workspace starts as.

    `repo` is a URL, `github:owner/repo` or a local path; `ref` a branch, tag or commit; `init`
    gives the workspace a `.git` of one commit; `token` names the host variable for the fetch.
    """
    fields = present(ref=ref, path=path, init=init, token=token)
    return GitWorkspace({"kind": "git", "repo": repo, "url": _clone_url(repo), **fields})


def _clone_url(repo: str) -> str:
    if repo.startswith("github:"):
        return f"https://github.com/{repo.removeprefix('github:').removesuffix('.git')}.git"
    if "://" in repo or repo.startswith("git@"):
        return repo
    return host_path(repo)


class Secret(Descriptor):
    """A host variable's value, made by `secret(…)`."""


class SecretTemplate(Descriptor):
    """Text with secrets in it, made by `secret.template(…)`."""


class _Secrets:
    """`secret(…)`, and `secret.template(…)`."""

    def __call__(
        self,
        name: str | None = None,
        *,
        from_: str | None = None,
        hosts: Sequence[str] | None = None,
        in_: Sequence[Literal["header", "query", "body"]] | None = None,
        to: Literal["agent", "checks"] | None = None,
        optional: bool | None = None,
    ) -> Secret:
        """The host variable `from_`, or `name` without it: recorded by name, never by value.

        Without either it is the variable it stands under in `env`. With `hosts` the sandbox only
        ever holds a placeholder, which is swapped in requests to them, in the parts `in_` names
        (headers). `to="checks"` keeps it from the agent. An unset one is an infra error unless it
        is `optional`.
        """
        fields = present(
            hosts=_texts(hosts, "secret(hosts=…)"),
            to=to,
            optional=optional,
        )
        where = {} if in_ is None else {"in": _texts(in_, "secret(in_=…)")}
        source = {} if (from_ or name) is None else {"from": from_ or name}
        return Secret({"kind": "secret", **source, **fields, **where})

    def template(self, template: str) -> SecretTemplate:
        """Text in which each `${NAME}` is a host variable, for MCP headers."""
        return SecretTemplate({"kind": "secret-template", "template": template})


secret = _Secrets()


def _texts(values: Sequence[str] | None, where: str) -> list[str] | None:
    if isinstance(values, str):
        raise TypeError(f"{where} takes a list, e.g. [{values!r}] (got {values!r})")
    return None if values is None else list(values)
