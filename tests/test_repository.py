"""What must not be in the repository: a machine's paths, registries' hosts, unfinished work."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HERE = Path(__file__).relative_to(ROOT).as_posix()
BINARY = {".png", ".jpg", ".gif", ".zip", ".gz", ".bin", ".ico"}

FORBIDDEN = {
    "a path of one machine": r"(?<![\w.-])/(?:work|root|home/[a-z]\w+|Users/[A-Za-z]\w+)/[\w.]",
    "a registry's host": r"\b(?:pypi|pythonhosted|npmjs|debian|ubuntu)[.](?:org|com)\b",
    "unfinished work": r"\b(?:TODO|FIXME|XXX)\b(?!\()",
    "a merge's leftovers": r"^(?:<{7}|>{7}) ",
}


def files() -> Iterator[str]:
    """Every file of the repository, committed or about to be."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.split("\0"):
        if name and (ROOT / name).is_file() and Path(name).suffix not in BINARY:
            yield name


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_holds(what: str) -> None:
    pattern = re.compile(FORBIDDEN[what], re.MULTILINE)
    found = [
        f"{name}: {match.group()}"
        for name in files()
        if name != HERE
        for match in pattern.finditer((ROOT / name).read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []


def test_locks_pin_every_version_with_hashes_and_name_no_host() -> None:
    for lock in ROOT.glob("requirements/*.lock"):
        text = lock.read_text(encoding="utf-8")
        for entry in re.findall(r"^[^#\s].*(?:\n\s+.*)*", text, re.MULTILINE):
            assert re.match(r"[\w-]+==\S+( ; [^\\]+)? \\\n\s+--hash=sha256:[0-9a-f]{64}", entry)
        assert not re.search(r"://|--(?:extra-)?index-url|--find-links", text)


def test_the_tests_lock_has_the_zipapps_versions() -> None:
    def pins(name: str) -> set[str]:
        text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
        return set(re.findall(r"^[\w-]+==\S+", text, re.MULTILINE))

    assert pins("runtime.lock") <= pins("dev.lock")


def test_test_modules_are_small_enough_to_read() -> None:
    long = [
        name
        for name in files()
        if name.endswith(".py")
        and len((ROOT / name).read_text(encoding="utf-8").splitlines()) > 700
    ]
    assert long == []
