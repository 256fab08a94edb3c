"""What `reeval doctor` looks at: this machine, the project, and what the project needs of it."""

from __future__ import annotations

import asyncio
import importlib
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from reeval.config.errors import UsageError
from reeval.config.model import EvalOptions, Secret, SecretTemplate, Settings
from reeval.record.places import STATE

if TYPE_CHECKING:
    from reeval.plan.model import Plan
    from reeval.protocol.messages import Hello

Status: TypeAlias = Literal["ok", "note", "missing"]
"""`note`: worth knowing, but this project runs without it."""

_LITTLE = 1 << 30  # bytes free, below which a run of some length may not fit
_TOO_LITTLE = 100 << 20  # bytes free, below which nothing should be started
_TOOL_TIMEOUT_S = 20


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`fix` says how to get what is missing."""

    name: str
    status: Status
    found: str
    fix: str = ""


def checkup(start: Path, environ: Mapping[str, str]) -> Iterator[Diagnosis]:
    """Everything there is to say of the project at `start` and its machine, the machine first."""
    from reeval.config.load import load_settings

    try:
        settings, problem = load_settings(start, environ), None
    except UsageError as error:
        settings, problem = Settings(root=start), error
    yield _python()
    yield _program()
    yield _git(environ)
    yield _folder("runs", settings.root / STATE)
    yield _temporary()
    if problem is not None:
        yield Diagnosis("config", "missing", str(problem), "correct the file")
        return
    yield _config(settings)
    yield from _project(settings, environ)


# ── this machine ─────────────────────────────────────────────────────────────────────────────


def _python() -> Diagnosis:
    return Diagnosis("python", "ok", f"{platform.python_version()} runs reeval ({sys.executable})")


def _program() -> Diagnosis:
    """The zipapp's unpacked files, each compared with its hash."""
    try:
        bootstrap = importlib.import_module("reeval_bootstrap")
    except ImportError:
        return Diagnosis("program", "ok", "runs from its sources, not from reeval.pyz")
    entry = Path(__file__).resolve().parents[3]
    damaged = bootstrap.damage(str(entry))
    if not damaged:
        return Diagnosis("program", "ok", f"unpacked and unchanged in {entry}")
    return Diagnosis(
        "program",
        "missing",
        f"damaged in {entry}: {', '.join(damaged[:3])}{' …' if len(damaged) > 3 else ''}",
        f"rm -r '{entry}': the next start unpacks it anew",
    )


def _git(environ: Mapping[str, str]) -> Diagnosis:
    version = _version("git", environ)
    if version is not None:
        return Diagnosis("git", "ok", version)
    return Diagnosis(
        "git", "note", "not on PATH: records won't say which commit ran", "install the package git"
    )


