"""Plans made by hand, small enough to read, and projects whose eval files run for real."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from reeval.config.load import load_settings
from reeval.config.model import EnvironmentSpec, EvalOptions, HarnessSpec, SandboxSpec, Settings
from reeval.launcher.command import runner_command
from reeval.plan.collect import Collected, collect
from reeval.plan.discover import discover
from reeval.plan.make import make_plan
from reeval.plan.model import Cell, Plan, PlannedEval
from reeval.plan.request import PlanRequest


class Made:
    """What the tests build plans from; `root` is the project's folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def cell(
        self,
        *,
        harness: str = "fake",
        sandbox: str = "fake",
        environment: EnvironmentSpec | None = None,
        runs: int = 1,
    ) -> Cell:
        name = environment.name if environment else "-"
        return Cell(
            key=f"{harness}/{name}/{sandbox}",
            harness=HarnessSpec(harness, harness),
            environment=environment,
            sandbox=SandboxSpec(sandbox, sandbox),  # type: ignore[arg-type]  # a test's own word
            role="control",
            variant=None,
            gate="all",
            runs=runs,
            env={},
            egress="proxy",
            overrides=(),
            environment_digest=None,
            fingerprint="f",
            fingerprint_parts={},
        )

    def eval(
        self, name: str, *cells: Cell, skip: str | None = None, options: EvalOptions | None = None
    ) -> PlannedEval:
        return PlannedEval(
            id=name,
            slug=name,
            file="a.eval.py",
            group=(),
            name=name,
            body="b1",
            options=options or EvalOptions(),
            cells=cells,
            fingerprint="f",
            sources=(),
            source={},
            skip=skip,
        )

    def plan(self, *evals: PlannedEval) -> Plan:
        return Plan(Settings(self.root), evals)


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path)


class Project:
    """A project on disk whose eval files run for real; `printed` is what they print on loading."""

    HEAD = "from reeval import *\ndef BODY(c): ...\n"

    def __init__(self, root: Path, cache: Path) -> None:
        self.root = root
        self.environ = {
            "PATH": os.environ["PATH"],
            "REEVAL_PYTHON": sys.executable,
            "REEVAL_CACHE": str(cache),
        }
        self.printed: list[tuple[str, str]] = []

    def write(self, file: str, text: str) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.HEAD + text if file.endswith(".eval.py") else text)

    @property
    def settings(self) -> Settings:
        return load_settings(self.root, self.environ)

    def collect(self) -> Collected:
        files = discover(self.root, self.settings.evals)
        command = runner_command(self.settings, self.environ)
        return asyncio.run(collect(files, command, self._print))

    def plan(self, *selectors: str, **request: Any) -> Plan:
        asked = PlanRequest(selectors, cwd=self.root, on_stray=self._print, **request)
        return asyncio.run(make_plan(self.settings, asked, self.environ))

    def _print(self, stream: str, line: str) -> None:
        self.printed.append((stream, line))


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def project(tmp_path: Path, cache: Path) -> Project:
    return Project(tmp_path, cache)
