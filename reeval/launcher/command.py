"""Which command starts a project's runner: interpreter, module, environment, folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reeval.config.errors import UsageError
from reeval.config.model import Settings
from reeval.launcher.sdk import sdk_folder
from reeval.protocol import PROTOCOL

# Why a program text and not PYTHONPATH or `-m`: the SDK has to come before the project's root
# (which may hold a folder named reeval) and the root before everything else, as with `python -m`.
# PYTHONPATH comes after the current folder, is ignored under `-E`, and would leak into every
# process a body starts. The SDK's folder holds nothing but reeval and reeval_python, so none of
# the project's packages is hidden. The version is checked before anything of ours is compiled,
# and our own compiled files are kept even where PYTHONDONTWRITEBYTECODE is set, as CI images do:
# compiling them again takes longer than most attempts.
_BOOT = """\
import sys
if sys.version_info < (3, 11):
    sys.exit("the runner needs Python 3.11 or newer; %s is %d.%d"
             % ((sys.executable,) + tuple(sys.version_info[:2])))
sys.path = sys.argv[1:3] + [p for p in sys.path if p]
del sys.argv[1:]
kept, sys.dont_write_bytecode = sys.dont_write_bytecode, False
import runpy, reeval.runner.main
sys.dont_write_bytecode = kept
runpy.run_module("reeval.runner", run_name="__main__", alter_sys=True)
"""


@dataclass(frozen=True, slots=True)
class RunnerCommand:
    """How a runner is started. `why` says where the interpreter comes from.

    `start_timeout` is how many seconds it has until its first message: uv may first have to make
    the project's environment.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path
    why: str
    start_timeout: float = 30.0


@dataclass(frozen=True, slots=True)
class _Interpreter:
    argv: tuple[str, ...]
    why: str
    start_timeout: float = 30.0


def runner_command(settings: Settings, environ: Mapping[str, str]) -> RunnerCommand:
    """The command for this project. Raises `UsageError` when there is no interpreter.

    The runner is the user's own code, so it gets the whole of `environ`, secrets too.
    """
    root = settings.root
    interpreter = _interpreter(root, environ)
    module = environ.get("REEVAL_RUNNER_MODULE") or settings.runner_module
    if module:
        tail: tuple[str, ...] = ("-m", module)
    else:
        tail = ("-c", _BOOT, str(sdk_folder(environ)), str(root))
    env = {
        **environ,
        "REEVAL_RUNNER": "stdio",
        "REEVAL_RUNNER_PROTOCOL": str(PROTOCOL),
        "REEVAL_PROJECT_ROOT": str(root),
    }
    return RunnerCommand(
        (*interpreter.argv, *tail), env, root, interpreter.why, interpreter.start_timeout
    )


def _interpreter(root: Path, environ: Mapping[str, str]) -> _Interpreter:
    path = environ.get("PATH", os.defpath)
    if chosen := environ.get("REEVAL_PYTHON"):
        return _Interpreter((_chosen(chosen, root, path),), "REEVAL_PYTHON")
    is_project = any((root / name).is_file() for name in ("pyproject.toml", "uv.lock"))
    if is_project and (uv := shutil.which("uv", path=path)):
        argv = (uv, "run", "--project", str(root), "python")
        return _Interpreter(argv, "uv run", start_timeout=300.0)
    venv = root / ".venv" / "bin" / "python"
    if venv.exists():
        return _Interpreter((str(venv),), ".venv")
    if python := shutil.which("python3", path=path):
        return _Interpreter((python,), "python3 on PATH")
    raise UsageError(
        "no Python runs this project's eval files: there is no .venv and no python3 on PATH; "
        "set REEVAL_PYTHON to an interpreter"
    )


def _chosen(chosen: str, root: Path, path: str) -> str:
    expanded = os.path.expanduser(chosen)
    if os.sep in expanded:
        expanded = str(root / expanded)
    found = shutil.which(expanded, path=path)
    if found is None:
        raise UsageError(f"REEVAL_PYTHON names {chosen}, which is no program that can be run")
    return found
