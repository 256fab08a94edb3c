"""The SDK's folder holds the SDK alone, and is made once whoever asks at the same time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from reeval.config.errors import UsageError
from reeval.launcher import sdk
from reeval.launcher.sdk import SDK_PARTS, cache_folder, sdk_files, sdk_folder


def test_it_holds_the_parts_and_nothing_else(tmp_path: Path) -> None:
    folder = sdk_folder({"REEVAL_CACHE": str(tmp_path)})
    assert sorted(p.name for p in folder.iterdir()) == ["reeval", "reeval_python"]
    held = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert held == set(sdk_files(Path(sdk.__file__).parents[2]))
    assert {"reeval/__init__.py", "reeval/py.typed", "reeval/protocol/codec.py"} <= held
    assert not any("__pycache__" in name for name in held)


def test_it_imports_with_the_standard_library_alone(tmp_path: Path) -> None:
    folder = sdk_folder({"REEVAL_CACHE": str(tmp_path)})
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); import reeval.protocol.codec, reeval"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)


def test_a_second_call_gives_the_same_folder_untouched(tmp_path: Path) -> None:
    environ = {"REEVAL_CACHE": str(tmp_path)}
    first = sdk_folder(environ)
    before = first.stat().st_ino
    assert sdk_folder(environ) == first
    assert first.stat().st_ino == before


def test_five_at_once_make_one_folder(tmp_path: Path) -> None:
    code = "from reeval.launcher.sdk import sdk_folder; print(sdk_folder())"
    environ = {**os.environ, "REEVAL_CACHE": str(tmp_path)}
    started = [
        subprocess.Popen([sys.executable, "-c", code], env=environ, stdout=subprocess.PIPE)
        for _ in range(5)
    ]
    said = {process.communicate()[0] for process in started}
    assert [process.returncode for process in started] == [0] * 5
    assert len(said) == 1
    assert len(list((tmp_path / "sdk").iterdir())) == 1


def test_a_cache_that_cannot_be_written_is_an_error_that_names_the_variable(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="set REEVAL_CACHE"):
        sdk_folder({"REEVAL_CACHE": str(tmp_path / "file")})


def test_where_the_cache_is() -> None:
    assert cache_folder({"REEVAL_CACHE": "/a"}) == Path("/a")
    assert cache_folder({"XDG_CACHE_HOME": "/x", "HOME": "/h"}) == Path("/x/reeval")
    assert cache_folder({"XDG_CACHE_HOME": "relative", "HOME": "/h"}) == Path("/h/.cache/reeval")


def test_the_unpacked_app_has_it_beside_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sdk" / "reeval").mkdir(parents=True)
    monkeypatch.setattr(sdk, "_APP", tmp_path / "app")
    assert sdk_folder({}) == tmp_path / "sdk"


def test_the_parts_exist() -> None:
    top = Path(sdk.__file__).parents[2]
    missing = [part for part in SDK_PARTS if not (top / part).exists()]
    assert missing == []
