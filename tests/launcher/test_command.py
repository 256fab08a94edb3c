"""Which interpreter, module and environment a runner gets."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from reeval.config.errors import UsageError
from reeval.config.model import Settings
from reeval.launcher.command import runner_command
from reeval.launcher.sdk import sdk_folder


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    python3 = program(tmp_path / "bin" / "python3")
    return {"PATH": str(python3.parent), "REEVAL_CACHE": str(tmp_path / "cache"), "KEY": "secret"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def test_reeval_python_comes_first(root: Path, environ: dict[str, str], tmp_path: Path) -> None:
    program(root / ".venv" / "bin" / "python")
    chosen = program(tmp_path / "mine" / "python")
    command = runner_command(Settings(root), {**environ, "REEVAL_PYTHON": str(chosen)})
    assert (command.argv[0], command.why) == (str(chosen), "REEVAL_PYTHON")


def test_reeval_python_may_be_relative_to_the_project(root: Path, environ: dict[str, str]) -> None:
    program(root / "env" / "python")
    command = runner_command(Settings(root), {**environ, "REEVAL_PYTHON": "env/python"})
    assert command.argv[0] == str(root / "env" / "python")


def test_reeval_python_that_is_no_program_is_refused(root: Path, environ: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="REEVAL_PYTHON names /no/such, which is no program"):
        runner_command(Settings(root), {**environ, "REEVAL_PYTHON": "/no/such"})


@pytest.mark.parametrize("marker", ["pyproject.toml", "uv.lock"])
def test_uv_runs_a_project_where_it_is_installed(
    root: Path, environ: dict[str, str], marker: str
) -> None:
    (root / marker).touch()
    program(root / ".venv" / "bin" / "python")
    assert runner_command(Settings(root), environ).why == ".venv"
    uv = program(Path(environ["PATH"]) / "uv")
    command = runner_command(Settings(root), environ)
    assert command.argv[:5] == (str(uv), "run", "--project", str(root), "python")


def test_without_a_project_uv_is_left_alone(root: Path, environ: dict[str, str]) -> None:
    program(Path(environ["PATH"]) / "uv")
    assert runner_command(Settings(root), environ).why == "python3 on PATH"


def test_no_interpreter_is_an_error_that_names_the_way_out(root: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="set REEVAL_PYTHON"):
        runner_command(Settings(root), {"PATH": str(tmp_path)})


def test_the_runner_keeps_the_environment_and_learns_the_protocol(
    root: Path, environ: dict[str, str]
) -> None:
    command = runner_command(Settings(root), environ)
    assert command.cwd == root
    assert command.env == {
        **environ,
        "REEVAL_RUNNER": "stdio",
        "REEVAL_RUNNER_PROTOCOL": "3",
        "REEVAL_PROJECT_ROOT": str(root),
    }


def test_another_runner_module_runs_without_our_sdk(root: Path, environ: dict[str, str]) -> None:
    settings = Settings(root, runner_module="other")
    assert runner_command(settings, environ).argv[1:] == ("-m", "other")
    by_variable = runner_command(settings, {**environ, "REEVAL_RUNNER_MODULE": "reeval_python"})
    assert by_variable.argv[1:] == ("-m", "reeval_python")
    assert not (Path(environ["REEVAL_CACHE"])).exists()


def test_the_sdk_is_first_then_the_project_and_neither_hides_the_other(
    root: Path, environ: dict[str, str]
) -> None:
    # A project with a folder named like ours, and a module of its own beside it.
    (root / "reeval").mkdir()
    (root / "reeval" / "__init__.py").write_text("raise SystemExit('the wrong reeval')")
    (root / "mine.py").write_text("")
    environ["REEVAL_PYTHON"] = sys.executable
    *head, code, sdk, where = runner_command(Settings(root), environ).argv
    code = code[: code.index("import runpy")] + (
        "import mine, reeval.version; print(sys.path[:2], sys.argv, reeval.version.__file__)"
    )
    out = subprocess.check_output([*head, code, sdk, where], cwd=root, text=True)
    paths = [str(sdk_folder(environ)), str(root)]
    assert out.strip() == f"{paths} ['-c'] {paths[0]}/reeval/version.py"
