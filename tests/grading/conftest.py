"""An attempt to check: a real folder, real commands, and turns as they were."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from reeval.grading.base import ChangedFile, Outcome, TurnFacts, Untested
from reeval.grading.check import check
from reeval.harness.events import Event
from reeval.protocol import messages as m
from reeval.sandbox.base import PathError

Checking = Callable[..., Outcome | Untested]


class Folder:
    """`Subjects` in a folder of this machine."""

    def __init__(self, root: Path, turns: Sequence[TurnFacts] = ()) -> None:
        self.root = root
        self.turns = turns

    async def read_file(self, path: str) -> bytes | None:
        if path.startswith(("/", "..")):
            raise PathError(f"{path} leads out of the workspace")
        file = self.root / path
        return file.read_bytes() if file.is_file() else None

    async def run(self, command: str) -> m.ExecResult:
        done = subprocess.run(  # noqa: ASYNC221  nothing else runs beside a test's command
            command, shell=True, cwd=self.root, capture_output=True, text=True
        )
        return m.ExecResult(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def checking(tmp_path: Path) -> Checking:
    """`checking(subject, matcher, *args, turns=, **options of Expect)` → its outcome."""

    def run(
        subject: m.Subject,
        matcher: str,
        *args: Any,
        turns: Sequence[TurnFacts] = (),
        **options: Any,
    ) -> Outcome | Untested:
        call = m.Expect(subject, matcher, args, **options)
        return asyncio.run(check(call, Folder(tmp_path, turns)))

    return run


@pytest.fixture
def turn() -> Callable[..., TurnFacts]:
    """`turn(*events, files={path: status}, unreported=, index=)`."""

    def make(
        *events: Event,
        files: dict[str, Any] | None = None,
        unreported: tuple[str, ...] = (),
        index: int = 0,
    ) -> TurnFacts:
        changed = tuple(ChangedFile(path, status) for path, status in (files or {}).items())
        return TurnFacts(index, "do", "Done.", "completed", events, unreported, changed, "")

    return make
