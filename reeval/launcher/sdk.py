"""Where the SDK's stdlib-only folder lies: beside the unpacked app, or copied from a checkout."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from reeval.config.errors import UsageError

SDK_PARTS = (
    "reeval/__init__.py",
    "reeval/aio.py",
    "reeval/version.py",
    "reeval/py.typed",
    "reeval/protocol",
    "reeval/authoring",
    "reeval/runner",
    "reeval_python",
)
"""What the SDK's folder holds, files and whole folders, relative to the packages' own parent."""

_APP = Path(__file__).resolve().parents[2]


def sdk_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder that comes first on a runner's path, and that an editor completes from.

    The zipapp unpacks it as `sdk` beside its `app`. A checkout's is copied once, by its contents'
    hash, below `REEVAL_CACHE` or the platform's cache folder; raises `UsageError` when that can't
    be written.
    """
    unpacked = _APP.parent / "sdk"
    if _APP.name == "app" and (unpacked / "reeval").is_dir():
        return unpacked
    return _materialise(_APP, cache_folder(environ) / "sdk")


def cache_folder(environ: Mapping[str, str]) -> Path:
    """`REEVAL_CACHE`, else `reeval` in the platform's cache folder."""
    if chosen := environ.get("REEVAL_CACHE"):
        return Path(chosen).absolute()
    base = environ.get("XDG_CACHE_HOME")
    if base and os.path.isabs(base):
        return Path(base) / "reeval"
    return Path(environ.get("HOME") or Path.home()) / ".cache" / "reeval"


def sdk_files(source: Path) -> Iterator[str]:
    """The files of `SDK_PARTS` below `source`, sorted, with `/` between names."""
    for part in SDK_PARTS:
        path = source / part
        if path.is_file():
            yield part
        for found in sorted(path.rglob("*")) if path.is_dir() else ():
            if found.is_file() and "__pycache__" not in found.parts:
                yield found.relative_to(source).as_posix()


def _materialise(source: Path, into: Path) -> Path:
    contents = {name: (source / name).read_bytes() for name in sdk_files(source)}
    digest = hashlib.sha256()
    for name, data in contents.items():
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    target = into / digest.hexdigest()[:24]
    if target.is_dir():
        return target
    try:
        into.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".making-", dir=into))
        _write_all(made, contents)
        _put(made, target)
    except OSError as error:
        raise UsageError(
            f"the SDK's folder can't be written below {into} ({error.strerror}); "
            "set REEVAL_CACHE to a folder that can"
        ) from None
    return target


def _write_all(folder: Path, contents: Mapping[str, bytes]) -> None:
    for name, data in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _put(made: Path, target: Path) -> None:
    try:
        made.rename(target)
    except OSError:
        shutil.rmtree(made, ignore_errors=True)
        if not target.is_dir():  # else another process was first, with the same contents
            raise
