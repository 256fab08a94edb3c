"""A warm start of the zipapp beside `python3 -c pass`, with each real interpreter."""

from __future__ import annotations

import os
import statistics
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figures import Figure, wall_ms
from bench.program import PYZ, run

TIMES = 20
VERSIONS = ("3.11", "3.12", "3.13")


def measure() -> Iterator[Figure]:
    """Interleaved, so that a busy moment of the machine falls on both sides."""
    for version in VERSIONS:
        python = interpreter(version)
        if python is None:
            yield Figure(f"start, Python {version}", "not found")
            continue
        with TemporaryDirectory(prefix="reeval-bench-") as folder:
            yield from _measure(version, python, Path(folder))


def _measure(version: str, python: str, folder: Path) -> Iterator[Figure]:
    cold = run("--version", cwd=folder, python=python, REEVAL_CACHE=str(folder / "cache"))
    run("--version", cwd=folder, python=python)
    bare, told, helped = [], [], []
    for _ in range(TIMES):
        bare.append(wall_ms(lambda: subprocess.run([python, "-c", "pass"], check=True)))
        told.append(_start_ms(python, "--version"))
        helped.append(_start_ms(python, "--help"))
    base, version_ms, help_ms = map(statistics.median, (bare, told, helped))
    yield Figure(f"python{version} -c pass", f"{base:.1f} ms")
    yield Figure(
        f"  --version, warm ({version_ms:.1f} ms)", f"{version_ms / base:.2f} x", "≤ 2.5 x"
    )
    yield Figure("  --help, warm", f"{help_ms:.0f} ms", "≤ 100 ms")
    peak = run("--help", cwd=folder, python=python).peak_mib
    yield Figure("  --help, peak memory", f"{peak:.1f} MiB", "≤ 20 MiB")
    yield Figure("  the first start, which unpacks", f"{cold.seconds:.2f} s")


def _start_ms(python: str, argument: str) -> float:
    command = [python, str(PYZ), argument]
    return wall_ms(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True))


def interpreter(version: str) -> str | None:
    """A real interpreter of this version: a version manager's shim starts a second program."""
    name = f"python{version}"
    folders = [*map(Path, os.get_exec_path()), *Path.home().glob(f".pyenv/versions/{version}*/bin")]
    for path in (folder / name for folder in folders if (folder / name).is_file()):
        told = subprocess.run(
            [path, "-c", "import sys; print(sys.executable)"],
            capture_output=True,
            text=True,
            check=False,
        )
        if told.returncode == 0 and os.path.samefile(told.stdout.strip(), path):
            return str(path)
    return None
