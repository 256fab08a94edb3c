"""The record's environments: what each cell's attempts run in, named and hashed, without values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reeval.config.model import (
    Egress,
    EnvironmentSpec,
    HostFile,
    McpServer,
    Secret,
    SecretTemplate,
)
from reeval.config.secrets import host_names
from reeval.plan.digest import contents_digest, digest
from reeval.plan.matrix import Arm
from reeval.plan.model import Cell
from reeval.plan.skill_records import skill_records


@dataclass(frozen=True, slots=True)
class Described:
    """Hashes of what a cell runs in. `environment` is None without one and without variables.

    `record_digest` is the key into the record's environments, None without an environment.
    """

    record_digest: str | None
    environment: str | None
    context: str


class Environments:
    """Describes cells, and keeps one record for every environment that differs.

    `values` is host variable → value, for the secrets that are set. Files and skills are read
    once. Raises `UsageError` when a file can't be read.
    """

    def __init__(self, root: Path, values: Mapping[str, str]) -> None:
        self._root = root
        self._values = values
        self._records: dict[tuple[str, str | None], dict[str, Any]] = {}
        self._files: dict[Path, str] = {}
        self._skills: dict[str, tuple[dict[str, Any], ...]] = {}

    def records(self, cells: Iterable[Cell]) -> tuple[Mapping[str, Any], ...]:
        """The records of these cells' environments, each once."""
        keys = dict.fromkeys((c.environment_name, c.environment_digest) for c in cells)
        return tuple(self._records[key] for key in keys if key in self._records)

    def describe(self, arm: Arm) -> Described:
        spec = arm.environment
        if spec is None:
            plain = not arm.env and arm.egress == "proxy"
            own = None if plain else digest({"env": arm.env, "egress": arm.egress})
            return Described(None, own, digest([]))
        record = self._record(spec, arm)
        found = digest(self._contents(spec, arm, record))
        self._records.setdefault((spec.name, found), {**record, "digest": found})
        rules = None if spec.rules is None else self._sha256(spec.rules)
        return Described(found, found, digest([rules, record["skills"]]))

    def _contents(self, spec: EnvironmentSpec, arm: Arm, record: Mapping[str, Any]) -> Any:
        """What the digest covers. Names of secrets are in it, their values never."""
        return {
            "setup": spec.setup,
            "skills": record["skills"],
            "mcp": spec.mcp,
            "plugins": spec.plugins,
            "files": record["files"],
            "rules": None if spec.rules is None else self._sha256(spec.rules),
            "workspace": spec.workspace,
            "env": arm.env,
            "unset": record["unset"],
            "egress": None if arm.egress == "proxy" else arm.egress,
        }

    def _record(self, spec: EnvironmentSpec, arm: Arm) -> dict[str, Any]:
        secrets = list(_secrets(spec, arm.env))
        plain = {s.name for s in secrets if not s.brokered}
        return {
            "name": spec.name,
            "parent": spec.parent,
            "overrides": list(spec.overrides),
            "setup": [step.run for step in spec.setup],
            "skills": [r for source in spec.skills for r in self._skill(source)],
            "mcp": sorted(spec.mcp),
            "files": [
                {"path": path, "sha256": self._sha256(contents)}
                for path, contents in sorted(spec.files.items())
            ],
            "vars": sorted(n for n, value in arm.env.items() if not isinstance(value, Secret)),
            "secrets": sorted({s.name for s in secrets}),
            "brokered": sorted({s.name for s in secrets} - plain),
            "unset": sorted({s.name for s in secrets if s.optional and s.host not in self._values}),
            "egress": egress_record(arm.egress),
        }

    def _skill(self, source: Any) -> tuple[dict[str, Any], ...]:
        key = digest(source)
        if key not in self._skills:
            self._skills[key] = skill_records(source, self._root)
        return self._skills[key]

    def _sha256(self, contents: str | HostFile) -> str:
        if isinstance(contents, str):
            return contents_digest(contents)
        if contents.path not in self._files:
            self._files[contents.path] = contents_digest(contents)
        return self._files[contents.path]


def egress_record(egress: Egress) -> Any:
    """A policy as the record has it: a name, or `{"allow": [hosts]}`."""
    return egress if isinstance(egress, str) else {"allow": list(egress)}


@dataclass(frozen=True, slots=True)
class _Secret:
    """`name` as the record names it: the variable inside, or for a header the host's."""

    name: str
    host: str
    brokered: bool
    optional: bool


def _secrets(spec: EnvironmentSpec, env: Mapping[str, Any]) -> Iterator[_Secret]:
    for name, value in env.items():
        if isinstance(value, Secret):
            yield _Secret(name, value.from_, bool(value.hosts), value.optional)
    for server in spec.mcp.values():
        yield from _server_secrets(server)


def _server_secrets(server: McpServer) -> Iterator[_Secret]:
    for name, value in server.env.items():
        if isinstance(value, Secret):
            yield _Secret(name, value.from_, bool(value.hosts), value.optional)
    brokered = (server.url or "").startswith("https://")
    for header in server.headers.values():
        if isinstance(header, Secret):
            yield _Secret(header.from_, header.from_, brokered, header.optional)
        elif isinstance(header, SecretTemplate):
            for variable in host_names(header):
                yield _Secret(variable, variable, brokered, False)
