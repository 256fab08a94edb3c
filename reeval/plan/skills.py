"""What the record says of a skill before it is placed: its name and the hash of its files."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reeval.config.errors import UsageError
from reeval.config.model import SkillSource
from reeval.plan.digest import digest

_MANIFEST = "SKILL.md"
_NAME = re.compile(r"^name:[ \t]*[\"']?([^\"'\n]*)", re.MULTILINE)


def skill_records(source: SkillSource, root: Path) -> tuple[dict[str, Any], ...]:
    """The record's skills of one source, in name order.

    A folder that is no skill gives none here: placing it says what is wrong. Raises `UsageError`
    when a file can't be read.
    """
    if source.source == "inline":
        return (
            _record(source, str(source.fields.get("name", "")), "inline", digest(source.fields)),
        )
    if source.source != "local":
        spec = digest(source.fields)
        return (_record(source, source.source, source.source, spec),)
    folder = Path(os.path.normpath(root / source.fields["path"]))
    where = folder.relative_to(root) if folder.is_relative_to(root) else folder
    label = f"local:{where.as_posix()}"
    try:
        found = [(_name(path), _folder_digest(path)) for path in _folders(folder)]
    except OSError as error:
        raise UsageError(f"the skill can't be read: {error.strerror}", file=folder) from None
    return tuple(
        _record(source, name, label, sha256)
        for name, sha256 in sorted(found)
        if not source.only or name in source.only
    )


def _record(source: SkillSource, name: str, label: str, sha256: str) -> dict[str, Any]:
    return {
        "name": name,
        "source": label,
        "commit": None,
        "sha256": sha256,
        "placement": source.placement,
        "excluded": list(source.exclude),
    }


def _folders(folder: Path) -> list[Path]:
    if (folder / _MANIFEST).is_file():
        return [folder]
    return sorted(path.parent for path in folder.glob(f"*/{_MANIFEST}"))


def _name(folder: Path) -> str:
    head = (folder / _MANIFEST).read_bytes().decode("utf-8", "replace")
    found = _NAME.search(head)
    return found[1].strip() if found and found[1].strip() else folder.name


def _folder_digest(folder: Path) -> str:
    whole = hashlib.sha256()
    for path in _files(folder):
        relative = path.relative_to(folder).as_posix()
        executable = bool(path.stat().st_mode & 0o100)
        inside = hashlib.sha256(path.read_bytes()).hexdigest()
        whole.update(f"{relative}\0{executable}\0{inside}\n".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name == ".git":
            continue
        if path.is_dir():
            if not path.is_symlink():
                yield from _files(path)
        elif path.is_file():
            yield path
