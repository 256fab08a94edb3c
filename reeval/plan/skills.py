"""Skills read from where an environment names them: a folder with a `SKILL.md`, checked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from reeval.config.errors import UsageError, nearest
from reeval.config.model import SkillSource
from reeval.plan.ignore import PatternList

MANIFEST = "SKILL.md"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_KEY = re.compile(r"([A-Za-z][A-Za-z0-9_-]*):(?:\s+(.*))?")
_BLOCK = re.compile(r"[|>][+-]?\d*")


@dataclass(frozen=True, slots=True)
class Skill:
    """`files` are contents by path below the skill's folder; `executable` those to run."""

    name: str
    files: Mapping[str, bytes]
    executable: frozenset[str] = frozenset()


def read_skills(source: SkillSource) -> tuple[Skill, ...]:
    """The skills a source names, in name order. Raises `UsageError` on one that isn't a skill."""
    if source.source == "inline":
        return (_inline(source),)
    if source.source != "local":
        raise UsageError(
            f"skill.{source.source} is not in this version yet: use skill.local or skill.inline"
        )
    try:
        skills = [_local(folder, source) for folder in _skill_folders(Path(source.fields["path"]))]
    except OSError as error:
        raise UsageError(
            f"the skill can't be read: {error.strerror}", file=error.filename
        ) from None
    skills.sort(key=lambda skill: skill.name)
    _refuse_twins(skills, source)
    return _only(skills, source)


# ── local ────────────────────────────────────────────────────────────────────────────────────


def _skill_folders(path: Path) -> list[Path]:
    if not path.is_dir():
        what = "is a file" if path.exists() else "does not exist"
        raise UsageError(f"{what}: skill.local takes a folder with a {MANIFEST}", file=path)
    if (path / MANIFEST).is_file():
        return [path]
    folders = sorted(p.parent for p in path.glob(f"*/{MANIFEST}"))
    if not folders:
        raise UsageError(
            f"has no {MANIFEST}, nor has a folder in it: skill.local takes a skill's folder, or "
            "a folder of them",
            file=path,
        )
    return folders


def _local(folder: Path, source: SkillSource) -> Skill:
    manifest = folder / MANIFEST
    name = skill_name(manifest.read_bytes().decode("utf-8", "replace"), manifest)
    files: dict[str, bytes] = {}
    executable = set()
    for path in _files_in(folder, source.exclude):
        relative = path.relative_to(folder).as_posix()
        files[relative] = path.read_bytes()
        if path.stat().st_mode & 0o100:
            executable.add(relative)
    return Skill(name, files, frozenset(executable))


def _files_in(folder: Path, exclude: tuple[str, ...]) -> Iterator[Path]:
    """Files below the folder, `.git` and what `exclude` names left out; folders aren't followed
    through links."""
    excluded = _excluder(exclude)
    for path in sorted(folder.iterdir()):
        yield from _walk(path, folder, excluded)


def _walk(path: Path, top: Path, excluded: _Excluder) -> Iterator[Path]:
    relative = path.relative_to(top).as_posix()
    folder = path.is_dir()
    if path.name == ".git" or excluded(relative, folder):
        return
    if not folder:
        if path.is_file():
            yield path
    elif not path.is_symlink():
        for child in sorted(path.iterdir()):
            yield from _walk(child, top, excluded)


class _Excluder(Protocol):
    def __call__(self, path: str, is_dir: bool) -> bool: ...


def _excluder(patterns: tuple[str, ...]) -> _Excluder:
    return PatternList(patterns).matches if patterns else _nothing


def _nothing(path: str, is_dir: bool) -> bool:
    return False


def _refuse_twins(skills: Iterable[Skill], source: SkillSource) -> None:
    seen = set()
    for skill in skills:
        if skill.name in seen:
            raise UsageError(
                f"has two skills named {skill.name!r}: give one another name",
                file=source.fields["path"],
            )
        seen.add(skill.name)


def _only(skills: list[Skill], source: SkillSource) -> tuple[Skill, ...]:
    if not source.only:
        return tuple(skills)
    by_name = {skill.name: skill for skill in skills}
    for name in source.only:
        if name not in by_name:
            close = nearest(name, by_name)
            hint = f"did you mean {close!r}?" if close else f"it has {', '.join(by_name)}"
            raise UsageError(
                f"has no skill named {name!r}, {hint}", file=source.fields["path"], key="only"
            )
    return tuple(skill for skill in skills if skill.name in source.only)


# ── inline ───────────────────────────────────────────────────────────────────────────────────


def _inline(source: SkillSource) -> Skill:
    fields = source.fields
    name = _checked_name(str(fields.get("name", "")), "skill.inline", None)
    description = str(fields.get("description", ""))
    if not description.strip():
        raise UsageError(
            f"skill.inline {name!r} needs a description: it tells the agent when to use it"
        )
    head = f"---\nname: {name}\ndescription: {_yaml_text(description)}\n---\n\n"
    text = head + str(fields.get("content", ""))
    files = {MANIFEST: text.encode("utf-8", "surrogatepass")}
    for path, contents in (fields.get("files") or {}).items():
        files[path] = str(contents).encode("utf-8", "surrogatepass")
    return Skill(name, files)


def _yaml_text(text: str) -> str:
    """A double-quoted YAML scalar on one line: JSON's escapes are YAML's too."""
    return json.dumps(text, ensure_ascii=False)


# ── the manifest's frontmatter ───────────────────────────────────────────────────────────────


def skill_name(text: str, file: Path) -> str:
    """The name a `SKILL.md` gives its skill. Raises `UsageError` with the line that's wrong."""
    fields = _frontmatter(text, file)
    name, line = fields.get("name", ("", 1))
    _checked_name(name, file, line)
    description, line = fields.get("description", ("", 1))
    if not description:
        raise UsageError(
            "needs a description in its frontmatter: it tells the agent when to use the skill",
            file=file,
            line=line,
        )
    return name


def _checked_name(name: str, where: Path | str, line: int | None) -> str:
    if not name:
        raise UsageError("needs a name in its frontmatter", file=where, line=line)
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"name {name!r} can't name a folder: use letters, digits, `-`, `_` and `.`, at most 64",
            file=where,
            line=line,
        )
    return name


def _frontmatter(text: str, file: Path) -> dict[str, tuple[str, int]]:
    """Top-level `key: value` lines between the `---` lines, each with its line number."""
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[0].rstrip() != "---":
        raise UsageError(
            "needs frontmatter: its first line is `---`, then `name: …` and `description: …`, "
            "then `---`",
            file=file,
            line=1,
        )
    fields: dict[str, tuple[str, int]] = {}
    key = ""
    for number, line in enumerate(lines[1:], 2):
        if line.rstrip() == "---":
            return fields
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line[0] in " \t-":
            _continue(fields, key, line)
            continue
        match = _KEY.fullmatch(line.rstrip())
        if match is None:
            raise UsageError(f"is not `key: value`: {line.strip()!r}", file=file, line=number)
        key = match[1]
        fields[key] = (_scalar(match[2] or ""), number)
    raise UsageError("has frontmatter without its closing `---`", file=file, line=1)


def _continue(fields: dict[str, tuple[str, int]], key: str, line: str) -> None:
    """An indented line or a list item goes on with the value above it."""
    if key in fields:
        value, number = fields[key]
        fields[key] = (f"{value} {line.strip()}".strip(), number)


def _scalar(text: str) -> str:
    text = text.strip()
    if _BLOCK.fullmatch(text):
        return ""
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text
