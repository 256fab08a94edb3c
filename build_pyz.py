"""Builds dist/reeval.pyz: one file with reeval and every package it needs, for every platform.

Needs Python 3.11 or newer and its pip. The wheels come from pip, checked against the hashes in
requirements/runtime.lock, and are kept in .build/, so a second build needs no network. Nothing is
compressed or dated here, so the same sources give the same bytes with any Python.
"""

from __future__ import annotations

import ast
import hashlib
import io
import os
import re
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent
LOCK = ROOT / "requirements" / "runtime.lock"
BUILD = ROOT / ".build"
OUTPUT = ROOT / "dist" / "reeval.pyz"
SIZE_LIMIT = 40_000_000  # bytes

PYTHONS = ("3.11", "3.12", "3.13", "3.14")

# Folder in the payload: the pip platform. Of each, the oldest C library that has wheels, since
# many runners are old: manylinux2014 is glibc 2.17.
PLATFORMS = {
    "x86_64-linux-gnu": "manylinux2014_x86_64",
    "aarch64-linux-gnu": "manylinux2014_aarch64",
    "x86_64-linux-musl": "musllinux_1_2_x86_64",
    "aarch64-linux-musl": "musllinux_1_2_aarch64",
    "arm64-darwin": "macosx_11_0_arm64",
}
ABI3 = "cryptography"  # one wheel for every Python
ONE_A_PYTHON = "cffi"  # what cryptography's wheel imports as it is loaded

# Imported from their wheels as they are, since few starts need them: unpacked, their 420 files
# would have to be compiled once and looked at by each start.
ZIPPED = ("markdown-it-py", "mdurl", "pycparser", "pygments")


class BuildError(Exception):
    """Says in one sentence why there is no zipapp, and what to do."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Wheels that one pip call fetches to `folder`, and the options that say for which Python."""

    folder: str
    packages: tuple[str, ...]
    tags: tuple[str, ...]


def main() -> None:
    """Build, and say what was built."""
    try:
        data = build()
    except BuildError as error:
        sys.exit(f"error: {error}")
    OUTPUT.parent.mkdir(exist_ok=True)
    write_whole(OUTPUT, data)
    digest = hashlib.sha256(data).hexdigest()
    print(f"{OUTPUT.relative_to(ROOT)}  {len(data) / 1e6:.1f} MB  sha256 {digest}")


def build() -> bytes:
    """The zipapp's bytes. Raises `BuildError`."""
    payload = zipped({**sources(), **wheels(parse_lock(LOCK.read_text(encoding="utf-8")))})
    digest = hashlib.sha256(payload).hexdigest()
    outer = source("packaging/outer_main.py").replace(b"@PAYLOAD_SHA256@", digest.encode())
    data = zipped(
        {
            "__main__.py": outer,
            "reeval_bootstrap.py": source("packaging/bootstrap.py"),
            "payload.zip": payload,
        },
        prefix=b"#!/usr/bin/env python3\n",
    )
    if len(data) > SIZE_LIMIT:
        raise BuildError(f"the zipapp has {len(data)} bytes, over its limit of {SIZE_LIMIT}")
    return data


def zipped(members: Mapping[str, bytes], prefix: bytes = b"") -> bytes:
    """A zip file of stored members, in the order of their names, all of one date."""
    file = io.BytesIO(prefix)
    file.seek(0, io.SEEK_END)
    with zipfile.ZipFile(file, "a", zipfile.ZIP_STORED) as archive:
        for name in sorted(members):
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.create_system = 3  # Unix, also when built elsewhere
            info.external_attr = 0o644 << 16
            archive.writestr(info, members[name])
    return file.getvalue()


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file at once: a running zipapp keeps the one it has open."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".making-", delete=False) as file:
        file.write(data)
    os.chmod(file.name, 0o755)  # noqa: S103 — everyone may run it
    os.replace(file.name, path)


# The project's own files


def source(name: str) -> bytes:
    return (ROOT / name).read_bytes()


def sources() -> dict[str, bytes]:
    """The program and the SDK's folder, as a cache entry lays them out."""
    app = {f"app/{name}": source(name) for name in files_below("reeval")}
    sdk = {f"sdk/{name}": source(name) for part in sdk_parts() for name in files_below(part)}
    return {**app, **sdk, "app/reeval_bootstrap.py": source("packaging/bootstrap.py")}


def files_below(part: str) -> Iterator[str]:
    """The files of a folder, or the one file, as paths relative to the project."""
    path = ROOT / part
    if path.is_file():
        yield part
        return
    found = [file for file in path.rglob("*") if file.is_file() and file.suffix != ".pyc"]
    if not found:
        raise BuildError(f"{part} is to be in the zipapp, and there is no such file or folder")
    for file in found:
        if not any(name.startswith(".") for name in file.relative_to(ROOT).parts):
            yield file.relative_to(ROOT).as_posix()


