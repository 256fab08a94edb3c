"""Finds runs and reads them, the head alone or all of it, also where only a journal is yet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from reeval.config.errors import UsageError, nearest
from reeval.record.places import EVALS, JOURNAL, RECORD, runs_folder
from reeval.record.schema import AttemptRecord, RunHead, RunRecord

_CHUNK = 1 << 16
_RECENT_BYTES = 8 << 20
"""How much of older records is read for durations, so that a long history costs no start-up."""


@dataclass(frozen=True, slots=True)
class RunPath:
    """Where a run is: its record, or its journal while there is none. `folder` has its files."""

    run_id: str
    path: Path
    folder: Path

    @property
    def journal(self) -> bool:
        return self.path.suffix == JOURNAL

    @property
    def live(self) -> bool:
        """Whether it still runs."""
        from reeval.record.journal import is_live  # a record needs none of it

        try:
            return self.journal and is_live(self.path)
        except FileNotFoundError:
            return False


def list_runs(root: Path, history: str | None = None) -> list[RunPath]:
    """Every run, the newest first: of `.reeval/runs`, and those only the history folder has."""
    found: dict[str, RunPath] = {}
    folders = [runs_folder(root), *([root / history] if history else [])]
    for suffix in (RECORD, JOURNAL):
        for folder in folders:
            for path in _files(folder, suffix):
                run_id = path.name.removesuffix(suffix)
                found.setdefault(run_id, RunPath(run_id, path, folder / run_id))
    return sorted(found.values(), key=lambda run: run.run_id, reverse=True)


def _files(folder: Path, suffix: str) -> Iterator[Path]:
    try:
        for path in folder.iterdir():
            if path.name.endswith(suffix) and not path.name.startswith("."):
                yield path
    except (FileNotFoundError, NotADirectoryError):
        return


def find_run(root: Path, prefix: str | None = None, history: str | None = None) -> RunPath:
    """The run whose name begins with `prefix`; the latest without one.

    Raises UsageError when there is none, or more than one.
    """
    runs = list_runs(root, history)
    if not runs:
        raise UsageError(
            "there are no runs yet: start one with `reeval run`", file=runs_folder(root)
        )
    if prefix is None:
        return runs[0]
    matches = [run for run in runs if run.run_id.startswith(prefix)]
    exact = [run for run in matches if run.run_id == prefix]
    if len(exact or matches) == 1:
        return (exact or matches)[0]
    if matches:
        some = ", ".join(run.run_id for run in matches[:3])
        more = f" and {len(matches) - 3} more" if len(matches) > 3 else ""
        raise UsageError(f"{prefix} is the beginning of {len(matches)} runs: {some}{more}")
    close = nearest(prefix, [run.run_id for run in runs]) or _latest_with(runs, prefix)
    raise UsageError(f"no run begins with {prefix}: did you mean {close}? `reeval runs` lists all")


def _latest_with(runs: list[RunPath], text: str) -> str:
    """The latest run with `text` in its name, such as its commit; else the latest."""
    return next((run.run_id for run in runs if text in run.run_id), runs[0].run_id)


# ── reading ──────────────────────────────────────────────────────────────────────────────────


def load(run: RunPath) -> RunRecord:
    """All of a run's record. Of a run that still runs: what has ended so far.

    Raises UsageError when it can't be read.
    """
    if not run.journal:
        return cast(RunRecord, _parsed(run.path, _bytes(run.path)))
    return _from_journal(run)


def _from_journal(run: RunPath) -> RunRecord:
    from reeval.record.fold import peek  # reading a record needs no tallies
    from reeval.record.index import NoRun

    try:
        return cast(RunRecord, json.loads(peek(run.path, live=run.live)))
    except FileNotFoundError:
        # Its engine wrote the record between the listing and now.
        return load(_settled(run))
    except (NoRun, OSError) as error:
        raise UsageError(f"this run's journal can't be read ({error})", file=run.path) from error


def read_head(run: RunPath) -> RunHead:
    """A run's record without its evals; of a record only its first bytes are read.

    Raises UsageError when it can't be read.
    """
    if run.journal:
        record = cast(dict[str, Any], load(run))
        return cast(RunHead, {key: value for key, value in record.items() if key != "evals"})
    head = b""
    try:
        with run.path.open("rb") as file:
            while EVALS not in head and (chunk := file.read(_CHUNK)):
                head += chunk
    except OSError as error:
        raise UsageError(f"this record can't be read ({error.strerror})", file=run.path) from error
    own, found, _ = head.partition(b"," + EVALS)
    value = _parsed(run.path, own + b"}" if found else head)
    value.pop("evals", None)
    return cast(RunHead, value)


def _settled(run: RunPath) -> RunPath:
    return RunPath(run.run_id, run.path.with_name(run.run_id + RECORD), run.folder)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"this record can't be read ({error.strerror})", file=path) from error


def _json(path: Path, data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        raise UsageError(f"this record is damaged ({error})", file=path) from error


def _parsed(path: Path, data: bytes) -> dict[str, Any]:
    value = _json(path, data)
    if not isinstance(value, dict) or value.get("kind") != "reeval-run":
        raise UsageError("this is no record of a run", file=path)
    if value.get("schemaVersion") != 1:
        version = value.get("schemaVersion")
        raise UsageError(f"this record's schema is {version}; this reeval reads 1", file=path)
    return value


# ── what the next plan asks ──────────────────────────────────────────────────────────────────


def durations(root: Path) -> dict[tuple[str, str], float]:
    """(eval key, cell key) → mean milliseconds of an attempt, in the latest run that had it.

    Only a few recent records are read, and of those that can't be, none.
    """
    found: dict[tuple[str, str], float] = {}
    size = 0
    for run in list_runs(root):
        if run.journal:
            continue
        size += run.path.stat().st_size
        if found and size > _RECENT_BYTES:
            break
        try:
            for key, ms in _durations_of(run).items():
                found.setdefault(key, ms)
        except (UsageError, LookupError, TypeError):
            continue
    return found


def _durations_of(run: RunPath) -> dict[tuple[str, str], float]:
    from reeval.record.stored import stored  # which builds on this module

    sums: dict[tuple[str, str], tuple[float, int]] = {}
    for entry in stored(run)["evals"]:
        for attempt in entry["attempts"]:
            if _ran(attempt):
                key = entry["key"], attempt["cell"]
                total, count = sums.get(key, (0.0, 0))
                sums[key] = total + attempt["durationMs"], count + 1
    return {key: total / count for key, (total, count) in sums.items()}


def _ran(attempt: AttemptRecord) -> bool:
    return attempt["outcome"] in ("pass", "fail")


def fingerprints(root: Path) -> dict[str, str]:
    """Eval key → fingerprint in the latest run with a record; empty without one."""
    from reeval.record.stored import stored  # which builds on this module

    for run in list_runs(root):
        if not run.journal:
            return {entry["key"]: entry["fingerprint"] for entry in stored(run)["evals"]}
    return {}
