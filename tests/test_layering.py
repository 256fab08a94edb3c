"""The rooms' order: an import may only point to a room further left, or to allowed packages."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# Rooms that stand in one entry don't know each other.
ORDER = (
    ("protocol",),
    ("masking",),
    ("authoring", "runner"),
    ("config",),
    ("launcher",),
    ("plan",),
    ("sandbox",),
    ("gateway",),
    ("harness",),
    ("grading", "stats"),
    ("record",),
    ("engine",),
    ("report",),
    ("cli",),
)
RANK = {room: rank for rank, rooms in enumerate(ORDER) for room in rooms}
STDLIB_ONLY = {"protocol", "masking", "authoring", "runner"}
RUN_TIME_PACKAGES = {"click", "requests", "tomli", "rich", "pexpect", "cryptography"}
FOR_ALL = {"reeval.version"}

# The faces of the SDK: what an eval file imports. (`reeval_python` also starts the runner.)
FACES = {"reeval/__init__.py": "authoring", "reeval/aio.py": "authoring"}
MODULES = sorted(ROOT.glob("reeval/**/*.py")) + sorted(ROOT.glob("reeval_python/**/*.py"))
LONGEST = 500  # lines


def room_of(path: str) -> str | None:
    """The room a file lies in; None for `__main__` and `version`."""
    if path in FACES:
        return FACES[path]
    if path.startswith("reeval_python/"):
        return "runner"
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else None


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """The line and dotted name of each import, also those in functions and for typing alone."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import hides its room"
            yield node.lineno, node.module or ""
            if node.module == "reeval":
                yield from ((node.lineno, f"reeval.{alias.name}") for alias in node.names)


def wrong_arrows(path: str, imports: Iterator[tuple[int, str]]) -> Iterator[str]:
    room = room_of(path)
    for line, name in imports:
        problem = _wrong(room, name)
        if problem:
            yield f"{path}:{line}: {room or 'the entry'} imports {name}: {problem}"


def _wrong(room: str | None, name: str) -> str | None:
    top, _, rest = name.partition(".")
    if top in sys.stdlib_module_names or name in FOR_ALL:
        return None
    if top == "reeval_bootstrap":
        return None if room == "cli" else "the zipapp's own module is for cli"
    if top not in ("reeval", "reeval_python"):
        if room in STDLIB_ONLY:
            return "this room has the standard library only"
        return None if top in RUN_TIME_PACKAGES else "not one of the run-time packages"
    other = rest.partition(".")[0]
    if room is None or other == room:
        return None
    if other not in RANK:
        # `reeval` itself is the SDK's face, for what is written against the SDK.
        return None if room in ("authoring", "runner") else "the SDK's face is for eval files"
    if room == "runner" and other == "authoring":
        return None  # the runner runs what the SDK declared
    return None if RANK[other] < RANK[room] else "a room knows only the rooms to its left"


@pytest.mark.parametrize("path", [p.relative_to(ROOT).as_posix() for p in MODULES])
def test_a_modules_imports_point_to_the_left(path: str) -> None:
    assert list(wrong_arrows(path, imported(ROOT / path))) == []


@pytest.mark.parametrize("path", [p.relative_to(ROOT).as_posix() for p in MODULES])
def test_a_module_can_be_read_at_a_sitting(path: str) -> None:
    assert len((ROOT / path).read_text(encoding="utf-8").splitlines()) <= LONGEST


@pytest.mark.parametrize("path", [p.relative_to(ROOT).as_posix() for p in MODULES])
def test_a_modules_first_line_says_its_reason_to_exist(path: str) -> None:
    said = ast.get_docstring(ast.parse((ROOT / path).read_bytes()))
    assert said or not (ROOT / path).read_bytes(), f"{path} has no docstring"


def test_every_room_has_its_place_in_the_order() -> None:
    rooms = {path.parent.name for path in ROOT.glob("reeval/*/__init__.py")}
    assert rooms <= set(RANK)


@pytest.mark.parametrize(
    ("path", "name", "wrong"),
    [
        ("reeval/engine/run.py", "reeval.report.text", True),
        ("reeval/engine/run.py", "reeval.record.journal", False),
        ("reeval/report/text.py", "reeval.engine.events", False),
        ("reeval/protocol/codec.py", "reeval.masking.masker", True),
        ("reeval/authoring/expect.py", "click", True),
        ("reeval/authoring/expect.py", "reeval.runner.loop", True),
        ("reeval/runner/loop.py", "reeval.authoring.expect", False),
        ("reeval/grading/check.py", "reeval.stats.proportions", True),
        ("reeval/engine/run.py", "numpy", True),
        ("reeval/engine/run.py", "urllib3", True),
        ("reeval/cli/run.py", "click", False),
        ("reeval/masking/forms.py", "reeval.version", False),
        ("reeval/cli/doctor.py", "reeval_bootstrap", False),
        ("reeval/record/writer.py", "reeval", True),
        ("reeval_python/__init__.py", "reeval.authoring.expect", False),
        ("reeval_python/__init__.py", "reeval.config.model", True),
    ],
)
def test_the_rule_itself(path: str, name: str, wrong: bool) -> None:
    assert bool(list(wrong_arrows(path, iter([(1, name)])))) is wrong
