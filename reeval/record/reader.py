"""Finds runs and reads them, the head alone or all of it, also where only a journal is yet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias, cast

from reeval.config.errors import UsageError, nearest
from reeval.record.places import EVALS, JOURNAL, RECORD, runs_folder
from reeval.record.schema import AttemptRecord, EvalEntry, RunHead, RunRecord

_CHUNK = 1 << 16
_RECENT_BYTES = 8 << 20
"""How much of older records is read for durations, so that a long history costs no start-up."""


RunState: TypeAlias = Literal["recorded", "running", "killed"]
"""`killed`: it ended without a record, which `reeval recover` writes."""


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

    @property
    def state(self) -> RunState:
        if self.live:
            return "running"
        return "killed" if self.journal else "recorded"


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
    except OSError as error:
        raise UsageError(f"the runs can't be listed ({error.strerror})", file=folder) from error


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
    if not prefix:
        raise UsageError("the name of the run is empty: leave it out for the latest")
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
    if run.journal:
        return _from_journal(run)
    with readable(run.path) as file:
        return cast(RunRecord, _parsed(run.path, file.read()))


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
    with readable(run.path) as file:
        while EVALS not in head and (chunk := file.read(_CHUNK)):
            head += chunk
        own, found, _ = head.partition(b"," + EVALS)
        value = _parsed(run.path, own + b"}" if found else head)
    value.pop("evals", None)
    return cast(RunHead, value)


@dataclass(frozen=True, slots=True)
class Listed:
    """A run's head as `read_head` gives it, or None and a sentence on why it can't be read."""

    run_id: str
    head: RunHead | None
    problem: str = ""
    state: RunState = "recorded"


def read_heads(runs: Iterable[RunPath]) -> Iterator[Listed]:
    """Each run's head, as far as it can be read."""
    for run in runs:
        state = run.state
        try:
            yield Listed(run.run_id, read_head(run), state=state)
        except UsageError as error:
            yield Listed(run.run_id, None, error.message)


def _settled(run: RunPath) -> RunPath:
    return RunPath(run.run_id, run.path.with_name(run.run_id + RECORD), run.folder)


@contextmanager
def readable(path: Path) -> Iterator[BinaryIO]:
    """A record, open to be read and parsed.

    Raises UsageError when it can't be read, and for what in it isn't JSON.
    """
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise UsageError(f"this record can't be read ({error.strerror})", file=path) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"this record is damaged ({error})", file=path) from error


def _parsed(path: Path, data: bytes) -> dict[str, Any]:
    value = json.loads(data)
    if not isinstance(value, dict) or value.get("kind") != "reeval-run":
        raise UsageError("this is no record of a run", file=path)
    if value.get("schemaVersion") != 1:
        version = value.get("schemaVersion")
        raise UsageError(f"this record's schema is {version}; this reeval reads 1", file=path)
    return value


# ── what the next plan asks ──────────────────────────────────────────────────────────────────

_ODD = (UsageError, LookupError, TypeError, AttributeError)
"""What a record that is damaged, or another file of such a name, raises where it is looked into."""


def durations(root: Path) -> dict[tuple[str, str], float]:
    """(eval key, cell key) → mean milliseconds of an attempt, in the latest run that had it.

    Only a few recent records are read, and of those that can't be, none.
    """
    found: dict[tuple[str, str], float] = {}
    for run in _recent(root, found):
        with suppress(OSError, *_ODD):
            for key, ms in _durations_of(run).items():
                found.setdefault(key, ms)
    return found


def _recent(root: Path, found: Sized) -> Iterator[RunPath]:
    """Recorded runs, the newest first, until enough was read and something was `found`."""
    size = 0
    for run in list_runs(root):
        if run.journal:
            continue
        with suppress(OSError):
            size += run.path.stat().st_size
        if found and size > _RECENT_BYTES:
            return
        yield run


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


def passed(root: Path) -> dict[str, str]:
    """Eval key → fingerprint, of the evals that passed in the latest run that they ran in.

    One with attempts left unstarted didn't pass. As many records are read as for `durations`.
    """
    latest: dict[str, str | None] = {}
    for run in _recent(root, latest):
        with suppress(OSError, *_ODD):
            for key, fingerprint in _passes_of(run).items():
                latest.setdefault(key, fingerprint)
    return {key: fingerprint for key, fingerprint in latest.items() if fingerprint is not None}


def _passes_of(run: RunPath) -> dict[str, str | None]:
    """Each eval that ran: its fingerprint if it passed."""
    from reeval.record.stored import stored  # which builds on this module

    return {
        entry["key"]: entry["fingerprint"] if _all_passed(entry) else None
        for entry in stored(run)["evals"]
        if entry["outcome"] != "skipped"
    }


def _all_passed(entry: EvalEntry) -> bool:
    return entry["outcome"] == "pass" and not any(cell["skipped"] for cell in entry["cells"])
