"""The commit a run executed at, and what was changed since, read with the `git` binary."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO, cast
from urllib.parse import urlsplit, urlunsplit

from reeval.record.schema import GitInfo

PATCH_LIMIT = 5 * 1024 * 1024
"""Bytes of the changes' patch that are kept; a longer one is only hashed."""

_TIMEOUT_S = 10.0
_CHUNK = 1 << 16

# Variables that say which repository to use would make git answer for another one in a git hook.
_POINTERS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX")

# The eval files of this folder are run anyway, so who owns it is no new question; a monitor that
# the repository configures would only be started for nothing.
_SETTINGS = ("-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.quotePath=true")


@dataclass(frozen=True, slots=True)
class Worktree:
    """A repository at the start of a run. `patch` is None when it is clean, too large or too slow.

    `info` has no worktree patch yet; `why_no_patch` says why a dirty one has none.
    """

    top: Path
    info: GitInfo
    patch: bytes | None = field(default=None, repr=False)
    why_no_patch: str | None = None


def read_worktree(
    root: Path, history: str, environ: Mapping[str, str], timeout: float = _TIMEOUT_S
) -> Worktree | None:
    """None without git, outside a repository, or before its first commit.

    `.reeval` and the `history` folder (from `root`) don't count as changes. All of it takes at
    most `timeout` seconds; what git couldn't say by then is said to be unknown.
    """
    git = _Git(root, environ, time.monotonic() + timeout)
    try:
        return _read(git, root, history)
    except (_GitFailed, OSError):
        return None


def user_name(root: Path, environ: Mapping[str, str]) -> str | None:
    """The name git commits under here, if there is one."""
    git = _Git(root, environ, time.monotonic() + _TIMEOUT_S)
    try:
        return git.text("config", "--get", "user.name") or None
    except (_GitFailed, OSError):
        return None


def without_credentials(url: str) -> str:
    """A remote's address without user, password, query and fragment; `git@host:path` as it is."""
    if "://" not in url:
        return url
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    user = parts.netloc.partition("@")[0].partition(":")[0]
    if parts.scheme == "ssh" and "@" in parts.netloc:
        host = f"{user}@{host}"
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


# ── reading ──────────────────────────────────────────────────────────────────────────────────


def _read(git: _Git, root: Path, history: str) -> Worktree:
    facts = git.text("rev-parse", "--show-toplevel", "--is-shallow-repository").split("\n")
    top, shallow = Path(facts[0]), facts[1] == "true"
    sha, commit_time = git.text("log", "-1", "--no-show-signature", "--format=%H%n%cI").split("\n")
    info: GitInfo = {
        "sha": sha,
        "branch": git.answer("symbolic-ref", "--short", "--quiet", "HEAD"),
        "dirty": False,
        "diffHash": None,
        "worktreePatch": None,
        "worktreePatchNote": None,
        "commitTime": commit_time,
        "shallow": shallow,
        "remote": None,
    }
    remote = git.answer("config", "--get", "remote.origin.url")
    info["remote"] = without_credentials(remote) if remote else None
    git.root = top
    return _with_changes(git, Worktree(top, info), _what_counts(top, root, history))


def _what_counts(top: Path, root: Path, history: str) -> list[str]:
    """Pathspecs of everything but `.reeval` and the history, from the repository's top."""
    inside = os.path.relpath(os.path.realpath(root), os.path.realpath(top))
    ours = [os.path.normpath(os.path.join(inside, name)) for name in (".reeval", history)]
    return [".", *(f":(exclude,top,literal){path}" for path in ours if not path.startswith(".."))]


