"""A journal becomes the run's record: streamed attempt by attempt, written whole or not at all.

The layout: all but the evals on the first line, then `"evals":[`, then for each eval a line up to
its `"attempts":[` and a line for each attempt. So a listing reads only the head, and `stored` reads
attempt by attempt.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, cast

from reeval.record.artifacts import drop_broken_refs
from reeval.record.entries import PlannedLine, encode_json
from reeval.record.index import JournalIndex
from reeval.record.outcome import exit_code
from reeval.record.places import EVALS, record_path, sync_folder, whole_file
from reeval.record.schema import AttemptRecord, CellRecord, PlannedCell, RunStatus, RunSummary
from reeval.record.tally import CellTally, EvalTally, Span


@dataclass(frozen=True, slots=True)
class Folded:
    """A run's written record. `notes` are sentences on what was damaged or missing."""

    run_id: str
    record: Path
    status: RunStatus
    exit_code: int
    summary: RunSummary
    notes: tuple[str, ...] = ()


def fold(journal: Path, *, check_files: bool = False) -> Folded:
    """Writes an ended or dead run's record beside its journal, then removes the journal.

    `check_files` compares every kept file with its sha256 and removes the refs to broken ones.
    Hold the journal's lock meanwhile. Raises OSError when the record can't be written (the journal
    stays), and `NoRun` when the journal doesn't say which run it is.
    """
    index = JournalIndex.of(journal)
    index.settle()
    run_id, runs = journal.stem, journal.parent
    record, notes = (
        record_path(runs, run_id),
        [_damage_note(d.start, d.length) for d in index.damage],
    )
    with journal.open("rb") as source, whole_file(record) as out:
        body = _Body(index, source, runs / run_id if check_files else None, notes)
        for piece in body.pieces():
            out.write(piece)
    # The record is synced. The attempts' own files are not, which would take longer than the run:
    # a power cut may cost some, and their sha256 in the record tells which.
    journal.unlink()
    sync_folder(runs)
    return Folded(run_id, record, index.status, _exit_code(index), index.summary(), tuple(notes))


def peek(journal: Path, *, live: bool) -> bytes:
    """The record's JSON of a run that has none yet. Of a live one what has ended by now."""
    index = JournalIndex.of(journal)
    if live:
        index.last_write = datetime.now(UTC)
    index.settle(live=live)
    with journal.open("rb") as source:
        return b"".join(_Body(index, source, None, [], made_up=not live).pieces())


def _exit_code(index: JournalIndex) -> int:
    return exit_code(
        index.status,
        gated_failure=index.gated_failure(),
        errors=bool(index.errors),
        infra_errors=index.summary()["infraError"],
        unstarted=index.unstarted,
    )


def _damage_note(start: int, length: int) -> str:
    return f"{length} damaged bytes at {start} of the journal were left out"


class _Body:
    """The record's JSON in pieces, each at most an attempt long."""

    def __init__(
        self,
        index: JournalIndex,
        source: BinaryIO,
        files: Path | None,
        notes: list[str],
        *,
        made_up: bool = True,
    ) -> None:
        self._index = index
        self._source = source
        self._files = files
        self._notes = notes
        self._made_up = made_up

    def pieces(self) -> Iterator[bytes]:
        yield encode_json(self._index.head())[:-1] + b"," + EVALS
        comma = b"\n"
        for planned in self._index.evals.values():
            yield comma + self._opening(planned)
            yield from self._attempts(planned)
            yield b"]}"
            comma = b",\n"
        yield b"]}\n"

    def _opening(self, planned: EvalTally) -> bytes:
        """An eval up to its attempts' `[`."""
        value = cast(PlannedLine, json.loads(self._read(planned.span))["eval"])
        entry = dict(value["entry"])
        cells = entry.pop("cells")
        entry["outcome"] = planned.outcome()
        entry["passRate"] = planned.rate()
        entry["cells"] = [
            _cell_record(cell, planned, planned.cells[cell["key"]])
            for cell in cast(list[PlannedCell], cells)
        ]
        return encode_json(entry)[:-1] + b',"attempts":['

    def _attempts(self, planned: EvalTally) -> Iterator[bytes]:
        comma = b"\n"
        for cell in planned.cells.values():
            for n in range(1, cell.runs + 1):
                span = cell.attempts.get(n)
                if span is not None:
                    yield comma + self._attempt(span)
                elif self._made_up or planned.skip is not None:
                    yield comma + encode_json(self._index.made_up(planned, cell, n))
                else:
                    continue
                comma = b",\n"

    def _attempt(self, span: Span) -> bytes:
        data = self._read(span)
        if self._files is None:
            return data
        attempt = cast(AttemptRecord, json.loads(data))
        broken = drop_broken_refs(attempt, self._files)
        if not broken:
            return data
        self._notes += [f"{path} is missing or was changed: its ref was removed" for path in broken]
        return encode_json(attempt)

    def _read(self, span: Span) -> bytes:
        start, length = span
        self._source.seek(start)
        return self._source.read(length)


def _cell_record(cell: PlannedCell, planned: EvalTally, tally: CellTally) -> CellRecord:
    counts = tally.counts
    record = cast(
        CellRecord,
        {
            **cell,
            "pass": counts.passed,
            "fail": counts.failed,
            "infraError": counts.infra,
            "skipped": counts.skipped,
            "passRate": counts.rate,
            "outcome": planned.outcome_of(tally),
        },
    )
    lift = planned.lift_of(tally)
    if lift is not None:
        record["lift"] = lift
    if planned.labels:
        record["checks"] = planned.checks_of(tally)
    return record
