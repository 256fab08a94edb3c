"""A project in a temporary folder, planned and run for real, with its events and its record."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

from reeval.config.load import load_settings
from reeval.engine.events import RunEvent
from reeval.engine.run import RunOptions, RunResult, run_plan
from reeval.plan.make import make_plan
from reeval.plan.request import PlanRequest

HEAD = "from reeval import *\nFAKE = fake_harness()\n"


@dataclass
class Ran:
    result: RunResult
    events: list[RunEvent]
    record: dict[str, Any]

    def attempt(self, name: str, n: int = 1) -> dict[str, Any]:
        for entry in self.record["evals"]:
            if entry["name"] == name:
                return next(a for a in entry["attempts"] if a["n"] == n)
        raise AssertionError(f"no eval {name}")

    def of(self, kind: type[RunEvent]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


@dataclass
class Project:
    root: Path
    environ: dict[str, str] = field(default_factory=lambda: dict(os.environ))

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text))

    def evals(self, text: str, file: str = "evals/a.eval.py") -> None:
        self.write(file, HEAD + dedent(text))

    def run(
        self,
        *,
        concurrency: int = 4,
        bail: int | None = None,
        on_event: Callable[[RunEvent], None] | None = None,
    ) -> Ran:
        async def go() -> tuple[RunResult, list[RunEvent]]:
            settings = load_settings(self.root, self.environ)
            plan = await make_plan(settings, PlanRequest(cwd=self.root), self.environ)
            events: list[RunEvent] = []
            subscribers = [events.append] + ([on_event] if on_event else [])
            options = RunOptions(self.environ, concurrency, bail, settings.artifacts)
            return await run_plan(plan, options, subscribers), events

        result, events = asyncio.run(go())
        record = json.loads(result.record.read_text()) if result.record else {}
        return Ran(result, events, record)
