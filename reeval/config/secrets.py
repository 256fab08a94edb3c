"""The values of secrets: from the host's environment, then from `.env` beside the config."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reeval.config.errors import UsageError
from reeval.config.model import EnvironmentSpec, EnvValue, EvalOptions, Secret, SecretTemplate

ENV_FILE = ".env"

_ASSIGNMENT = re.compile(r"(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_SINGLE = re.compile(r"'([^']*)'")
_BARE = re.compile(r"[^\n]*")
_REST = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_IGNORED = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*(?:#[^\n]*\Z)?")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class SecretValues:
    """`values` is host variable → value; `unset` the needed variables that have none."""

    values: Mapping[str, str] = field(repr=False)
    unset: tuple[str, ...]


def host_variables(root: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """The host's variables over the project's `.env`. Raises `UsageError` with the line."""
    file = root / ENV_FILE
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return dict(environ)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"it can't be read: {reason}", file=file) from None
    return {**parse_env_file(text, file), **environ}


def parse_env_file(text: str, file: Path) -> dict[str, str]:
    """`NAME=value` lines: `export`, comments, and quotes, which may span lines.

    Values are taken as they are: nothing is expanded. In double quotes `\\n`, `\\t`, `\\"` and
    `\\\\` are escapes. A message never shows a value.
    """
    text = text.replace("\r\n", "\n")
    found: dict[str, str] = {}
    at = _skip(text, 0)
    while at < len(text):
        match = _ASSIGNMENT.match(text, at)
        if match is None:
            raise _wrong(text, at, file, "this line is not NAME=value")
        found[match[1]], at = _value(text, match, file)
        at = _skip(text, at)
    return found


def secret_values(
    specs: Iterable[Secret | SecretTemplate], variables: Mapping[str, str]
) -> SecretValues:
    """What the secrets read, of the host's `variables`. An empty value counts as unset."""
    values: dict[str, str] = {}
    unset: dict[str, None] = {}
    for spec in specs:
        for name in host_names(spec):
            value = variables.get(name)
            if value:
                values[name] = value
            elif not (isinstance(spec, Secret) and spec.optional):
                unset[name] = None
    return SecretValues(values, tuple(unset))


def host_names(spec: Secret | SecretTemplate) -> tuple[str, ...]:
    """The host variables that a secret reads."""
    if isinstance(spec, Secret):
        return (spec.from_,)
    return tuple(re.findall(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}", spec.template))


def secrets_of(options: EvalOptions) -> Iterator[Secret | SecretTemplate]:
    """Every secret that a cell of an eval may get: its own, its environments' and MCP servers'."""
    yield from _secrets(options.env)
    compare = options.compare
    compared = () if compare is None else (compare.baseline, *compare.variants)
    for environment in (options.environment, *compared):
        if environment is not None:
            yield from _environment_secrets(environment)
    for harness in options.harness:
        yield from _secrets(harness.fields.get("env", {}))


def _environment_secrets(environment: EnvironmentSpec) -> Iterator[Secret | SecretTemplate]:
    yield from _secrets(environment.env)
    for server in environment.mcp.values():
        yield from _secrets(server.env)
        yield from _secrets(server.headers)
    if environment.workspace is not None and environment.workspace.token is not None:
        yield Secret(environment.workspace.token)


def _secrets(
    values: Mapping[str, EnvValue] | Mapping[str, str | Secret | SecretTemplate],
) -> Iterator[Secret | SecretTemplate]:
    for value in values.values():
        if not isinstance(value, str):
            yield value


def _value(text: str, name: re.Match[str], file: Path) -> tuple[str, int]:
    """The value after `NAME=`, and where the next line begins."""
    at = name.end()
    quote = text[at : at + 1]
    if quote not in ('"', "'"):
        match = _BARE.match(text, at)
        line = match.group() if match else ""
        return re.split(r"(?:^|[ \t])#", line, maxsplit=1)[0].strip(), at + len(line) + 1
    quoted = (_DOUBLE if quote == '"' else _SINGLE).match(text, at)
    if quoted is None:
        raise _wrong(text, at, file, f"the quote of {name[1]} is not closed")
    rest = _REST.match(text, quoted.end())
    if rest is None:
        raise _wrong(text, quoted.end(), file, f"there is text after the quoted value of {name[1]}")
    value = quoted[1] if quote == "'" else re.sub(r"(?s)\\(.)", _unescaped, quoted[1])
    return value, rest.end()


def _unescaped(match: re.Match[str]) -> str:
    char = match[1]
    return _ESCAPES.get(char, char if char in '"\\$`\n' else match[0])


def _skip(text: str, at: int) -> int:
    match = _IGNORED.match(text, at)
    return at if match is None else match.end()


def _wrong(text: str, at: int, file: Path, what: str) -> UsageError:
    return UsageError(what, file=file, line=text.count("\n", 0, at) + 1)