_STATUS = ("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
# By name: `git add` refuses `.` where what is excluded below it is ignored, too.
_ADD = ("--literal-pathspecs", "add", "--intent-to-add",
        "--pathspec-from-file=-", "--pathspec-file-nul")  # fmt: skip


def _untracked(listed: bytes) -> bytes:
    """Files that are new, each ended by NUL. A folder among them is a repository of its own."""
    entries = listed.split(b"\0")
    new = [e[3:] for e in entries if e.startswith(b"?? ") and not e.endswith(b"/")]
    return b"".join(path + b"\0" for path in new)


def _with_changes(git: _Git, clean: Worktree, paths: list[str]) -> Worktree:
    info = clean.info
    try:
        listed = git.output(*_STATUS, "--", *paths)
        info["dirty"] = bool(listed)
        if not listed:
            return clean
        with git.scratch_index() as index:
            if untracked := _untracked(listed):
                git.output(*_ADD, env=index, given=untracked)
            digest, patch = git.patch(paths, index)
    except _TooSlow:
        # Unknown is not clean: a run that can't prove its commit says so.
        info["dirty"] = True
        return Worktree(clean.top, info, None, "git took too long to list the changes")
    except (_GitFailed, OSError) as error:
        return Worktree(clean.top, info, None, f"git could not make the patch: {error}")
    info["diffHash"] = digest
    if patch is None:
        limit = PATCH_LIMIT // (1024 * 1024)
        return Worktree(clean.top, info, None, f"the changes are larger than {limit} MiB")
    return Worktree(clean.top, info, patch)


# ── calling git ──────────────────────────────────────────────────────────────────────────────


class _GitFailed(Exception):
    """git said no."""


class _TooSlow(_GitFailed):
    """git was not done in time."""


class _Git:
    """git in one folder, with one deadline for all calls.

    Each call has a session of its own, so that a terminal's Ctrl-C doesn't reach it.
    """

    def __init__(self, root: Path, environ: Mapping[str, str], deadline: float) -> None:
        self.root = root
        self._deadline = deadline
        self._environ = {name: v for name, v in environ.items() if name not in _POINTERS}
        self._environ |= {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}

    def text(self, *arguments: str) -> str:
        return self.output(*arguments).decode("utf-8", "replace").strip()

    def answer(self, *arguments: str) -> str | None:
        """What git answers, or None when it has no answer."""
        try:
            return self.text(*arguments) or None
        except _TooSlow:
            raise
        except _GitFailed:
            return None

    def output(
        self, *arguments: str, env: Mapping[str, str] | None = None, given: bytes = b""
    ) -> bytes:
        try:
            done = subprocess.run(
                ("git", *_SETTINGS, *arguments),
                cwd=self.root,
                env={**self._environ, **(env or {})},
                input=given,
                start_new_session=True,
                capture_output=True,
                check=False,
                timeout=max(0.1, self._deadline - time.monotonic()),
            )
        except subprocess.TimeoutExpired as error:
            raise _TooSlow from error
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").split("\n")
            told = (line.strip() for line in said if not line.startswith("hint:"))
            raise _GitFailed(" ".join(filter(None, told)))
        return done.stdout

    @contextmanager
    def scratch_index(self) -> Iterator[dict[str, str]]:
        """A copy of the index, so that nothing we stage is seen by the person's own git."""
        index = self.root / self.text("rev-parse", "--git-path", "index")
        with tempfile.TemporaryDirectory(prefix="reeval-git-") as folder:
            copy = Path(folder, "index")
            if index.exists():
                shutil.copyfile(index, copy)
            yield {"GIT_INDEX_FILE": str(copy)}

    def patch(self, paths: list[str], env: Mapping[str, str]) -> tuple[str, bytes | None]:
        """The changes since HEAD as a binary patch: its sha256, and itself if not too large."""
        shape = ("--binary", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames")
        prefixes = ("--src-prefix=a/", "--dst-prefix=b/", "--full-index", "--submodule=short")
        process = subprocess.Popen(
            ("git", *_SETTINGS, "diff", *shape, *prefixes, "HEAD", "--", *paths),
            cwd=self.root,
            env={**self._environ, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        with process:
            try:
                digest, kept = self._read_patch(process)
            except _TooSlow:
                process.kill()
                raise
        if process.returncode != 0:
            raise _GitFailed(f"git diff ended with {process.returncode}")
        return digest, kept

    def _read_patch(self, process: subprocess.Popen[bytes]) -> tuple[str, bytes | None]:
        digest, kept, size = sha256(), [], 0
        timer = _kill_at(process, self._deadline)
        stdout = cast(IO[bytes], process.stdout)
        try:
            while chunk := stdout.read(_CHUNK):
                digest.update(chunk)
                size += len(chunk)
                if size <= PATCH_LIMIT:
                    kept.append(chunk)
        finally:
            timer.cancel()
        if time.monotonic() >= self._deadline:
            raise _TooSlow
        return digest.hexdigest(), b"".join(kept) if size <= PATCH_LIMIT else None


def _kill_at(process: subprocess.Popen[bytes], deadline: float) -> threading.Timer:
    timer = threading.Timer(max(0.1, deadline - time.monotonic()), process.kill)
    timer.daemon = True
    timer.start()
    return timer
