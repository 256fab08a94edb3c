"""What a dead run's local sandboxes left is ended and removed, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from opening import alive, ended, left, run, using

from reeval.config.model import SandboxSpec
from reeval.sandbox.base import Command
from reeval.sandbox.leftovers import end_leftovers
from reeval.sandbox.local import LocalSandbox


def test_a_dead_runs_processes_and_folders_are_found_and_ended(
    tmp_path: Path,
) -> None:
    async def opened(env: Mapping[str, str]) -> LocalSandbox:
        sandbox = LocalSandbox(SandboxSpec("fake", "fake", dir=tmp_path), f"test-{os.getpid()}.l")
        await sandbox.start(env)
        return sandbox

    async def body() -> None:
        async with using(opened) as survivor:
            kept = (await survivor.run(Command("setsid sleep 300 & echo $!"))).stdout.strip()
            dead = LocalSandbox(SandboxSpec("fake", "fake", dir=tmp_path), f"dead-{os.getpid()}.1")
            await dead.start({})
            await dead.run(Command("mkdir d; : > d/f; chmod 000 d; setsid sleep 300 & echo $!"))
            found = end_leftovers(f"dead-{os.getpid()}.", tmp_path)
            assert (found.processes, found.folders) == (1, 1)
            assert await alive(survivor, kept)
            assert len(left(tmp_path)) == 1
            assert end_leftovers(f"dead-{os.getpid()}.", tmp_path).processes == 0
            await dead.close()

    run(body())


def test_a_dead_runs_deep_folders_are_removed(tmp_path: Path) -> None:
    folder = tmp_path / f"reeval-dead-{os.getpid()}.2-x"
    folder.mkdir()
    program = "import os\nfor i in range(2000): os.mkdir('d'); os.chdir('d')"
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=True)
    assert end_leftovers(f"dead-{os.getpid()}.2", tmp_path).folders == 1
    assert left(tmp_path) == []


@pytest.mark.parametrize("prefix", ["", "a/b", "*"])
def test_a_prefix_that_could_hit_others_is_refused(prefix: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no sandbox's marker"):
        end_leftovers(prefix, tmp_path)


def test_a_dead_runs_process_without_environment_is_found_by_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / f"reeval-dead-{os.getpid()}.3-x" / "workspace"
    folder.mkdir(parents=True)
    left_over = subprocess.Popen(["sleep", "7799"], cwd=folder, env={}, start_new_session=True)
    assert end_leftovers(f"dead-{os.getpid()}.3", tmp_path).processes == 1
    assert ended(str(left_over.pid))
    left_over.wait()
