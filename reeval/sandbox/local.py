"""The local sandbox: an attempt's machine as a temporary directory on this one.

It keeps what runs in it apart, but not locked in: the commands run as the user reeval runs as. Its
folder is made by the first call that needs it, so an attempt that touches nothing costs nothing.
"""

from __future__ import annotations

import asyncio
import errno
import itertools
import os
import re
import secrets
import socket
import tempfile
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from weakref import WeakSet

from reeval.config.model import SandboxSpec
from reeval.sandbox import files, processes, strangers
from reeval.sandbox.base import (
    READ_LIMIT,
    WRITE_LIMIT,
    Background,
    Command,
    Completed,
    FileEntry,
    SandboxError,
    TooLarge,
)
from reeval.sandbox.folders import removal
from reeval.sandbox.listing import Listing
from reeval.sandbox.running import OnOutput, RunningCommand
from reeval.sandbox.worker import in_thread

CLOSE_SECONDS = 5.0
"""How long `close` waits for processes to end, and again for the folder to be gone."""

MARKER_FORM = re.compile(r"[A-Za-z0-9._-]{1,150}")
FOLDER_PREFIX = "reeval-"
_INHERITED = ("PATH", "LANG")
_INLINE_STEPS = 600
"""A folder of half as many entries is removed on the event loop; a larger one is for `rm`."""
_INLINE_BYTES = 1 << 20
"""So much is read or written on the event loop, what is more in a thread."""
_INLINE_FETCHES = 32
_INLINE_FETCH_BYTES = _INLINE_BYTES // _INLINE_FETCHES
_ZOMBIES = 64
"""So many ended commands of a sandbox keep their number until it closes."""

_UNGUESSED = secrets.token_hex(8)
"""In every folder's name, so that nobody else on the machine can make it first."""


_with_commands: WeakSet[LocalSandbox] = WeakSet()
"""The sandboxes of this process that are open and ran something."""


@cache
def _resolved(directory: str) -> str:
    return os.path.realpath(directory)