def sdk_parts() -> tuple[str, ...]:
    """`SDK_PARTS` of the launcher, read without importing it: the build has no packages."""
    for statement in ast.parse(source("reeval/launcher/sdk.py")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "SDK_PARTS":
            parts: tuple[str, ...] = ast.literal_eval(statement.value)
            return parts
    raise BuildError("reeval/launcher/sdk.py has no SDK_PARTS = (…)")


# The packages


def parse_lock(text: str) -> dict[str, str]:
    """Each package's name and its entry in the lock: `name==version` with its hashes."""
    entries = re.findall(r"^\S.*(?:\n\s+.*)*", text, re.MULTILINE)
    return {entry.split("==")[0]: entry for entry in entries if not entry.startswith("#")}


def wheels(lock: Mapping[str, str]) -> dict[str, bytes]:
    """Every wheel, by its name in the payload."""
    wanted = list(wanted_wheels(lock))
    asked_for = repr((wanted, sorted(lock.items())))
    store = BUILD / "wheels" / hashlib.sha256(asked_for.encode()).hexdigest()[:16]
    missing = [one for one in wanted if not (store / one.folder).is_dir()]
    if missing:
        fetch(missing, store, lock)
    return {name: data for one in wanted for name, data in checked(one, store, lock)}


def wanted_wheels(lock: Mapping[str, str]) -> Iterator[Wanted]:
    pure = tags("any", "py", "none", PYTHONS[0])
    unpacked = tuple(name for name in lock if name not in (ABI3, ONE_A_PYTHON, *ZIPPED))
    yield Wanted("any", unpacked, pure)
    yield Wanted("zipped", ZIPPED, pure)
    for folder, platform in PLATFORMS.items():
        yield Wanted(f"{folder}/abi3", (ABI3,), tags(platform, "cp", "abi3", PYTHONS[0]))
        for python in PYTHONS:
            digits = python.replace(".", "")
            here = tags(platform, "cp", f"cp{digits}", python)
            yield Wanted(f"{folder}/cpython{digits}", (ONE_A_PYTHON,), here)


def tags(platform: str, implementation: str, abi: str, python: str) -> tuple[str, ...]:
    return (
        f"--platform={platform}",
        f"--implementation={implementation}",
        f"--abi={abi}",
        f"--python-version={python}",
    )


def fetch(missing: list[Wanted], store: Path, lock: Mapping[str, str]) -> None:
    """Download what isn't kept yet; each folder appears when it is complete."""
    pip = pip_command()
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for done in [pool.submit(download, pip, one, store, lock) for one in missing]:
            done.result()


def pip_command() -> list[str]:
    """This Python's pip, or that of an environment made for it."""
    command = [sys.executable, "-m", "pip"]
    if subprocess.run([*command, "--version"], check=False, capture_output=True).returncode:
        environment = BUILD / "pip"
        try:
            venv.create(environment, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise BuildError(
                f"{sys.executable} has no pip and can't make an environment with one ({error}); "
                "install pip or the venv module for it"
            ) from None
        return [str(environment / "bin" / "python"), "-m", "pip"]
    return command


def download(pip: list[str], one: Wanted, store: Path, lock: Mapping[str, str]) -> None:
    target = store / one.folder
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=store, prefix=".making-") as folder:
        requirements = Path(folder, "requirements.txt")
        requirements.write_text("\n".join(lock[name] for name in one.packages), encoding="utf-8")
        into = Path(folder, "wheels")
        options = ["--no-deps", "--require-hashes", "--only-binary=:all:", *one.tags]
        command = [*pip, "download", *options, "-r", str(requirements), "-d", str(into)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            raise BuildError(
                f"pip could not fetch {', '.join(one.packages)} for {one.folder}: "
                f"{done.stderr.strip()}"
            )
        into.rename(target)


def checked(one: Wanted, store: Path, lock: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """The kept wheels of one folder, one a package, each with a hash that the lock names."""
    folder = store / one.folder
    found = sorted(folder.iterdir())
    if len(found) != len(one.packages):
        raise BuildError(f"{folder} should hold {len(one.packages)} wheels; delete it, build again")
    known = "".join(lock[name] for name in one.packages)
    for path in found:
        data = path.read_bytes()
        if f"sha256:{hashlib.sha256(data).hexdigest()}" not in known:
            raise BuildError(
                f"{path} has a hash that is not in {LOCK.name}; delete it, build again"
            )
        yield f"wheels/{one.folder}/{path.name}", data


if __name__ == "__main__":
    main()
