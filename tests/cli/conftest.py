"""The command line in this process, in a project of its own, and as a process to signal."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from reeval.cli.main import main

PASSING = """\
from reeval import evaluate, fake_harness

@evaluate("greets", {"harness": fake_harness(files={"hi.txt": "hi"}), "tags": ["smoke"]})
def greets(c):
    assert c.send("Write hi.txt.").text == "Done."
"""
FAILING = """\
from reeval import evaluate, fake_harness

@evaluate("counts", {"harness": fake_harness()})
def counts(c):
    assert len(c.send("Count.").text) == 3
"""


@dataclass(frozen=True, slots=True)
class Ended:
    code: int
    out: str
    err: str


Reeval = Callable[..., Ended]


@dataclass(frozen=True, slots=True)
class Project:
    """The current folder, and what a test puts in it."""

    root: Path

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def passing(self) -> Path:
        return self.write("evals/greet.eval.py", PASSING)

    def failing(self) -> Path:
        return self.write("evals/count.eval.py", FAILING)

    def records(self) -> list[Path]:
        return sorted(self.root.glob(".reeval/runs/*.json"))


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the SDK's folder is copied to, once for all tests."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path) -> Project:
    """An empty folder that is the current one, on no CI, with this Python as its interpreter."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name in ("CI", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REEVAL_PYTHON", sys.executable)
    monkeypatch.setenv("REEVAL_CACHE", str(cache))
    return Project(folder)


@pytest.fixture
def reeval(project: Project, capfd: pytest.CaptureFixture[str]) -> Reeval:
    """`reeval("run", "--json")` in the project."""

    def run(*arguments: str) -> Ended:
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        out, err = capfd.readouterr()
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, out, err)

    return run


@pytest.fixture
def spawn(project: Project) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """`spawn("run")` starts a process in a session of its own, as a shell starts a job."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **environ: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "reeval", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environ},
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
