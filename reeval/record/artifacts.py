"""An attempt's files on disk: masked, hashed, and kept or dropped by the run's artifact level."""

from __future__ import annotations

import os
import shutil
from hashlib import sha256
from pathlib import Path

from reeval.masking.masker import Masker
from reeval.record.places import write_all
from reeval.record.schema import ArtifactLevel, AttemptRecord, FileRef, Outcome

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW


def keeps_artifacts(level: ArtifactLevel, outcome: Outcome) -> bool:
    """Whether an attempt that ended so keeps its files."""
    return level == "all" or (level == "failures" and outcome in ("fail", "infra_error"))


class AttemptFolder:
    """One attempt's folder, `<eval slug>/<cell slug>-<n>` in the run's. Made by the first write.

    The slugs are an eval's own words, so they are masked as its record's are.
    """

    __slots__ = ("_inside", "_masker", "_run")

    def __init__(
        self, run_dir: str | Path, eval_slug: str, cell_slug: str, n: int, masker: Masker
    ) -> None:
        self._run = str(run_dir)
        self._inside = masker.text(f"{eval_slug}/{cell_slug}-{n}")
        self._masker = masker

    @property
    def path(self) -> str:
        """The folder's absolute path. It may not exist."""
        return f"{self._run}/{self._inside}"

    def write(self, name: str, data: bytes) -> FileRef:
        """Writes a file, name and contents masked. `name` may have folders: `checks/1.log`.

        Raises OSError when the disk won't take it; nothing of the file is left then.
        """
        return write_run_file(self._run, f"{self._inside}/{name}", data, self._masker)

    def discard(self) -> None:
        """Removes the folder and what was written. Fine when there is nothing."""
        shutil.rmtree(self.path, ignore_errors=True)


def write_run_file(run_dir: str | Path, path: str, data: bytes, masker: Masker) -> FileRef:
    """Writes a run's file at `path` in its folder, masked, and returns its ref. Raises OSError."""
    path, data = masker.text(path), masker.data(data)
    target = f"{run_dir}/{path}"
    try:
        handle = os.open(target, _FLAGS, 0o644)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        handle = os.open(target, _FLAGS, 0o644)
    try:
        write_all(handle, data)
    except OSError:
        os.unlink(target)
        raise
    finally:
        os.close(handle)
    return {"path": path, "sha256": sha256(data).hexdigest(), "bytes": len(data)}


def is_intact(run_dir: Path, ref: FileRef) -> bool:
    """Whether the file is there with the bytes its ref names."""
    digest = sha256()
    try:
        with (run_dir / ref["path"]).open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    except OSError:
        return False
    return digest.hexdigest() == ref["sha256"]


def drop_broken_refs(attempt: AttemptRecord, run_dir: Path) -> list[str]:
    """Removes the refs to files that are missing or were changed; returns those files' paths."""
    broken: list[str] = []

    def gone(ref: FileRef) -> bool:
        if is_intact(run_dir, ref):
            return False
        broken.append(ref["path"])
        return True

    files = attempt["files"]
    for field in ("setupLog", "transcript", "rawTranscript", "diff", "judgeInput"):
        if field in files and gone(files[field]):
            del files[field]
    if "artifacts" in files:
        files["artifacts"] = [ref for ref in files["artifacts"] if not gone(ref)]
    for check in attempt["checks"]:
        if "log" in check and gone(check["log"]):
            del check["log"]
    for answer in attempt.get("answers", ()):
        if "input" in answer and gone(answer["input"]):
            del answer["input"]
    for judgement in attempt["judgements"]:
        if "artifacts" in judgement:
            judgement["artifacts"] = [ref for ref in judgement["artifacts"] if not gone(ref)]
    return broken
