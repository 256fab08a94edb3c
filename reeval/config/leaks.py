"""Refuses a config that holds a key's value: values stand in the environment or in `.env`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from reeval.config.source import At

_KEY = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-[A-Za-z0-9_-]{16,}"  # Anthropic, OpenAI and those who took their form
    r"|AIza[A-Za-z0-9_-]{30,}"  # Google
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}"
    r"|xox[abprs]-[A-Za-z0-9-]{10,}|xai-[A-Za-z0-9]{20,}|hf_[A-Za-z0-9]{20,}"
    r"|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|(?:AKIA|ASIA)[A-Z0-9]{16}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+"  # a JSON web token
    r")|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_PASSWORD_IN_URL = re.compile(r"://[^/\s:@]*:[^/\s@]+@")
_SECRET_NAME = re.compile(r"token|secret|passw|api_?key|private_?key|credential", re.IGNORECASE)
_RANDOM = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9+/_=.-]{20,}")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
_MARKS = ("secret", "from", "token", "key")
"""Keys whose text names a host variable."""


def refuse_secrets(document: Mapping[str, Any], at: At, environ: Mapping[str, str]) -> None:
    """Raises `UsageError` at the first text that looks like a key, or is a named secret's value.

    The message never shows the text.
    """
    texts = list(_texts(document, at))
    named = {text for place, text in texts if place.path[-1] in _MARKS}
    values = {environ[name] for name in named if len(environ.get(name, "")) >= 8}
    for place, text in texts:
        if text in values or _looks_secret(str(place.path[-1]), text):
            raise place.error(
                f"{place.dotted} looks like a key, and a key never stands in the config: "
                'put it in the environment or in .env, and name its variable: { secret = "NAME" }'
            )


def _texts(value: Any, at: At) -> Iterator[tuple[At, str]]:
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, at.child(key))
    elif isinstance(value, list):
        for n, item in enumerate(value):
            yield from _texts(item, at.child(n))


def _looks_secret(key: str, text: str) -> bool:
    if _KEY.search(text) or _PASSWORD_IN_URL.search(text):
        return True
    if not _SECRET_NAME.search(key) or _VARIABLE.fullmatch(text):
        return False
    return _RANDOM.fullmatch(text) is not None
