"""The sandbox's interface: one attempt's machine. Every provider passes the same conformance tests.

Paths inside are workspace-relative or begin with `~/` (the sandbox's home); an absolute path, or
one that leaves the workspace or the home (a symlink counts), raises `PathError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol


class SandboxError(Exception):
    """The sandbox could not do what was asked: an infra error, never a failed check.

    `cause` is set when the machine ran out of something.
    """

    def __init__(self, message: str, *, cause: Literal["oom", "enospc"] | None = None) -> None:
        super().__init__(message)
        self.cause = cause


class PathError(ValueError):
    """A path that is absolute, leads out of the workspace or the home, or can't be one."""


READ_LIMIT = 16 * 1024 * 1024
"""Bytes of the largest file that `read_file` and `fetch` read."""
WRITE_LIMIT = 64 * 1024 * 1024
"""Bytes of the most that `write_file` writes."""


class TooLarge(ValueError):
    """A file over `READ_LIMIT`, or contents over `WRITE_LIMIT`."""


@dataclass(frozen=True, slots=True)
class Command:
    """A shell command (`str`, run by `sh -c`) or an argv, in the workspace or `cwd` below it.

    `env` is laid over the sandbox's own variables. `timeout` in seconds; `limit` is how many
    bytes of each stream are kept (head and tail; what was left out is counted and said).
    """

    run: str | tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None
    timeout: float | None = None
    stdin: bytes = b""
    limit: int = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Completed:
    """How a command ended. Killed by signal N: `exit_code` is 128 + N.

    `timed_out` says that its own limit ended it.
    """

    exit_code: int
    stdout: str
    stderr: str
    duration_ms: float
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One path of the workspace as a listing shows it. `path` is raw bytes, relative, no `./`.

    `link` is a symlink's target. Two listings with an equal entry mean an unchanged file. A folder
    is `unlisted` where what is in it can't be listed: it can't be read, or lies too deep.
    """

    path: bytes
    kind: Literal["file", "link", "other", "unlisted"]
    mode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    link: bytes | None = None


class Background(Protocol):
    """A command left running."""

    @property
    def id(self) -> str: ...

    @property
    def exit_code(self) -> int | None:
        """How it ended by itself; None while it runs, and when it was killed."""
        ...

    def output(self) -> tuple[str, str]:
        """What it wrote so far: stdout, stderr."""
        ...

    async def kill(self) -> None:
        """Ends it and its process group. Killing one that is gone is fine."""
        ...


class Sandbox(Protocol):
    """One attempt's machine. Calls may overlap; after `close` none is allowed.

    Cancelling a call ends what it started: a cancelled `run` kills the command's process group.
    """

    @property
    def home(self) -> str:
        """The home directory's absolute path inside."""
        ...

    @property
    def workspace(self) -> str:
        """The workspace's absolute path inside."""
        ...

    @property
    def image_id(self) -> str | None: ...

    async def start(self, env: Mapping[str, str]) -> None:
        """Makes the machine ready; `env` are the variables every process in it gets."""
        ...

    async def run(
        self, command: Command, on_output: Callable[[str, bytes], None] | None = None
    ) -> Completed:
        """Runs a command to its end. It gets an empty stdin unless the command has one.

        Returns when the command itself ends, even when a child it left keeps its streams open.
        `on_output(stream, chunk)` sees the output as it comes.
        """
        ...

    async def spawn(self, command: Command) -> Background: ...

    async def free_port(self) -> int:
        """A TCP port nothing listens on inside."""
        ...

    async def read_file(self, path: str) -> bytes | None:
        """A file's contents, or None when there is none.

        Raises `TooLarge` over `READ_LIMIT` bytes, before it reads them.
        """
        ...

    async def write_file(self, path: str, contents: bytes) -> None:
        """Writes a file, creating its directories. Raises `TooLarge` over `WRITE_LIMIT` bytes."""
        ...

    async def list_files(self) -> list[FileEntry]:
        """Every file and symlink of the workspace, `.git` left out at any depth, sorted by path.

        A folder that can't be listed is there itself, as `unlisted`.
        """
        ...

    async def fetch(self, paths: Iterable[bytes]) -> dict[bytes, bytes]:
        """Contents by path, as listed. Symlinks aren't followed.

        Left out is what is gone, and what has over `READ_LIMIT` bytes, which `digest` is for.
        """
        ...

    async def digest(self, paths: Iterable[bytes]) -> dict[bytes, str]:
        """The sha256 (hex) of files too large to fetch; a path that is gone is left out."""
        ...

    async def close(self) -> None:
        """Ends every process and removes the machine. Never raises; safe to call twice."""
        ...
