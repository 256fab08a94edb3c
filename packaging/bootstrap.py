"""Unpacks reeval.pyz's payload to the cache once, checks the entry at each start, and runs it.

An entry is `<cache>/<hash>-<python>-<platform>/` with `app/` (the program and its packages),
`sdk/` (the standard-library-only folder that runners and editors use), `zipped/` (wheels that are
imported as they are: many files, seldom needed), `manifest` (every file's name and size,
marshalled) and `contents` (every file's SHA-256). This module is importable from `app/` as
`reeval_bootstrap`; what is needed only to unpack is imported in the functions that do.
"""

from __future__ import annotations

import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import NoReturn

TREES = ("app", "sdk", "zipped")
_FOLDER = -1  # a folder's "size" in a manifest


def start(
    archive: str,
    digest: str,
    folder: str | None,
    name: str,
    refuse_if_shared: Callable[[str], None],
) -> None:
    """Run the program from a sound cache entry, which is made first where there is none."""
    entry = os.path.join(folder, name) if folder else ""
    if not (entry and sound(entry)):
        entry = _unpacked(archive, digest, folder, name, refuse_if_shared)
        sys.path_importer_cache.clear()  # which remembers that there was no such folder
    sys.path[:] = _import_path(entry)
    try:
        from reeval.__main__ import start as run

        run()
    except Exception as error:
        repair(error)
        raise


def _import_path(entry: str) -> list[str]:
    """Our packages and the standard library, nothing that this interpreter happens to have.

    The zipped wheels come last: opening them would cost each start more than all else.
    """
    library = os.path.dirname(os.__file__)
    frozen = "python{}{}.zip".format(*sys.version_info[:2])
    standard = [
        path
        for path in sys.path
        if os.path.basename(path) == frozen
        or (
            (path + os.sep).startswith(library + os.sep)
            and os.path.basename(path) not in ("site-packages", "dist-packages")
        )
    ]
    zipped = os.path.join(entry, "zipped")
    wheels = [os.path.join(zipped, name) for name in sorted(os.listdir(zipped))]
    return [os.path.join(entry, "app"), *standard, *wheels]


def sound(entry: str) -> bool:
    """Whether every file is there with its size. Cheap: it runs at each start."""
    try:
        with open(os.path.join(entry, "manifest"), "rb") as file:
            manifest = marshal.loads(file.read())  # noqa: S302 — a file that only we can write
        for folder, expected in manifest.items():
            found = _names_and_sizes(os.path.join(entry, folder))
            if found != expected and not (
                # A Python run with -O, and a runner's, may leave more compiled files there.
                folder.endswith("__pycache__") and expected.items() <= found.items()
            ):
                return False
    except (OSError, ValueError, EOFError, TypeError, AttributeError):
        return False
    return True


def damage(entry: str = "") -> list[str]:
    """The files of an entry, by default the running program's, that don't have their contents."""
    import hashlib

    entry = entry or os.path.dirname(sys.path[0])
    damaged = []
    try:
        with open(os.path.join(entry, "contents"), encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, ValueError):
        return ["contents"]
    for line in lines:
        expected, path = line.split("  ", 1)
        try:
            with open(os.path.join(entry, path), "rb") as file_:
                found = hashlib.file_digest(file_, "sha256").hexdigest()
        except OSError:
            found = ""
        if found != expected:
            damaged.append(path)
    return damaged


def _names_and_sizes(folder: str) -> dict[str, int]:
    with os.scandir(folder) as entries:
        return {
            found.name: _FOLDER
            if found.is_dir(follow_symlinks=False)
            else found.stat(follow_symlinks=False).st_size
            for found in entries
        }


def _failed_in_import(error: BaseException) -> bool:
    """Damaged code shows as an ImportError, or as whatever reading it raised in the importer."""
    if isinstance(error, (ImportError, SyntaxError)):
        return True
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return bool(trace and trace.tb_frame.f_code.co_filename.startswith("<frozen importlib"))


