"""What the record says of a skill before it is placed: its name, and the hash of what is placed."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from reeval.config.model import SkillSource
from reeval.plan.digest import digest
from reeval.plan.skills import Skill, read_skills


def skill_records(source: SkillSource, root: Path) -> tuple[dict[str, Any], ...]:
    """The record's skills of one source, in name order. `root` is the project's.

    Raises `UsageError` on one that isn't a skill, or can't be read.
    """
    if source.source not in ("local", "inline"):
        return (_record(source, source.source, source.source, digest(source.fields)),)
    label = "inline" if source.source == "inline" else f"local:{_from_root(source, root)}"
    return tuple(
        _record(source, skill.name, label, _sha256(skill)) for skill in read_skills(source)
    )


def _from_root(source: SkillSource, root: Path) -> str:
    folder = Path(os.path.normpath(source.fields["path"]))
    return (folder.relative_to(root) if folder.is_relative_to(root) else folder).as_posix()


def _record(source: SkillSource, name: str, label: str, sha256: str) -> dict[str, Any]:
    return {
        "name": name,
        "source": label,
        "commit": None,
        "sha256": sha256,
        "placement": source.placement,
        "excluded": list(source.exclude),
    }


def _sha256(skill: Skill) -> str:
    """Of each file's path, whether it may be run, and contents."""
    whole = hashlib.sha256()
    for path, data in sorted(skill.files.items()):
        inside = hashlib.sha256(data).hexdigest()
        line = f"{path}\0{path in skill.executable}\0{inside}\n"
        whole.update(line.encode("utf-8", "surrogateescape"))
    return whole.hexdigest()
