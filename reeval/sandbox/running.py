"""One command of a local sandbox, from its start to its end."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from reeval.sandbox.output import CappedOutput

OnOutput = Callable[[str, bytes], None]

_CHUNK = 1 << 16
_UNKNOWN = 255
"""The exit code of a process whose own got lost; asyncio's too."""


class RunningCommand:
    """A started process in a session of its own, read as it writes.

    When it has ended it stays a zombie until `reap`. That keeps its number, and so its process
    group's, from becoming a stranger's: `kill_group` can't hit anyone else.
    """

    def __init__(
        self,
        argv: tuple[str, ...],
        *,
        cwd: str,
        env: Mapping[str, str],
        stdin: bytes,
        limit: int,
        on_output: OnOutput | None = None,
    ) -> None:
        """Starts it. Raises OSError or ValueError as `subprocess.Popen` does."""
        self._loop = asyncio.get_running_loop()
        self._reaped = False
        self._started = time.perf_counter()
        self.ended = asyncio.Event()
        self.exit_code = 0
        self.timed_out = False
        self.duration_ms = 0.0
        self._process, ours = _start(argv, cwd, env, with_stdin=bool(stdin))
        self.stdout = _Reader(self._loop, ours[0], "stdout", limit, on_output)
        self.stderr = _Reader(self._loop, ours[1], "stderr", limit, on_output)
        self._stdin = _Writer(self._loop, ours[2], stdin) if stdin else None
        self._watch()

    def kill_group(self) -> None:
        """Kills it and every process of its group at once."""
        if not self._reaped:
            # macOS says EPERM for a group of zombies.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def expire(self) -> None:
        """Its time is up: kills it, unless it just ended."""
        if not self.ended.is_set():
            self.timed_out = True
            self.kill_group()

    def forget_output(self) -> None:
        """Reads on without keeping anything, so that a child it left isn't killed by its output."""
        self.stdout.forget()
        self.stderr.forget()

    def close_streams(self) -> None:
        self.stdout.close()
        self.stderr.close()

    def reap(self) -> bool:
        """Takes it, and those of its group that became our children, from the process table.

        Answers False while some of those still live.
        """
        if self._reaped:
            return True
        try:
            while os.waitpid(-self._process.pid, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            self._reaped = True
            self._process.poll()
        return self._reaped

    def _watch(self) -> None:
        if hasattr(os, "pidfd_open"):
            self._pidfd = os.pidfd_open(self._process.pid)
            self._loop.add_reader(self._pidfd, self._pidfd_ready)
        else:
            threading.Thread(target=self._wait, daemon=True).start()

    def _pidfd_ready(self) -> None:
        self._loop.remove_reader(self._pidfd)
        try:
            how = os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED | os.WNOWAIT)
        except ChildProcessError:
            how = None  # someone else reaped it, or SIGCHLD is ignored
        os.close(self._pidfd)
        if how is None:
            self._finish(_UNKNOWN)
        else:
            exited = how.si_code == os.CLD_EXITED
            self._finish(how.si_status if exited else 128 + how.si_status)

    def _wait(self) -> None:
        # Where there is no pidfd the process is reaped as it ends.
        code = self._process.wait()
        self._reaped = True
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._finish, code if code >= 0 else 128 - code)

    def _finish(self, exit_code: int) -> None:
        self.exit_code = exit_code
        self.duration_ms = (time.perf_counter() - self._started) * 1000
        self.stdout.drain()
        self.stderr.drain()
        if self._stdin is not None:
            self._stdin.close()
        self.ended.set()


def _start(
    argv: tuple[str, ...], cwd: str, env: Mapping[str, str], *, with_stdin: bool
) -> tuple[subprocess.Popen[bytes], tuple[int, int, int]]:
    """The process and our ends of its stdout, stderr and stdin (-1 without one)."""
    opened: list[int] = []
    try:
        opened += os.pipe()
        opened += os.pipe()
        if with_stdin:
            opened += reversed(os.pipe())
        process = subprocess.Popen(
            argv,
            stdin=opened[5] if with_stdin else subprocess.DEVNULL,
            stdout=opened[1],
            stderr=opened[3],
            cwd=cwd,
            env=env,
            start_new_session=True,
        )
    except BaseException:
        for descriptor in opened:
            os.close(descriptor)
        raise
    for descriptor in opened[1::2]:
        os.close(descriptor)
    for descriptor in opened[::2]:
        os.set_blocking(descriptor, False)
    return process, (opened[0], opened[2], opened[4] if with_stdin else -1)


class _Reader:
    """Our end of a command's stdout or stderr."""

    __slots__ = ("_fd", "_loop", "_name", "_on_output", "_open", "kept")

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        fd: int,
        name: str,
        limit: int,
        on_output: OnOutput | None,
    ) -> None:
        self._loop = loop
        self._fd = fd
        self._name = name
        self._on_output = on_output
        self._open = True
        self.kept: CappedOutput | None = CappedOutput(limit)
        loop.add_reader(fd, self._read)

    def text(self) -> str:
        return self.kept.text() if self.kept is not None else ""

    @property
    def total(self) -> int:
        """Bytes that came, kept or not."""
        return self.kept.total if self.kept is not None else 0

    def kept_bytes(self) -> bytes:
        return self.kept.all_bytes() if self.kept is not None else b""

    def drain(self) -> None:
        """Takes all that was written so far, and no more than that: a child may go on writing."""
        if not self._open:
            return
        (waiting,) = struct.unpack("i", fcntl.ioctl(self._fd, termios.FIONREAD, b"\0" * 4))
        while waiting > 0 and (count := self._read()):
            waiting -= count
        self._read()

    def forget(self) -> None:
        self.kept = self._on_output = None

    def close(self) -> None:
        if self._open:
            self._open = False
            self._loop.remove_reader(self._fd)
            os.close(self._fd)

    def _read(self) -> int:
        if not self._open:
            return 0
        try:
            chunk = os.read(self._fd, _CHUNK)
        except BlockingIOError:
            return 0
        if not chunk:
            self.close()
            return 0
        if self.kept is not None:
            self.kept.add(chunk)
        if self._on_output is not None:
            self._on_output(self._name, chunk)
        return len(chunk)


class _Writer:
    """Our end of a command's stdin: writes all of it, then closes it."""

    __slots__ = ("_fd", "_loop", "_open", "_rest")

    def __init__(self, loop: asyncio.AbstractEventLoop, fd: int, contents: bytes) -> None:
        self._loop = loop
        self._fd = fd
        self._rest = memoryview(contents)
        self._open = True
        loop.add_writer(fd, self._write)
        self._write()

    def close(self) -> None:
        if self._open:
            self._open = False
            self._loop.remove_writer(self._fd)
            os.close(self._fd)

    def _write(self) -> None:
        try:
            self._rest = self._rest[os.write(self._fd, self._rest) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._rest = self._rest[:0]
        if not self._rest:
            self.close()
