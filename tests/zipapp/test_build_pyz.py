"""What build_pyz.py makes: the same bytes each time, small enough, with everything in it."""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

pytestmark = pytest.mark.zipapp

ROOT = Path(__file__).resolve().parents[2]
PLATFORMS = (
    "x86_64-linux-gnu",
    "aarch64-linux-gnu",
    "x86_64-linux-musl",
    "aarch64-linux-musl",
    "arm64-darwin",
)


@pytest.fixture(scope="module")
def payload(pyz: Path) -> zipfile.ZipFile:
    with zipfile.ZipFile(pyz) as outer:
        return zipfile.ZipFile(io.BytesIO(outer.read("payload.zip")))


def test_builds_in_other_places_with_other_pythons_give_the_same_bytes(
    pyz: Path, interpreters: Mapping[str, str], tmp_path: Path
) -> None:
    elsewhere = tmp_path / "another checkout"
    elsewhere.mkdir()
    for part in ("build_pyz.py", "packaging", "requirements", "reeval", "reeval_python"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, elsewhere / part)
    (elsewhere / ".build").symlink_to(ROOT / ".build")
    for version in ("3.11", "3.13"):
        subprocess.run(
            [interpreters[version], "build_pyz.py"],
            cwd=elsewhere,
            env={**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"},
            umask=0o077,
            check=True,
        )
        assert (elsewhere / "dist/reeval.pyz").read_bytes() == pyz.read_bytes()


def test_it_is_at_most_40_mb(pyz: Path) -> None:
    assert pyz.stat().st_size <= 40_000_000


def test_nothing_is_compressed_so_bytes_do_not_depend_on_a_zlib(
    pyz: Path, payload: zipfile.ZipFile
) -> None:
    with zipfile.ZipFile(pyz) as outer:
        members = [*outer.infolist(), *payload.infolist()]
    assert {member.compress_type for member in members} == {zipfile.ZIP_STORED}


def test_the_payloads_hash_is_baked_in(pyz: Path) -> None:
    with zipfile.ZipFile(pyz) as outer:
        main = outer.read("__main__.py").decode()
        digest = hashlib.sha256(outer.read("payload.zip")).hexdigest()
    assert re.findall(r'^PAYLOAD_SHA256 = "(\w+)"$', main, re.MULTILINE) == [digest]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_platform_has_cryptography_once_and_cffi_for_each_python(
    platform: str, payload: zipfile.ZipFile
) -> None:
    names = [name for name in payload.namelist() if name.startswith(f"wheels/{platform}/")]
    assert len([name for name in names if "/abi3/cryptography-" in name]) == 1
    assert [name.split("/")[2] for name in names if "/cffi-" in name] == [
        "cpython311",
        "cpython312",
        "cpython313",
        "cpython314",
    ]


@pytest.mark.parametrize("platform", ["x86_64", "aarch64"])
def test_the_wheels_are_those_of_the_oldest_glibc(platform: str, payload: zipfile.ZipFile) -> None:
    names = [n for n in payload.namelist() if n.startswith(f"wheels/{platform}-linux-gnu/")]
    assert names
    assert all(f"manylinux_2_17_{platform}" in name for name in names)


def test_every_package_of_the_lock_is_carried(payload: zipfile.ZipFile) -> None:
    lock = (ROOT / "requirements/runtime.lock").read_text(encoding="utf-8")
    pinned = {(name, version) for name, version in re.findall(r"^([\w-]+)==(\S+)", lock, re.M)}
    wheels = (Path(n).name.split("-") for n in payload.namelist() if n.startswith("wheels/"))
    assert {(name.lower().replace("_", "-"), version) for name, version, *_ in wheels} == pinned


def test_the_sdk_folder_holds_standard_library_code_only(payload: zipfile.ZipFile) -> None:
    tops = {name.split("/")[1] for name in payload.namelist() if name.startswith("sdk/")}
    assert tops == {"reeval", "reeval_python"}


def test_a_wheel_with_another_hash_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "checkout"
    elsewhere.mkdir()
    for part in ("build_pyz.py", "packaging", "requirements", "reeval", "reeval_python"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, elsewhere / part)
    shutil.copytree(ROOT / ".build/wheels", elsewhere / ".build/wheels")
    for wheel in (elsewhere / ".build/wheels").rglob("click-*.whl"):
        wheel.write_bytes(wheel.read_bytes() + b"\0")
    done = subprocess.run(
        ["python3", "build_pyz.py"], cwd=elsewhere, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "has a hash that is not in runtime.lock" in done.stderr
    assert not (elsewhere / "dist/reeval.pyz").exists()
