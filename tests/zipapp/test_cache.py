"""The cache entry: made once, by one of many, checked at each start, replaced when damaged."""

from __future__ import annotations

import importlib.util
import os
import py_compile
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from reeval.version import VERSION

pytestmark = pytest.mark.zipapp

ROOT = Path(__file__).resolve().parents[2]


def loaded(name: str) -> ModuleType:
    """One of the zipapp's own two modules, which are in no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / f"packaging/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


bootstrap, outer_main = loaded("bootstrap"), loaded("outer_main")
SAID = f"reeval {VERSION}\n"


def entries(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir() if path.name != ".lock")


def test_twenty_starts_at_once_make_one_entry_and_leave_nothing_else(
    pyz: Path, tmp_path: Path
) -> None:
    environ = {**os.environ, "REEVAL_CACHE": str(tmp_path / "cache")}
    started = [
        subprocess.Popen(
            [sys.executable, pyz, "--version"],
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(20)
    ]
    assert [process.communicate() for process in started] == [(SAID, "")] * 20
    assert len(entries(tmp_path / "cache")) == 1


@pytest.fixture(scope="module")
def made(pyz: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An entry that was made under an open umask, without leave to write compiled files."""
    cache = tmp_path_factory.mktemp("made")
    (cache / ".making-x" / "app").mkdir(parents=True)
    environ = {**os.environ, "REEVAL_CACHE": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, pyz, "--version"], env=environ, umask=0, check=True)
    (entry,) = (path for path in cache.iterdir() if path.is_dir() and path.name[0] != ".")
    return entry


def test_compiled_files_are_there_and_never_checked_against_their_sources(made: Path) -> None:
    sources = [*(made / "app").rglob("*.py"), *(made / "sdk").rglob("*.py")]
    flags = set()
    for source in sources:
        compiled = Path(importlib.util.cache_from_source(source))
        flags.add(int.from_bytes(compiled.read_bytes()[4:8], "little"))
    assert len(sources) > 300
    assert flags == {0b01}  # by hash, unchecked


def test_a_traceback_names_the_entrys_files(made: Path) -> None:
    compiled = Path(importlib.util.cache_from_source(made / "app/click/core.py"))
    assert str(made / "app/click/core.py").encode() in compiled.read_bytes()


def test_an_entry_is_not_writable_by_others_whatever_the_umask(made: Path) -> None:
    modes = {path.stat().st_mode & 0o022 for path in made.parent.rglob("*")}
    assert modes == {0}


def test_a_start_that_was_killed_leaves_nothing_for_good(made: Path) -> None:
    assert entries(made.parent) == [made.name]


def test_pythons_have_entries_of_their_own(start, interpreters, pyz_cache: Path) -> None:
    for version in ("3.11", "3.12"):
        assert start("--version", python=interpreters[version]).stdout == SAID
        assert len(list(pyz_cache.glob(f"*-cpython-{version.replace('.', '')}-*"))) == 1


def damaged_by(change: str, entry: Path) -> None:
    target = entry / "app/click/core.py"
    match change:
        case "cut":
            os.truncate(target, 100)
        case "missing":
            target.unlink()
        case "missing folder":
            shutil.rmtree(target.parent)
        case "more":
            (entry / "app/json.py").write_text("raise SystemExit('the wrong json')")
        case "link":
            copy = Path(shutil.copy(target, entry / "elsewhere"))
            target.unlink()
            target.symlink_to(copy)
        case "no manifest":
            (entry / "manifest").unlink()
        case "cut manifest":
            os.truncate(entry / "manifest", 50)
        case "no bootstrap":
            (entry / "app/reeval_bootstrap.py").unlink()
        case "wrong bootstrap":
            compiled = importlib.util.cache_from_source(entry / "app/reeval_bootstrap.py")
            size = os.path.getsize(compiled)
            Path(compiled).write_bytes(b"\0" * size)
            (entry / "app/reeval_bootstrap.py").write_text("1/0")
        case "a file in its place":
            shutil.rmtree(entry)
            entry.write_text("")


