"""What a variable and an MCP header may hold: text, a host secret, a template of secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reeval.config.fields import Flag, OneWord, Text
from reeval.config.model import Secret, SecretTemplate
from reeval.config.shapes import Key, ListOf, MapOf, OneOf, Shared, Table
from reeval.config.source import At

VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
ANY_TEXT = Text(r"(?s).*")

HOST = r"(?:\*\.)?[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?(?::[0-9]{1,5})?"
HOST_NAME = Text(HOST, 'a host name such as "api.example.com" or "*.example.com"')
HOST_VARIABLE = Text(VARIABLE, "the name of a host variable")


def _secret(value: dict[str, Any], at: At) -> Secret:
    """The host variable: the one named, else the one of the same name as the key it is set for."""
    return Secret(
        from_=value.get("secret") or value.get("from") or str(at.path[-1]),
        hosts=value.get("hosts", ()),
        in_=value.get("in", ("header",)),
        to=value.get("to", "agent"),
        optional=value.get("optional", False),
    )


_SECRET_KEYS: Mapping[str, Key] = {
    "hosts": Key(
        ListOf(HOST_NAME, "host names"),
        "The only hosts the real value is sent to; the sandbox holds a placeholder.",
    ),
    "in": Key(
        ListOf(OneWord(("header", "query", "body")), 'of "header", "query" and "body"'),
        "Which parts of a request the placeholder is replaced in.",
    ),
    "to": Key(
        OneWord(("agent", "checks")), "Who gets it: the agent too, or setup and checks only."
    ),
    "optional": Key(Flag(), "Whether the host variable may be unset."),
}

_SECRET = Table(
    {"secret": Key(HOST_VARIABLE, "The host variable.", required=True), **_SECRET_KEYS},
    'text or { secret = "NAME" }',
    when="secret",
    build=_secret,
)
_WIRE_SECRET = Table(
    {
        "kind": Key(OneWord(("secret",)), wire=True),
        "from": Key(HOST_VARIABLE),
        **_SECRET_KEYS,
    },
    tag=("kind", "secret"),
    build=_secret,
)
_TEMPLATE = Table(
    {"template": Key(Text(), "Text with `${NAME}` for each host variable.", required=True)},
    when="template",
    build=lambda value, at: SecretTemplate(value["template"]),
)
_WIRE_TEMPLATE = Table(
    {"kind": Key(OneWord(("secret-template",)), wire=True), "template": Key(Text(), required=True)},
    tag=("kind", "secret-template"),
    build=lambda value, at: SecretTemplate(value["template"]),
)

ENV = Shared(
    "env",
    MapOf(
        OneOf((ANY_TEXT, _SECRET), 'text or { secret = "NAME" }', wire=(_WIRE_SECRET,)),
        "variables",
        key=VARIABLE,
        named="a variable's name",
    ),
)
HEADERS = Shared(
    "headers",
    MapOf(
        OneOf(
            (ANY_TEXT, _SECRET, _TEMPLATE),
            'text, { secret = "NAME" } or { template = "Bearer ${NAME}" }',
            wire=(_WIRE_SECRET, _WIRE_TEMPLATE),
        ),
        "headers",
        key=r"[A-Za-z0-9!#$%&'*+.^_`|~-]+",
        named="a header's name",
    ),
)

EGRESS_HOST = Text(
    rf"@registries|{HOST}", 'a host such as "api.example.com" or "*.example.com", or "@registries"'
)
EGRESS = Shared(
    "egress",
    OneOf(
        (
            OneWord(("proxy", "allow-all", "deny-all")),
            Table(
                {
                    "allow": Key(
                        ListOf(EGRESS_HOST, "hosts"), "The only hosts to reach.", required=True
                    )
                },
                build=lambda value, at: value["allow"],
            ),
        ),
        '"proxy", "allow-all", "deny-all" or { allow = ["api.example.com"] }',
    ),
)