def repair(error: BaseException) -> None:
    """Begin again with a new entry where an import failed since this one is damaged; else return.

    For whoever catches an error that an import may have raised. Doesn't return after a repair.
    """
    entry = os.path.dirname(sys.path[0])
    if not (_failed_in_import(error) and damage(entry)):
        return
    _forget(entry)
    if sys.stdout:
        sys.stdout.flush()
    if "asyncio" in sys.modules:  # without it no run can have begun that must not begin twice
        _stop("reeval's unpacked program was damaged and has been removed; give the command again")
    os.execv(sys.executable, sys.orig_argv)  # noqa: S606 — the same command once more


def _stop(message: str) -> NoReturn:
    _say(f"error: {message}")
    sys.exit(2)


def _say(line: str) -> None:
    """Also where stderr is closed, or can't be written and no exit code may come of that."""
    try:  # noqa: SIM105 — contextlib is loaded only where it is needed
        os.write(2, f"{line}\n".encode("utf-8", "backslashreplace"))
    except OSError:
        pass


# Making an entry: everything below runs only when there is none, or a damaged one.


def _unpacked(
    archive: str,
    digest: str,
    folder: str | None,
    name: str,
    refuse_if_shared: Callable[[str], None],
) -> str:
    problem = "there is no home folder"
    if folder:
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            refuse_if_shared(folder)
            return _made_once(archive, digest, folder, name)
        except OSError as error:
            problem = error.strerror or str(error)
    return _made_for_this_start(archive, digest, name, f"{folder or 'the cache'}: {problem}")


def _made_once(archive: str, digest: str, folder: str, name: str) -> str:
    """The entry in `folder`, made by whichever process comes first; the others wait for it."""
    import shutil
    import tempfile

    entry = os.path.join(folder, name)
    lock = os.open(os.path.join(folder, ".lock"), os.O_CREAT | os.O_RDWR, 0o600)
    try:
        alone = _lock(lock)
        if sound(entry):
            return entry
        if alone:
            for left in os.listdir(folder):  # by starts that were killed
                if left.startswith(".making-"):
                    shutil.rmtree(os.path.join(folder, left), ignore_errors=True)
        making = tempfile.mkdtemp(prefix=".making-", dir=folder)
        try:
            _make(archive, digest, making, entry)
            _put(making, entry)
        finally:
            shutil.rmtree(making, ignore_errors=True)
    finally:
        os.close(lock)
    return entry


def _lock(file: int) -> bool:
    """Wait for the lock, which closing the file gives back; False where there are no locks."""
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError:
        return False
    return True


def _put(made: str, entry: str) -> None:
    if os.path.lexists(entry):
        _forget(entry)
    try:
        os.rename(made, entry)
    except OSError:
        if not sound(entry):  # else another process was first, where there are no locks
            raise


def _forget(entry: str) -> None:
    """Take an entry away at once: others see it whole or not at all."""
    import contextlib
    import shutil
    import tempfile

    aside = tempfile.mkdtemp(prefix=".making-", dir=os.path.dirname(entry))
    with contextlib.suppress(FileNotFoundError):
        os.rename(entry, os.path.join(aside, "old"))
    shutil.rmtree(aside, ignore_errors=True)


