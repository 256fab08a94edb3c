"""The runner this project ships, started as a project starts it."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from reeval.config.model import Settings
from reeval.launcher.command import runner_command
from reeval.launcher.process import Runner, RunnerDied
from reeval.protocol.messages import AttemptInfo, Declared, Done, Start

FILE = "evals/a.eval.py"
EVALS = """
import os
from reeval import evaluate
import beside  # a module of the project

@evaluate("prints")
def prints(c):
    print(beside.WORD)

@evaluate("leaves")
def leaves(c):
    os._exit(3)
"""


@pytest.mark.parametrize("folder", ["plain", "with späces"])
def test_bodies_of_a_project_run_and_one_that_ends_the_process_is_seen(
    tmp_path: Path, folder: str
) -> None:
    root = tmp_path / folder
    (root / "evals").mkdir(parents=True)
    (root / FILE).write_text(EVALS)
    (root / "beside.py").write_text("WORD = 'from beside'")
    environ = {**os.environ, "REEVAL_PYTHON": sys.executable, "REEVAL_CACHE": str(tmp_path / "c")}
    environ.pop("REEVAL_RUNNER_MODULE", None)

    async def work() -> None:
        command = runner_command(Settings(root), environ)
        runner = await Runner.start(command, FILE, lambda *stray: None)
        declared = await runner.collect()
        assert isinstance(declared, Declared), declared
        bodies = {child["name"]: child["body"] for child in declared.children}
        logs: list[str] = []

        def begin(name: str) -> asyncio.Future[Done]:
            start = Start(name, bodies[name], FILE, AttemptInfo(f"{name}#1", 1, {}))
            return runner.begin(start, lambda request: None, lambda log: logs.append(log.text))

        assert await begin("prints") == Done("prints")
        assert logs == ["from beside"]
        with pytest.raises(RunnerDied, match="exit 3"):
            await begin("leaves")
        await runner.close()

    asyncio.run(work())
