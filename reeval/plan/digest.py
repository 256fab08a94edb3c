"""One sha256 for any settings: the same on every machine, and another one when anything differs."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reeval.config.errors import UsageError
from reeval.config.model import FileContents, HostFile


def digest(value: Any) -> str:
    """The hash of JSON, dataclasses, mappings and tuples; a `HostFile` counts by its contents.

    Raises `UsageError` when a file can't be read, `TypeError` for a value of another type.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=_plain)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _plain(value: Any) -> Any:
    match value:
        case HostFile():
            return {"sha256": contents_digest(value)}
        case Mapping():
            return dict(value)
        case frozenset() | set():
            return sorted(value)
        case Path():
            return value.as_posix()
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
            return {"is": type(value).__name__, **fields}
    raise TypeError(f"{type(value).__name__} can't be hashed")


def contents_digest(contents: FileContents) -> str:
    """The hash of a file's bytes, or of a text's. Raises `UsageError` when it can't be read."""
    return hashlib.sha256(contents_bytes(contents)).hexdigest()


def contents_bytes(contents: FileContents) -> bytes:
    """What a file of an environment holds. Raises `UsageError` when it can't be read."""
    if isinstance(contents, str):
        return contents.encode("utf-8", "surrogatepass")
    try:
        return contents.path.read_bytes()
    except OSError as error:
        raise UsageError(f"it can't be read: {error.strerror}", file=contents.path) from None