@pytest.mark.parametrize(
    "change",
    [
        "cut",
        "missing",
        "missing folder",
        "more",
        "link",
        "no manifest",
        "cut manifest",
        "no bootstrap",
    ],
)
def test_a_damaged_entry_is_noticed(change: str, entry: Path) -> None:
    assert bootstrap.sound(str(entry))
    damaged_by(change, entry)
    assert not bootstrap.sound(str(entry))


@pytest.mark.parametrize("change", ["missing folder", "wrong bootstrap", "a file in its place"])
def test_a_damaged_entry_is_replaced(change: str, start, own_cache: Path, entry: Path) -> None:
    damaged_by(change, entry)
    done = start("--help", REEVAL_CACHE=str(own_cache))
    assert (done.returncode, done.stderr) == (0, "")
    assert entries(own_cache) == [entry.name]
    assert bootstrap.sound(str(entry))
    assert bootstrap.damage(str(entry)) == []


def test_contents_are_checked_when_an_import_fails(start, own_cache: Path, entry: Path) -> None:
    target = Path(importlib.util.cache_from_source(entry / "app/click/core.py"))
    good = target.read_bytes()
    target.write_bytes(good[:16] + b"\xff" * (len(good) - 16))
    assert bootstrap.sound(str(entry))
    assert len(bootstrap.damage(str(entry))) == 1
    done = start("--help", REEVAL_CACHE=str(own_cache))
    assert (done.returncode, done.stderr) == (0, "")
    assert bootstrap.damage(str(entry)) == []


def test_damage_names_the_files_whose_contents_changed(entry: Path) -> None:
    target = entry / "app/click/core.py"
    target.write_bytes(b"#" * target.stat().st_size)
    assert bootstrap.sound(str(entry))
    assert bootstrap.damage(str(entry)) == ["app/click/core.py"]


def test_compiled_files_that_another_python_leaves_are_no_damage(
    start, own_cache: Path, entry: Path
) -> None:
    inode = entry.stat().st_ino
    py_compile.compile(str(entry / "sdk/reeval/__init__.py"), optimize=2)
    assert start("--version", REEVAL_CACHE=str(own_cache)).stdout == SAID
    assert entry.stat().st_ino == inode


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o1777])
def test_a_folder_that_others_can_write_is_refused(start, own_cache: Path, mode: int) -> None:
    own_cache.chmod(mode)
    done = start("--version", REEVAL_CACHE=str(own_cache))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"error: reeval's cache folder {own_cache} can be written by others (mode {mode:o}); run "
        f"`chmod go-w {own_cache}`, or set REEVAL_CACHE to a folder that only you can write\n"
    )