class LocalSandbox:
    """A `Sandbox` in a temporary directory with `workspace`, `home` and `tmp`.

    `spec.dir` is the directory it is made in, else the system's temporary one. `marker` is in
    every process's environment and in the folder's name (letters, digits, `.`, `_`, `-`, at most
    150): it must be this attempt's alone on this machine.
    """

    image_id: str | None = None

    def __init__(self, spec: SandboxSpec, marker: str) -> None:
        if not MARKER_FORM.fullmatch(marker):
            raise ValueError(
                f"a sandbox's marker has only letters, digits, '.', '_', '-': {marker!r}"
            )
        self._marker = marker
        parent = _resolved(os.fspath(spec.dir or tempfile.gettempdir()))
        self._root = f"{parent}/{FOLDER_PREFIX}{marker}-{_UNGUESSED}"
        self.workspace = f"{self._root}/workspace"
        self.home = f"{self._root}/home"
        self._tmp = f"{self._root}/tmp"  # noqa: S108  # in a folder that is ours alone
        self._listing = Listing(self.workspace)
        self._made: set[str] = set()
        self._env: dict[str, str] = {}
        self._commands: list[RunningCommand] = []
        self._started = 0
        self._closed = False

    async def start(self, env: Mapping[str, str]) -> None:
        self._env = {
            **{name: os.environ[name] for name in _INHERITED if name in os.environ},
            "HOME": self.home,
            "TMPDIR": self._tmp,
            **env,
        }
        self._env.setdefault("PATH", os.defpath)

    # ── commands ─────────────────────────────────────────────────────────────────────────────

    async def run(self, command: Command, on_output: OnOutput | None = None) -> Completed:
        number = self._next_number()
        started = time.perf_counter()
        try:
            running = self._launch(command, number, on_output)
        except _NotRunnable as error:
            elapsed = (time.perf_counter() - started) * 1000
            return Completed(error.exit_code, "", f"{error}\n", elapsed)
        timer = None
        if command.timeout is not None:
            timer = asyncio.get_running_loop().call_later(command.timeout, running.expire)
        try:
            await running.ended.wait()
            if running.timed_out:
                await self._end_command(running, number)
        except asyncio.CancelledError:
            running.kill_group()
            await self._end_command(running, number)
            raise
        finally:
            if timer is not None:
                timer.cancel()
        completed = Completed(
            running.exit_code,
            running.stdout.text(),
            running.stderr.text(),
            running.duration_ms,
            running.timed_out,
        )
        running.forget_output()
        return completed

    async def spawn(self, command: Command) -> Background:
        number = self._next_number()
        try:
            running = self._launch(command, number, None)
        except _NotRunnable as error:
            raise SandboxError(f"the background command didn't start: {error}") from None
        return _LocalBackground(number, running, lambda: self._end_command(running, number))

    def _next_number(self) -> str:
        self._started += 1
        return str(self._started)

    def _launch(self, command: Command, number: str, on_output: OnOutput | None) -> RunningCommand:
        if self._closed:
            raise SandboxError("the sandbox is closed")
        strangers.adopt_escaped()
        for folder in (self._root, self.workspace, self.home, self._tmp):
            self._make(folder)
        argv = ("/bin/sh", "-c", command.run) if isinstance(command.run, str) else command.run
        cwd = self.workspace
        if command.cwd is not None:
            place, below = self._place(command.cwd)
            cwd = place.folder_path(below)
        env = {
            **self._env,
            **command.env,
            processes.MARKER: self._marker,
            processes.COMMAND: number,
        }
        try:
            running = RunningCommand(
                argv,
                cwd=cwd,
                env=env,
                stdin=command.stdin,
                limit=command.limit,
                on_output=on_output,
            )
        except (OSError, ValueError) as error:
            raise _not_started(argv, cwd, error) from None
        self._commands.append(running)
        _with_commands.add(self)
        self._reap_old()
        return running

    def _reap_old(self) -> None:
        if len(self._commands) > _ZOMBIES:
            for old in self._commands[:-_ZOMBIES]:
                if old.ended.is_set() and old.reap():
                    old.close_streams()
                    self._commands.remove(old)

    async def _end_command(self, running: RunningCommand, number: str) -> None:
        """Ends a command with all it started, its own sessions' processes too."""
        running.kill_group()
        await processes.end_processes(
            processes.of_command(self._marker, number), seconds=CLOSE_SECONDS
        )
        await _ended(running, time.monotonic() + CLOSE_SECONDS)
        running.close_streams()

    async def free_port(self) -> int:
        return _free_port()

    # ── files ────────────────────────────────────────────────────────────────────────────────

    async def read_file(self, path: str) -> bytes | None:
        folder, inside = self._place(path)
        try:
            return folder.read(inside, _INLINE_BYTES)
        except TooLarge:
            return await in_thread(lambda: folder.read(inside, READ_LIMIT))

    async def write_file(self, path: str, contents: bytes) -> None:
        if len(contents) > WRITE_LIMIT:
            raise TooLarge(
                f"{path!r} would have {len(contents) / (1 << 20):.1f} MiB and write_file writes up "
                f"to {WRITE_LIMIT >> 20} MiB: make the file with c.exec"
            )
        folder, inside = self._place(path)
        self._make(self._root)
        self._make(os.fsdecode(folder.root))
        if len(contents) <= _INLINE_BYTES:
            folder.write(inside, contents)
        else:
            await in_thread(lambda: folder.write(inside, contents))

    async def list_files(self) -> list[FileEntry]:
        if self.workspace not in self._made:
            return []
        return await self._listing.take()

    async def fetch(self, paths: Iterable[bytes]) -> dict[bytes, bytes]:
        wanted = list(paths)
        folder = files.Folder(self.workspace)
        found: dict[bytes, bytes] = {}
        if len(wanted) <= _INLINE_FETCHES:
            found = folder.fetch(wanted, _INLINE_FETCH_BYTES)
            wanted = [path for path in wanted if path not in found]
        if wanted:
            found |= await in_thread(lambda: folder.fetch(wanted))
        return found

    async def digest(self, paths: Iterable[bytes]) -> dict[bytes, str]:
        wanted = list(paths)
        return await in_thread(lambda: files.Folder(self.workspace).digest(wanted))

    def _place(self, path: str) -> tuple[files.Folder, str]:
        """The folder a path is in, and the path below it."""
        if path.startswith("~/"):
            return files.Folder(self.home), path[2:].lstrip("/")
        return files.Folder(self.workspace), path

    def _make(self, folder: str) -> None:
        if folder in self._made:
            return
        if self._closed:
            raise SandboxError("the sandbox is closed")
        try:
            if folder == self._root:
                os.makedirs(os.path.dirname(folder), exist_ok=True)
            os.mkdir(folder, 0o700)
        except OSError as error:
            raise files.failed(f"making {folder}", error) from error
        self._made.add(folder)

    # ── the end ──────────────────────────────────────────────────────────────────────────────

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        _with_commands.discard(self)
        if self._commands:
            await self._end_all()
        if self._made:
            await _remove(self._root)

    async def _end_all(self) -> None:
        deadline = time.monotonic() + CLOSE_SECONDS
        for command in self._commands:
            command.kill_group()
        for command in self._commands:
            await _ended(command, deadline)
        wanted = processes.of_sandbox(self._marker, self._root)
        await processes.end_processes(wanted, deadline - time.monotonic())
        for command in self._commands:
            command.close_streams()
        # What escaped without a trace may be any open sandbox's.
        alone = not _with_commands
        await in_thread(lambda: strangers.end_strangers(deadline, living=alone))
        while [command for command in self._commands if not command.reap()]:
            if time.monotonic() >= deadline:
                return
            await asyncio.sleep(0.005)


