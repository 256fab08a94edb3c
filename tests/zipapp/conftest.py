"""Starting the zipapp as people do: a process with its own cache folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Start = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def start(pyz: Path, pyz_cache: Path) -> Start:
    """`start("--version", python=…, flags=["-I"], archive=…, REEVAL_CACHE=…)`."""

    def run(
        *arguments: str,
        python: str = sys.executable,
        flags: tuple[str, ...] = (),
        archive: Path = pyz,
        cwd: Path | None = None,
        **environ: str,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, *flags, str(archive), *arguments],
            env={**os.environ, "REEVAL_CACHE": str(pyz_cache), **environ},
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


# Ends as a start with --version does, then goes on in the same process.
INSIDE = """\
import runpy, sys
archive = sys.argv[1]
sys.argv = [archive, "--version"]
runpy.run_path(archive, run_name="__main__")
"""


@pytest.fixture
def inside(pyz: Path, pyz_cache: Path) -> Start:
    """`inside("import click; …", python=…)`: what a program sees in the zipapp's own process."""

    def run(
        program: str, before: str = "", python: str = sys.executable, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, "-c", before + INSIDE + program, pyz],
            env={**os.environ, "REEVAL_CACHE": str(pyz_cache), **environ},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def entries(cache: Path) -> list[Path]:
    """The unpacked programs in a cache folder."""
    return sorted(path for path in cache.iterdir() if path.is_dir())


@pytest.fixture
def own_cache(tmp_path: Path, pyz_cache: Path, start: Start) -> Path:
    """A warm cache folder with one entry, that the test may damage."""
    assert start("--version").returncode == 0
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    tag = sys.implementation.cache_tag
    (warm,) = (path for path in entries(pyz_cache) if f"-{tag}-" in path.name)
    shutil.copytree(warm, cache / warm.name)
    return cache


@pytest.fixture
def entry(own_cache: Path) -> Path:
    """The one entry of `own_cache`."""
    (found,) = entries(own_cache)
    return found