def test_another_users_folder_is_refused(start, own_cache: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("giving a folder to another user needs root")
    os.chown(own_cache, 65534, 65534)
    done = start("--version", REEVAL_CACHE=str(own_cache))
    assert (done.returncode, done.stdout) == (2, "")
    assert "belongs to another user (uid 65534); set REEVAL_CACHE to a folder of your own" in (
        done.stderr
    )


@pytest.mark.parametrize("what", ["/dev/null", "file"])
def test_a_cache_that_is_no_folder_is_said(start, tmp_path: Path, what: str) -> None:
    path = tmp_path / what
    if what == "file":
        path.write_text("mine")
    done = start("--version", REEVAL_CACHE=str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: {path} is no folder; set REEVAL_CACHE to one that only you can write\n"
    )


def test_without_a_cache_that_can_be_written_it_uses_a_private_temporary_folder(
    start, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    done = start("--version", REEVAL_CACHE=str(blocked / "cache"), TMPDIR=str(temporary))
    assert (done.returncode, done.stdout) == (0, SAID)
    assert done.stderr == (
        f"reeval: can't write its cache in {blocked}/cache: Not a directory; it unpacks to a "
        "temporary folder for this start only (set REEVAL_CACHE to a folder you can write)\n"
    )
    assert list(temporary.iterdir()) == []


def test_a_full_disk_is_told_in_one_sentence(pyz: Path, tmp_path: Path) -> None:
    if not shutil.which("unshare"):
        pytest.skip("a small file system needs unshare")
    script = (
        'mount -t tmpfs -o size=2m none "$1" && '
        'REEVAL_CACHE="$1/cache" TMPDIR="$1" exec "$2" "$3" --version'
    )
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, "-", tmp_path, sys.executable, pyz],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        "error: reeval can't unpack itself to a temporary folder either (No space left on device); "
        "set REEVAL_CACHE to a folder with 60 MB free"
    )
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"REEVAL_CACHE": "/chosen", "XDG_CACHE_HOME": "/xdg"}, "/chosen"),
        ({"REEVAL_CACHE": "", "XDG_CACHE_HOME": "/xdg"}, "/xdg/reeval"),
        ({"REEVAL_CACHE": "", "XDG_CACHE_HOME": ""}, "/me/.cache/reeval"),
        ({"REEVAL_CACHE": "", "XDG_CACHE_HOME": "not/absolute"}, "/me/.cache/reeval"),
    ],
)
def test_the_chosen_folder_else_the_platforms(
    environ: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform != "linux":
        pytest.skip("Linux's own folders")
    monkeypatch.setenv("HOME", "/me")
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert outer_main.cache_folder() == expected


def test_a_damaged_archive_is_told(start, pyz: Path, tmp_path: Path) -> None:
    archive = tmp_path / "reeval.pyz"
    data = bytearray(pyz.read_bytes())
    at = data.index(b"SDK_PARTS = (")
    data[at] ^= 1
    archive.write_bytes(data)
    done = start("--version", archive=archive, REEVAL_CACHE=str(tmp_path / "cache"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "is damaged" in done.stderr
    assert "download it again" in done.stderr


def test_cryptography_and_the_other_packages_work(inside, python: str) -> None:
    told = inside(
        "import os, certifi, click, pexpect, requests, rich.markdown, rich.syntax, tomli\n"
        "from cryptography.hazmat.primitives.asymmetric import ec\n"
        "ec.generate_private_key(ec.SECP256R1()); os.stat(certifi.where())\n"
        "rich.get_console().print(rich.markdown.Markdown('*well*'))\n",
        python=python,
    )
    assert told.stdout.split() == [*SAID.split(), "well"], told.stderr


def test_where_no_wheel_fits_all_but_cryptography_works(inside, tmp_path: Path) -> None:
    told = inside(
        "import click, cryptography",
        before="import sys; sys.implementation._multiarch = 'riscv64-linux-gnu'\n",
        REEVAL_CACHE=str(tmp_path),
    )
    assert told.stdout == SAID
    assert told.stderr.splitlines()[-1].startswith(
        "ImportError: reeval.pyz carries cryptography for CPython 3.11 to 3.14 on Linux (x86-64, "
        f"arm64) and macOS (arm64), not for {sys.implementation.cache_tag} on "
    )


@pytest.mark.stress
def test_starts_that_are_killed_at_any_moment_leave_a_cache_that_works(
    pyz: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    environ = {**os.environ, "REEVAL_CACHE": str(cache)}
    for number in range(40):
        with subprocess.Popen([sys.executable, pyz, "--version"], env=environ) as process:
            time.sleep(0.08 * number)
            process.kill()
        if number % 10 == 9:
            told = subprocess.run(
                [sys.executable, pyz, "--version"], env=environ, capture_output=True, text=True
            )
            assert (told.stdout, told.stderr) == (SAID, "")
            (entry,) = entries(cache)
            assert bootstrap.damage(str(cache / entry)) == []
            shutil.rmtree(cache)