def _made_for_this_start(archive: str, digest: str, name: str, why: str) -> str:
    import atexit
    import shutil
    import tempfile

    _say(
        f"reeval: can't write its cache in {why}; it unpacks to a temporary folder for this start "
        "only (set REEVAL_CACHE to a folder you can write)"
    )
    try:
        folder = tempfile.mkdtemp(prefix="reeval-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        entry = os.path.join(folder, name)
        os.mkdir(entry)
        _make(archive, digest, entry, entry)
    except OSError as error:
        _stop(
            f"reeval can't unpack itself to a temporary folder either ({error.strerror or error}); "
            "set REEVAL_CACHE to a folder with 60 MB free"
        )
    return entry


def _make(archive: str, digest: str, making: str, entry: str) -> None:
    """Unpack, compile and list the payload in `making`, which will be `entry`."""
    mask = os.umask(0o022)
    try:
        _extract(_payload(archive, digest), making)
        _compile(making, entry)
        _list(making)
        os.chmod(making, 0o755)  # noqa: S103 — root may make it for others, in an image
    finally:
        os.umask(mask)


def _payload(archive: str, digest: str) -> bytes:
    import hashlib
    import zipfile

    try:
        with zipfile.ZipFile(archive) as outer:
            payload = outer.read("payload.zip")
    except zipfile.BadZipFile:
        payload = b""
    if hashlib.sha256(payload).hexdigest() != digest:
        _stop(f"{archive} is damaged (its payload has the wrong SHA-256); download it again")
    return payload


def _extract(payload: bytes, making: str) -> None:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(payload)) as zipped:
        names = zipped.namelist()
        native = _native_folders()
        fits = any(name.startswith(native[0]) for name in names)
        wheels = ("wheels/any/", *native) if fits else ("wheels/any/",)
        for name in names:
            if name.startswith(("app/", "sdk/")):
                _write(os.path.join(making, name), zipped.read(name))
            elif name.startswith("wheels/zipped/"):
                _write(os.path.join(making, name.removeprefix("wheels/")), zipped.read(name))
            elif name.startswith(wheels):
                _extract_wheel(zipped.read(name), os.path.join(making, "app"))
    if not fits:
        _write(os.path.join(making, "app", "cryptography", "__init__.py"), _no_wheel().encode())


def _extract_wheel(wheel: bytes, app: str) -> None:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(wheel)) as zipped:
        for name in zipped.namelist():
            top, _, rest = name.partition("/")
            # Of what is said about a package, a run's record reads the version.
            wanted = rest == "METADATA" if top.endswith(".dist-info") else not top.endswith(".data")
            if wanted and not name.endswith(("/", ".pyi")):
                _write(os.path.join(app, name), zipped.read(name))


def _native_folders() -> tuple[str, str]:
    """Where the payload keeps the wheels for this very Python, and those for several.

    Where the first is not there, no wheel fits: another implementation, a free-threaded build, a
    newer Python or another platform.
    """
    this = sys.implementation
    platform = getattr(this, "_multiarch", "")  # x86_64-linux-gnu, aarch64-linux-musl
    if sys.platform == "darwin":
        platform = os.uname().machine + "-darwin"
    python = f"{this.name}{sys.version_info[0]}{sys.version_info[1]}{sys.abiflags}"
    return f"wheels/{platform}/{python}/", f"wheels/{platform}/abi3/"


def _no_wheel() -> str:
    here = f"{sys.implementation.cache_tag}{sys.abiflags} on {sys.platform} {os.uname().machine}"
    message = (
        "reeval.pyz carries cryptography for CPython 3.11 to 3.14 on Linux (x86-64, arm64) and "
        f"macOS (arm64), not for {here}; run it with one of those"
    )
    return f"raise ImportError({message!r}, name='cryptography')\n"


def _write(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def _compile(making: str, entry: str) -> None:
    """Python itself would check a compiled file's source at each import, or not write any."""
    import compileall
    import py_compile
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for tree in TREES:
            compileall.compile_dir(
                os.path.join(making, tree),
                quiet=2,
                force=True,
                stripdir=making,
                prependdir=entry,
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
                optimize=0,
            )


def _list(making: str) -> None:
    import hashlib

    manifest = dict(_folders(making))
    lines = []
    for folder, names in sorted(manifest.items()):
        for name in sorted(name for name, size in names.items() if size != _FOLDER):
            with open(os.path.join(making, folder, name), "rb") as file:
                lines.append(
                    f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {folder}/{name}\n"
                )
    _write(os.path.join(making, "contents"), "".join(lines).encode())
    _write(os.path.join(making, "manifest"), marshal.dumps(manifest))


def _folders(making: str) -> Iterator[tuple[str, dict[str, int]]]:
    waiting = list(TREES)
    while waiting:
        folder = waiting.pop()
        names = _names_and_sizes(os.path.join(making, folder))
        waiting += [f"{folder}/{name}" for name, size in names.items() if size == _FOLDER]
        yield folder, names
