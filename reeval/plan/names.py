"""How evals are named: their ids' parts, and names for folders that every file system takes."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

SEPARATOR = " › "
"""Between the file, the groups and the name in an eval's id."""

_READABLE = 40


@lru_cache(4096)
def slug(text: str) -> str:
    """At most 40 readable ASCII characters of `text`, `-`, and 12 hex digits of its sha256."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    readable = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_READABLE].rstrip("-")
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{readable}-{digest}" if readable else digest