def _version(program: str, environ: Mapping[str, str]) -> str | None:
    """The first line of what `program --version` says; None when it can't be run."""
    path = shutil.which(program, path=environ.get("PATH"))
    if path is None:
        return None
    try:
        told = subprocess.run(
            [path, "--version"],
            capture_output=True,
            text=True,
            check=True,
            timeout=_TOOL_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return f"{told.stdout.strip().partition(chr(10))[0]} ({path})"


def _temporary() -> Diagnosis:
    try:
        folder = Path(tempfile.gettempdir())
    except OSError as error:
        return Diagnosis(
            "temporary", "missing", f"there is no temporary folder ({error.strerror})", _SET_TMPDIR
        )
    return _folder("temporary", folder, _SET_TMPDIR)


_SET_TMPDIR = "set TMPDIR to a folder you can write"


def _folder(name: str, folder: Path, fix: str = "make it writable") -> Diagnosis:
    """Whether a folder, or the nearest one above it that exists, can be written and has room."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=there) as probe:
            probe.write(b"reeval")
            probe.flush()
    except OSError as error:
        return Diagnosis(name, "missing", f"{there} can't be written ({error.strerror})", fix)
    free = shutil.disk_usage(there).free
    found = f"{folder} can be written, {_size(free)} free"
    if free >= _LITTLE:
        return Diagnosis(name, "ok", found)
    return Diagnosis(
        name,
        "missing" if free < _TOO_LITTLE else "note",
        found,
        f"free space on the disk of {there}",
    )


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


# ── the project ──────────────────────────────────────────────────────────────────────────────


def _config(settings: Settings) -> Diagnosis:
    if settings.file is not None:
        return Diagnosis("config", "ok", str(settings.file))
    return Diagnosis("config", "ok", f"none in {settings.root}: the defaults hold")


def _project(settings: Settings, environ: Mapping[str, str]) -> Iterator[Diagnosis]:
    """What only the project's own interpreter and eval files can tell, then what they need."""
    from reeval.plan.discover import discover

    files = discover(settings.root, settings.evals)
    runner, works = _runner(settings, environ)
    yield runner
    plan: Plan | None = None
    if not files:
        yield _no_evals(settings)
    elif works:
        evals, plan = _evals(settings, environ)
        yield evals
    yield _docker(plan, environ)
    yield from _keys(settings, plan, environ)


def _runner(settings: Settings, environ: Mapping[str, str]) -> tuple[Diagnosis, bool]:
    """The interpreter that runs eval files, and whether it starts and says hello."""
    from reeval.launcher.command import runner_command

    try:
        command = runner_command(settings, environ)
        hello = asyncio.run(_greeted(settings, environ))
    except UsageError as error:
        return Diagnosis("runner", "missing", str(error), _SET_PYTHON), False
    sdk = f"Python {hello.runtime}, reeval SDK {hello.version}"
    return Diagnosis("runner", "ok", f"{sdk} ({command.argv[0]}, from {command.why})"), True


_SET_PYTHON = "install Python 3.11 or newer, or set REEVAL_PYTHON to one"


async def _greeted(settings: Settings, environ: Mapping[str, str]) -> Hello:
    from reeval.launcher.command import runner_command
    from reeval.launcher.process import Runner

    runner = await Runner.start(runner_command(settings, environ), "", lambda stream, line: None)
    try:
        return runner.hello
    finally:
        await runner.close()


def _no_evals(settings: Settings) -> Diagnosis:
    status: Status = "note" if settings.file is None else "missing"
    globs = ", ".join(settings.evals)
    return Diagnosis(
        "evals", status, f"no file matches {globs}", "`reeval init` writes a first one"
    )


def _evals(settings: Settings, environ: Mapping[str, str]) -> tuple[Diagnosis, Plan | None]:
    """Whether every eval file loads and its evals can run in this version."""
    from reeval.plan.make import make_plan
    from reeval.plan.request import PlanRequest
    from reeval.plan.supported import refuse_unsupported
    from reeval.report.text import plural

    plan: Plan | None = None
    try:
        plan = asyncio.run(make_plan(settings, PlanRequest(to_run=False), environ))
        refuse_unsupported(plan)
    except UsageError as error:
        return Diagnosis("evals", "missing", str(error), "correct it, or leave it out"), plan
    if plan.failures:
        first = plan.failures[0]
        found = f"{first.file} does not load: {first.message}"
        return Diagnosis("evals", "missing", found, "`reeval list` shows where"), plan
    found = f"{plural(len(plan.evals), 'eval')}, {plural(plan.attempts, 'attempt')}"
    return Diagnosis("evals", "ok", found), plan


# ── what the project needs ───────────────────────────────────────────────────────────────────


def _docker(plan: Plan | None, environ: Mapping[str, str]) -> Diagnosis:
    program = environ.get("REEVAL_DOCKER") or "docker"
    version = _version(program, environ)
    if version is not None:
        return Diagnosis("docker", "ok", version)
    planned = () if plan is None else plan.evals
    used = {c.sandbox.kind for e in planned if e.skip is None for c in e.cells}
    if "docker" not in used:
        return Diagnosis("docker", "note", f"{program} is not on PATH; nothing here needs it")
    found = f"{program} is not on PATH, and evals here run in containers"
    fix = "install Docker or Podman, or set REEVAL_DOCKER to its program"
    return Diagnosis("docker", "missing", found, fix)


def _keys(settings: Settings, plan: Plan | None, environ: Mapping[str, str]) -> Iterator[Diagnosis]:
    """Each host variable that a secret is read from: whether it is set, never its value."""
    from reeval.config.secrets import ENV_FILE, host_names, host_variables, secret_values

    try:
        variables = host_variables(settings.root, environ)
    except UsageError as error:
        yield Diagnosis("keys", "missing", str(error), "correct the file")
        return
    planned = tuple(_secrets_planned(plan))
    needed = secret_values(planned, variables).unset
    for name in sorted({n for s in (*planned, *_secrets_named(settings)) for n in host_names(s)}):
        fix = f"set it in the environment, or in {settings.root / ENV_FILE}"
        if variables.get(name):
            where = "the environment" if environ.get(name) else ENV_FILE
            yield Diagnosis("key", "ok", f"{name} is set, in {where}")
        elif name in needed:
            yield Diagnosis("key", "missing", f"{name} is not set", fix)
        else:
            yield Diagnosis("key", "note", f"{name} is not set; no eval needs it", fix)


def _secrets_planned(plan: Plan | None) -> Iterator[Secret | SecretTemplate]:
    from reeval.config.secrets import secrets_of

    for planned in () if plan is None else plan.evals:
        if planned.skip is None:
            yield from secrets_of(planned.options)


def _secrets_named(settings: Settings) -> Iterator[Secret | SecretTemplate]:
    """What the config names, whether or not an eval uses it."""
    from reeval.config.cascade import shared_options
    from reeval.config.secrets import secrets_of

    named = [EvalOptions(environment=one) for one in settings.environments.values()]
    named.append(EvalOptions(harness=tuple(settings.harnesses.values())))
    named += [shared_options(settings, one) for one in (None, *settings.profiles.values())]
    for options in named:
        yield from secrets_of(options)
    yield from (Secret(g.key) for g in settings.gateways.values() if g.key is not None)
