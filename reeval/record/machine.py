"""Where a run ran and who started it: the CI or this machine, lockfiles, package versions."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from reeval.config.ci import is_ci
from reeval.record.git import user_name
from reeval.record.names import slug
from reeval.record.schema import CiRunner, HashedFile, PullRequest, RunnerInfo

LOCKFILES = (
    "uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock", "requirements*.txt",
    "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock",
    "bun.lockb", "deno.lock", "Cargo.lock", "go.sum", "Gemfile.lock", "composer.lock", "mix.lock",
    "Package.resolved", "gradle.lockfile", "packages.lock.json", "flake.lock", "pubspec.lock",
)  # fmt: skip
_PACKAGES = ("click", "requests", "tomli", "rich", "pexpect", "cryptography")


def author(root: Path, environ: Mapping[str, str]) -> str:
    """`ci`, else a slug of the name git commits under here, else of the login name."""
    if is_ci(environ):
        return "ci"
    names = (user_name(root, environ), environ.get("USER"), environ.get("LOGNAME"))
    return next((found for name in names if name and (found := slug(name))), "unknown")


def runner_info(environ: Mapping[str, str]) -> RunnerInfo:
    """What the CI says of this run, or a hash of this machine's name."""
    if not is_ci(environ):
        name = platform.node().encode("utf-8", "surrogateescape")
        return {"kind": "local", "hostHash": sha256(name).hexdigest()[:16]}
    if environ.get("GITHUB_ACTIONS"):
        return _github(environ)
    if environ.get("GITLAB_CI"):
        return _gitlab(environ)
    return {"kind": "ci", "provider": "unknown", "runUrl": None, "attempt": None, "pr": None}


def _github(environ: Mapping[str, str]) -> CiRunner:
    server, repository = environ.get("GITHUB_SERVER_URL"), environ.get("GITHUB_REPOSITORY")
    run = environ.get("GITHUB_RUN_ID")
    known = server and repository and run
    pull = re.fullmatch(r"refs/pull/(\d+)/.*", environ.get("GITHUB_REF", ""))
    base = environ.get("GITHUB_BASE_REF") or None
    return {
        "kind": "ci",
        "provider": "github",
        "runUrl": f"{server}/{repository}/actions/runs/{run}" if known else None,
        "attempt": _whole(environ.get("GITHUB_RUN_ATTEMPT")),
        "pr": {"number": int(pull[1]), "baseRef": base} if pull else None,
    }


def _gitlab(environ: Mapping[str, str]) -> CiRunner:
    number = _whole(environ.get("CI_MERGE_REQUEST_IID"))
    base = environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME") or None
    pull: PullRequest | None = None if number is None else {"number": number, "baseRef": base}
    return {
        "kind": "ci",
        "provider": "gitlab",
        "runUrl": environ.get("CI_JOB_URL") or environ.get("CI_PIPELINE_URL") or None,
        "attempt": None,
        "pr": pull,
    }


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None


def lockfiles(root: Path, top: Path | None) -> list[HashedFile]:
    """The lockfiles in the project's folder and its repository's top, by path from the project."""
    folders = {root} if top is None else {root, top}
    found: dict[str, Path] = {}
    for folder in folders:
        for pattern in LOCKFILES:
            for path in folder.glob(pattern):
                found[_relative(path, root)] = path
    return [
        {"path": name, "sha256": digest}
        for name, path in sorted(found.items())
        if (digest := _digest(path)) is not None
    ]


def _relative(path: Path, root: Path) -> str:
    up = ""
    folder = root
    while folder not in path.parents:
        folder, up = folder.parent, f"../{up}"
    return up + path.relative_to(folder).as_posix()


def _digest(path: Path) -> str | None:
    """A file's sha256; None of what isn't a file, or can't be read."""
    try:
        return sha256(path.read_bytes()).hexdigest() if path.is_file() else None
    except OSError:
        return None


def package_versions() -> dict[str, str]:
    """Exact versions of reeval's own run-time packages, where they are known."""
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    found: dict[str, str] = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
