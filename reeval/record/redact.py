"""Masks secrets in what the record holds, and leaves the words and hashes that the schema fixes.

A secret whose value is `pass` or `modified` would otherwise make a record that no one can read;
as one of the schema's own words it tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from reeval.masking.masker import Masker

T = TypeVar("T")

_WORDS: dict[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "artifacts": "all failures none",
        "cause": "enospc oom",
        "class": "config transient resource",
        "from": "environment empty",
        "gate": "all none",
        "kind": "reeval-run ci local assertion timeout aborted infra judge root capabilities",
        "level": "config profile group eval",
        "mediaType": "image/png",
        "placement": "harness workspace",
        "policy": "proxy allow-all deny-all",
        "egress": "proxy allow-all deny-all",
        "outcome": "pass fail infra_error skipped",
        "provider": "github gitlab unknown",
        "role": "control variant",
        "stage": "image from dockerfile harness install plugin workspace",
        "status": "completed aborted error pass fail added modified deleted",
        "unreported": "web-search web-fetch",
        "verdict": "pass fail",
    }.items()
}
_EXACT = frozenset((
    "sha256", "sha", "digest", "diffHash", "configHash", "hostHash", "environmentDigest",
    "fingerprint", "startedAt", "commitTime", "runId",
))  # fmt: skip
_HASH_OR_TIME = re.compile(
    r"[0-9a-fA-F]{12,64}|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-][\d:]+)|\d{8}T\d{6}Z_.*"
)


def redact(value: T, masker: Masker) -> T:
    """A header, planned eval or attempt record with every secret masked; itself without secrets.

    Keys and numbers are the schema's and stay.
    """
    masked: T = _walk(value, masker.text) if masker.active else value
    return masked


def _walk(value: Any, mask: Callable[[str], str], field: str = "") -> Any:
    if isinstance(value, str):
        return value if _is_fixed(field, value) else mask(value)
    if isinstance(value, dict):
        return {key: _walk(item, mask, key) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_walk(item, mask, field) for item in value]
    return value


def _is_fixed(field: str, value: str) -> bool:
    if field in _EXACT:
        return _HASH_OR_TIME.fullmatch(value) is not None
    return value in _WORDS.get(field, ())
