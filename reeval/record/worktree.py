"""Keeps a dirty run's changes as `worktree.patch`, unless they look like they hold a secret."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reeval.masking.masker import Masker
from reeval.record.artifacts import write_run_file
from reeval.record.git import Worktree
from reeval.record.schema import ArtifactLevel, GitInfo

PATCH_NAME = "worktree.patch"


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Where something looks like a secret, such as `.env:3`, and by which rule. Never what."""

    where: str
    rule: str


def keep_patch(
    worktree: Worktree, run_dir: Path, artifacts: ArtifactLevel, masker: Masker
) -> GitInfo:
    """The run's `GitInfo`: its changes stored in the run's folder, or a note on why they aren't."""
    info = worktree.info
    if not info["dirty"]:
        return info
    info["worktreePatchNote"] = worktree.why_no_patch
    if worktree.patch is None:
        return info
    if artifacts == "none":
        info["worktreePatchNote"] = "artifacts are none"
        return info
    found = suspicion(worktree.patch, worktree.top, masker)
    if found is not None:
        note = f"{found.where} looks like it holds a secret (rule: {found.rule})"
        info["worktreePatchNote"] = masker.text(note)
        return info
    try:
        info["worktreePatch"] = write_run_file(run_dir, PATCH_NAME, worktree.patch, masker)
    except OSError as error:
        info["worktreePatchNote"] = f"it could not be written: {error.strerror or error}"
    return info


def suspicion(patch: bytes, top: Path, masker: Masker) -> Suspicion | None:
    """The first thing in a git patch that looks like a secret; changed binary files are read."""
    for path, number, line in _lines(patch):
        if line == _BINARY:
            rule = _rule_of_binary(top / path, masker)
            where = path
        else:
            rule = _rule_of(line, masker)
            where = f"{path}:{number}"
        if rule is not None:
            return Suspicion(where, rule)
    if masker.data(patch) != patch:
        return Suspicion("the patch", "a secret of this run")
    return None


# ── walking a patch ──────────────────────────────────────────────────────────────────────────

_BINARY = b"GIT binary patch"
_HUNK = re.compile(rb"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_HEADER = re.compile(rb'diff --git (?:"?a/.*?"? )"?b/(.*?)"?$')


def _lines(patch: bytes) -> Iterator[tuple[str, int, bytes]]:
    """(path, line number, text) of each line of each file; a removed line has its old number."""
    path, old, new, inside = "the patch", 0, 0, False
    for line in patch.split(b"\n"):
        if line.startswith(b"diff --git "):
            header = _HEADER.match(line)
            path = header[1].decode("utf-8", "replace") if header else "the patch"
            inside = False
        elif line == _BINARY:
            yield path, 0, line
        elif hunk := _HUNK.match(line):
            old, new, inside = int(hunk[1]), int(hunk[2]), True
        elif inside and line[:1] in (b"+", b" ", b"-"):
            removed = line[:1] == b"-"
            yield path, old if removed else new, line[1:]
            old += line[:1] != b"+"
            new += not removed


# ── rules ────────────────────────────────────────────────────────────────────────────────────

_KNOWN = [
    (name, re.compile(pattern))
    for name, pattern in [
        ("private key", rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----"),
        ("private key", rb"\bAGE-SECRET-KEY-1[A-Z0-9]{20,}"),
        ("AWS access key", rb"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
        ("GitHub token", rb"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})"),
        ("GitLab token", rb"\bgl(?:pat|dt|rt|soat|cbt|ptt|ft)-[A-Za-z0-9_-]{20,}"),
        ("Slack token", rb"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
        ("Slack token", rb"\bhooks\.slack\.com/services/T\w+/B\w+/\w+"),
        ("model provider key", rb"\bsk-(?:ant-|proj-|or-v1-|svcacct-)?[A-Za-z0-9_-]{20,}"),
        ("model provider key", rb"\b(?:gsk|xai|r8|hf|pplx|nvapi|csk)[_-][A-Za-z0-9_-]{20,}"),
        ("Google key", rb"\bAIza[A-Za-z0-9_-]{35}|\b(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}"),
        ("Stripe key", rb"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9]{16,}"),
        ("npm token", rb"\bnpm_[A-Za-z0-9]{30,}"),
        ("PyPI token", rb"\bpypi-[A-Za-z0-9_-]{50,}"),
        ("Cursor key", rb"\b(?:crsr|key)_[0-9a-f]{40,}"),
        ("service token", rb"\b(?:dop_v1|shp(?:at|ss|ca|pa)|glsa|lin_api|sntrys|dckr_pat)_\w{16,}"),
        ("SendGrid key", rb"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
        ("JSON web token", rb"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[\w-]{10,}"),
        ("password in a URL", rb"\b[a-z][a-z0-9+.-]*://[^\s/:@\"'<>{}$]+:[^\s/:@\"'<>{}$]{3,}@"),
    ]
]

_ASSIGNED = re.compile(
    rb"(?i)[\w.-]*(?:secret|token|passw(?:or)?d|passphrase|credential|api_?-?key|access_?-?key"
    rb"|private_?-?key|auth_?-?key)[\w.-]*[\"']?\s*(?:=>|:=|[:=])\s*[\"']?"
    rb"(?P<value>[A-Za-z0-9+/_=.~!#%^&*-]{12,})"
)
_ENTROPY = 3.3
"""Bits a character. Of 20 random letters and digits it is about 4, of English words below 3.3."""

_BINARY_LIMIT = 16 * 1024 * 1024


def _rule_of(text: bytes, masker: Masker) -> str | None:
    for name, pattern in _KNOWN:
        if pattern.search(text):
            return name
    if any(_looks_random(match["value"]) for match in _ASSIGNED.finditer(text)):
        return "high-entropy assignment"
    return "a secret of this run" if masker.data(text) != text else None


def _rule_of_binary(path: Path, masker: Masker) -> str | None:
    """A binary patch is compressed, so that the file itself is looked at."""
    try:
        with path.open("rb") as file:
            contents = file.read(_BINARY_LIMIT)
    except OSError:
        # Deleted since the commit: what it held is in the commit anyway.
        return None
    return _rule_of(contents, masker)


def _looks_random(value: bytes) -> bool:
    kinds = sum(bool(re.search(kind, value)) for kind in (rb"[a-z]", rb"[A-Z]", rb"\d"))
    return kinds >= 2 and any(48 <= c <= 57 for c in value) and _entropy(value) >= _ENTROPY


def _entropy(value: bytes) -> float:
    """Shannon's, in bits a character."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())
