"""Starting reeval.pyz: where, how and with which Python it runs, and what a warm start loads."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from reeval.version import VERSION

pytestmark = pytest.mark.zipapp

ROOT = Path(__file__).resolve().parents[2]
SAID = f"reeval {VERSION}\n"


@pytest.mark.parametrize("flags", [(), ("-I",), ("-S",), ("-O",), ("-W", "error"), ("-bb",)])
def test_it_starts_under_every_python_and_flag(start, python: str, flags: tuple[str, ...]) -> None:
    done = start("--version", python=python, flags=flags)
    assert (done.returncode, done.stdout, done.stderr) == (0, SAID, "")


def test_it_runs_as_a_program_of_its_own(pyz: Path, pyz_cache: Path) -> None:
    environ = {"PATH": str(Path(sys.executable).parent), "REEVAL_CACHE": str(pyz_cache)}
    told = subprocess.run([pyz, "--version"], env=environ, capture_output=True, text=True)
    assert (told.stdout, told.stderr) == (SAID, "")


def test_it_runs_from_a_path_with_spaces_and_other_letters(
    start, pyz: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "Meine Läufe 日本 'x' \"y\""
    folder.mkdir()
    archive = Path(shutil.copy(pyz, folder))
    done = start("--version", archive=archive, REEVAL_CACHE=str(folder / "cache é"))
    assert (done.stdout, done.stderr) == (SAID, "")
    assert start("--version", archive=archive, REEVAL_CACHE=str(folder / "cache é")).stdout == SAID


def test_it_runs_from_a_read_only_folder(pyz: Path, pyz_cache: Path, tmp_path: Path) -> None:
    if not shutil.which("unshare"):
        pytest.skip("mounting a read-only folder needs unshare")
    folder = tmp_path / "read-only"
    folder.mkdir()
    shutil.copy(pyz, folder)
    script = (
        'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && cd "$1" && '
        '! touch x 2>/dev/null && REEVAL_CACHE="$3" exec "$2" reeval.pyz --version'
    )
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, "-", folder, sys.executable, pyz_cache],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, SAID, "")


def test_it_runs_through_a_symlink_and_from_any_folder(start, pyz: Path, tmp_path: Path) -> None:
    link = tmp_path / "reeval"
    link.symlink_to(pyz)
    (tmp_path / "click.py").write_text("raise SystemExit('the wrong click')")
    (tmp_path / "marshal.py").write_text("raise SystemExit('the wrong marshal')")
    done = start("--help", archive=Path("reeval"), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_the_interpreter_has_installed_is_not_imported(inside, tmp_path: Path) -> None:
    for name in ("click", "pygments", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong one')")
    told = inside(
        "import click, json, pygments; print(click.__file__, pygments.__file__); print(sys.path)",
        PYTHONPATH=str(tmp_path),
    )
    modules, path = told.stdout.splitlines()[1:]
    assert re.fullmatch(r"\S+/app/click/__init__.py \S+/zipped/pygments-\S+", modules)
    assert "site-packages" not in path


def test_versions_are_those_of_the_packages_it_carries(inside) -> None:
    names = ("click", "requests", "tomli", "rich", "pexpect", "cryptography", "pygments")
    told = inside(
        f"import importlib.metadata as m\nfor n in {names}: print(n, m.version(n), sep='==')"
    )
    lock = (ROOT / "requirements/runtime.lock").read_text(encoding="utf-8")
    pins = re.findall(r"^[\w-]+==\S+", lock, re.MULTILINE)
    assert len(told.stdout.splitlines()[1:]) == len(names), told.stderr
    assert set(told.stdout.splitlines()[1:]) <= set(pins)


def test_an_older_python_is_told_which_one_is_needed(
    start, interpreters: Mapping[str, str]
) -> None:
    old = {v: p for v, p in interpreters.items() if tuple(map(int, v.split("."))) < (3, 11)}
    if not old:
        pytest.skip("no Python older than 3.11 is installed")
    for version, path in old.items():
        done = start("--version", python=path)
        assert done.returncode == 2
        assert re.fullmatch(
            rf"error: reeval needs Python 3\.11 or newer; \S+ is {re.escape(version)}\n",
            done.stderr,
        )


def test_a_warm_start_loads_next_to_nothing(start, python: str) -> None:
    start("--version", python=python)
    loaded = _imported(start("--version", python=python, flags=("-I", "-S", "-X", "importtime")))
    assert "reeval_bootstrap" in loaded
    slow = {"click", "asyncio", "hashlib", "zipfile", "json", "re", "typing", "rich", "tempfile"}
    assert loaded & slow == set()


def test_help_loads_none_of_the_heavy_packages(start, python: str) -> None:
    start("--version", python=python)
    loaded = _imported(start("--help", python=python, flags=("-I", "-S", "-X", "importtime")))
    assert "click" in loaded
    heavy = {"asyncio", "rich", "requests", "urllib3", "cryptography", "tomli"}
    assert loaded & heavy == set()


def _imported(done: subprocess.CompletedProcess[str]) -> set[str]:
    assert done.returncode == 0
    return {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines() if "|" in line}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_before_the_program_is_loaded_is_130_and_quiet(
    pyz: Path, pyz_cache: Path, number: signal.Signals
) -> None:
    program = (
        "import os, runpy, sys\n"
        "class Stops:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == 'reeval_bootstrap': os.kill(os.getpid(), {int(number)})\n"
        "sys.meta_path.insert(0, Stops())\n"
        "sys.argv = [sys.argv[1], 'list']\nrunpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, pyz],
        env={**os.environ, "REEVAL_CACHE": str(pyz_cache)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_closed_streams_change_no_exit_code(pyz: Path, pyz_cache: Path) -> None:
    environ = {**os.environ, "REEVAL_CACHE": str(pyz_cache)}
    for arguments, code in (("--version", 0), ("--help", 0), ("bogus", 2)):
        command = f'"$0" "$1" {arguments} <&- >&- 2>&-'
        done = subprocess.run(["sh", "-c", command, sys.executable, pyz], env=environ)
        assert done.returncode == code
