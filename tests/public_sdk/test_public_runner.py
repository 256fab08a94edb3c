"""The public SDK's own runner, installed from a registry, gives the same record as ours."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.registry, pytest.mark.zipapp]

FIXTURE = Path(__file__).parents[2] / "fixtures" / "public_sdk"
PUBLIC = "reeval-python==0.14.0"

# "The same record" means equal without these: who ran when, for how long, on which versions.
DIFFERS = {
    "runId",
    "startedAt",
    "endedAt",
    "stack",
    "timings",
    "plan",  # holds an estimate
    "estimateMs",
    "sha256",
    "bytes",
}


@pytest.fixture(scope="module")
def public_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter that has the public SDK."""
    folder = tmp_path_factory.mktemp("public")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PUBLIC],
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return python


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copytree(FIXTURE, tmp_path, dirs_exist_ok=True)
    return tmp_path


def run(pyz: Path, cache: Path, project: Path, python: Path, module: str) -> dict[str, Any]:
    environ = {
        **os.environ,
        "REEVAL_CACHE": str(cache),
        "REEVAL_PYTHON": str(python),
        "REEVAL_RUNNER_MODULE": module,
    }
    command = [sys.executable, str(pyz), "run", "--concurrency", "1"]
    done = subprocess.run(command, cwd=project, env=environ, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr  # some of its evals fail, as they should
    (record,) = (project / ".reeval/runs").glob("*.json")
    told = json.loads(record.read_text(encoding="utf-8"))
    shutil.rmtree(project / ".reeval")
    return told


def same(value: Any) -> Any:
    """A record without what two runs never share."""
    if isinstance(value, dict):
        return {
            key: same(inner)
            for key, inner in value.items()
            if key not in DIFFERS and not key.endswith("Ms")
        }
    if isinstance(value, list):
        return [same(inner) for inner in value]
    if isinstance(value, str):
        return re.sub(r"\b\d+(\.\d+)?(ms|s)\b", "<time>", value)
    return value


def test_the_public_runner_and_ours_give_the_same_record(
    pyz: Path, pyz_cache: Path, project: Path, public_python: Path
) -> None:
    theirs = run(pyz, pyz_cache, project, public_python, "reeval_python")
    ours = run(pyz, pyz_cache, project, Path(sys.executable), "")
    assert same(ours) == same(theirs)


def test_every_kind_of_outcome_is_in_that_record(
    pyz: Path, pyz_cache: Path, project: Path, public_python: Path
) -> None:
    theirs = run(pyz, pyz_cache, project, public_python, "reeval_python")
    outcomes = {entry["name"]: entry["outcome"] for entry in theirs["evals"]}
    assert outcomes == {
        "two turns and their files": "pass",
        "async, with a retry and a poll": "pass",
        "a failed check and a soft one": "fail",
        "a plain assert that fails": "fail",
        "raises": "fail",
        "judged": "pass",
        "1 and 2 (0)": "pass",
        "2 and 2 (1)": "pass",
        "later": "skipped",
    }