class _LocalBackground:
    def __init__(self, number: str, running: RunningCommand, end: Callable[[], Awaitable[None]]):
        self.id = number
        self._running = running
        self._end = end
        self._killed = False

    @property
    def exit_code(self) -> int | None:
        ended = self._running.ended.is_set() and not self._killed
        return self._running.exit_code if ended else None

    def output(self) -> tuple[str, str]:
        return self._running.stdout.text(), self._running.stderr.text()

    async def kill(self) -> None:
        self._killed = self._killed or not self._running.ended.is_set()
        await self._end()


class _NotRunnable(Exception):
    """A command that can't be started, with the exit code a shell gives for that."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def _not_started(argv: tuple[str, ...], cwd: str, error: OSError | ValueError) -> Exception:
    """What to raise for it: the command's own fault, or the machine's."""
    if isinstance(error, ValueError):
        return _NotRunnable(f"the command can't be run: {error}", 126)
    if error.errno in (errno.ENOENT, errno.ENOTDIR) and not os.path.isdir(cwd):
        return _NotRunnable(
            f"there is no folder {os.path.basename(cwd)!r} to run the command in", 127
        )
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return _NotRunnable(f"{argv[0]}: command not found", 127)
    if error.errno in (errno.EACCES, errno.ENOEXEC, errno.E2BIG):
        return _NotRunnable(f"{argv[0]}: {files.why(error)}", 126)
    return files.failed("starting a command", error)


async def _ended(command: RunningCommand, deadline: float) -> None:
    if not command.ended.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(command.ended.wait(), deadline - time.monotonic())


_given_ports: deque[int] = deque(maxlen=1000)


def _free_port() -> int:
    """A port of the loopback that nothing has, and that wasn't just given to a neighbour."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        if port not in _given_ports:
            _given_ports.append(port)
            return port


_REMOVE = 'rm -rf "$1" 2>/dev/null || { chmod -R u+rwx "$1"; rm -rf "$1"; }'


def _removed_here(root: str) -> bool:
    done = sum(1 for _ in itertools.islice(removal(root), _INLINE_STEPS))
    return done < _INLINE_STEPS and not os.path.lexists(root)


async def _remove(root: str) -> None:
    """Removes a small folder here and now, a large or stubborn one by `rm`."""
    if _removed_here(root):
        return
    with suppress(OSError):
        argv = ("/bin/sh", "-c", _REMOVE, "sh", root)
        remover = RunningCommand(argv, cwd="/", env={"PATH": os.defpath}, stdin=b"", limit=0)
        await _ended(remover, time.monotonic() + CLOSE_SECONDS)
        remover.close_streams()
        remover.reap()
