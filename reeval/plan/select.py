"""Which evals a command line means: by path, by name, by tag."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from reeval.config.errors import UsageError, nearest
from reeval.plan.declarations import DeclaredEval
from reeval.plan.names import SEPARATOR

_NAMED = 3
"""Files that a message lists."""


@dataclass(frozen=True, slots=True)
class ByFile:
    """Evals of these files; with `within`, only that eval or the ones in that group."""

    text: str
    files: frozenset[str]
    within: tuple[str, ...] = ()

    def matches(self, declared: DeclaredEval) -> bool:
        if declared.file not in self.files:
            return False
        return (*declared.group, declared.name)[: len(self.within)] == self.within


@dataclass(frozen=True, slots=True)
class ByName:
    """Evals whose id holds `text`, whatever the case of its letters."""

    text: str

    def matches(self, declared: DeclaredEval) -> bool:
        return self.text.casefold() in declared.id.casefold()


Selector: TypeAlias = ByFile | ByName


def read_selectors(
    texts: Sequence[str], files: Sequence[str], root: Path, cwd: Path
) -> tuple[Selector, ...]:
    """What each word of a command line selects among the project's eval `files`.

    `a.eval.py` and `evals/net` are paths from `cwd` or the project's root, `a.eval.py::net › x` an
    eval or a group in a file, anything else part of a name. Raises `UsageError` for a file that
    is none of them.
    """
    return tuple(_read(text, files, root, cwd) for text in texts)


def _read(text: str, files: Sequence[str], root: Path, cwd: Path) -> Selector:
    if not text.strip():
        raise UsageError("the name of an eval is empty: leave it out to select all")
    path, double_colon, name = text.partition("::")
    if double_colon:
        found = _files_at(path, files, root, cwd)
        if not found:
            raise UsageError(
                f"{text}: {path} is not an eval file of this project{_near(path, files)}"
            )
        within = tuple(part.strip() for part in name.split(SEPARATOR.strip()) if part.strip())
        return ByFile(text, found, within)
    if found := _files_at(text, files, root, cwd):
        return ByFile(text, found)
    if text.endswith(".py") and any((base / text).is_file() for base in (cwd, root)):
        raise UsageError(
            f"{text} is not an eval file of this project: `evals` in the config decides which are"
        )
    return ByName(text)


def _files_at(text: str, files: Sequence[str], root: Path, cwd: Path) -> frozenset[str]:
    """The eval files that a path names, itself or below it."""
    for base in dict.fromkeys((cwd, root)):
        place = _below(Path(base, text), root)
        if place is None:
            continue
        found = frozenset(f for f in files if place in (f, ".") or f.startswith(place + "/"))
        if found:
            return found
    return frozenset()


def _below(path: Path, root: Path) -> str | None:
    """`path` from `root`, None when it lies elsewhere or isn't there."""
    if not path.exists():
        return None
    for place, base in ((Path(os.path.abspath(path)), root), (path.resolve(), root.resolve())):
        if place.is_relative_to(base):
            return place.relative_to(base).as_posix()
    return None


def files_to_load(selectors: Sequence[Selector], files: Sequence[str]) -> tuple[str, ...]:
    """The files that may hold a selected eval: all of them as soon as one goes by name."""
    if not selectors or any(isinstance(s, ByName) for s in selectors):
        return tuple(files)
    wanted = {f for s in selectors if isinstance(s, ByFile) for f in s.files}
    return tuple(f for f in files if f in wanted)


def select(
    selectors: Sequence[Selector], evals: Sequence[DeclaredEval], failed: Iterable[str] = ()
) -> tuple[DeclaredEval, ...]:
    """The evals that any selector matches, in their order; all of them without selectors.

    Raises `UsageError` for a selector that matches nothing, unless it names a file of `failed`,
    those that didn't load.
    """
    if not selectors:
        return tuple(evals)
    failures = frozenset(failed)
    for selector in selectors:
        in_failed = isinstance(selector, ByFile) and selector.files & failures
        if not in_failed and not any(selector.matches(e) for e in evals):
            raise UsageError(_no_match(selector, evals, sorted(failures)))
    return tuple(e for e in evals if any(s.matches(e) for s in selectors))


def _no_match(selector: Selector, evals: Sequence[DeclaredEval], failed: Sequence[str]) -> str:
    if isinstance(selector, ByFile):
        inside = [SEPARATOR.join((*e.group, e.name)) for e in evals if e.file in selector.files]
        return f"{selector.text} selects no eval{_near(SEPARATOR.join(selector.within), inside)}"
    names = [word for e in evals for word in (e.id, e.file, *e.group, e.name)]
    hint = _near(selector.text, names) or _near_word(selector.text, names)
    return f"{selector.text!r} is in no eval's name or path{hint}{_unloaded(failed)}"


def _unloaded(failed: Sequence[str]) -> str:
    """Which files may have had it, had they loaded."""
    if not failed:
        return ""
    more = f" and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
    return f"; {', '.join(failed[:_NAMED])}{more} did not load"


def _near_word(text: str, names: Iterable[str]) -> str:
    return _near(text.casefold(), {word for name in names for word in name.casefold().split()})


def _near(word: str, known: Iterable[str]) -> str:
    found = nearest(word, known)
    return f" (did you mean {found!r}?)" if found else ""


# ── tags ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class TagFilter:
    """An eval passes with any of `wanted` (all pass when there is none) and none of `unwanted`."""

    wanted: frozenset[str]
    unwanted: frozenset[str]

    def passes(self, tags: Iterable[str]) -> bool:
        own = frozenset(tags)
        return not own & self.unwanted and (not self.wanted or bool(own & self.wanted))

    def check(self, known: Iterable[str]) -> None:
        """Raises `UsageError` for a wanted tag that no eval has."""
        every = frozenset(known)
        for tag in sorted(self.wanted - every):
            raise UsageError(f"no eval has the tag {tag!r}{_near(tag, sorted(every))}")


def read_tags(texts: Sequence[str]) -> TagFilter:
    """`net` wants a tag, `!net` and `not net` exclude it. Raises `UsageError` for an empty one."""
    wanted: set[str] = set()
    unwanted: set[str] = set()
    for text in texts:
        excludes = text.startswith(("!", "not "))
        tag = text.removeprefix("!").removeprefix("not ").strip() if excludes else text.strip()
        if not tag:
            raise UsageError(f"--tag {text!r} names no tag")
        (unwanted if excludes else wanted).add(tag)
    return TagFilter(frozenset(wanted), frozenset(unwanted))
