"""A journal read once: the run's header, its tallies, and where each attempt's bytes are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from reeval.harness.events import iso
from reeval.record.entries import Damage, End, Entry, PlannedLine, Started, StopReason, read
from reeval.record.schema import (
    AttemptError,
    AttemptRecord,
    Outcome,
    RunHead,
    RunHeader,
    RunStatus,
    RunSummary,
)
from reeval.record.tally import CellTally, EvalTally, Span, StackTally

_REASONS: dict[StopReason | None, str] = {
    "interrupt": "never started: the run was interrupted",
    "budget": "never started: the budget for the run was used up",
    "bail": "never started: the run stopped after a failure",
    None: "never started: the run ended first",
}


class NoRun(Exception):
    """A journal whose first line, which says what the run is, can't be read."""


@dataclass(slots=True)
class JournalIndex:
    """Everything of a run but the attempts themselves."""

    header: RunHeader
    evals: dict[str, EvalTally]
    last_write: datetime
    stack: StackTally = field(default_factory=StackTally)
    errors: list[str] = field(default_factory=list)
    running: dict[str, Started] = field(default_factory=dict)
    end: End | None = None
    damage: list[Damage] = field(default_factory=list)
    unstarted: int = 0
    """Attempts that a budget, `--bail` or the run's end left; skipped evals' aren't among them."""

    @classmethod
    def of(cls, journal: Path) -> JournalIndex:
        """Raises `NoRun`, and OSError when the file can't be read."""
        entries = read(journal)
        first = next(entries, None)
        if not isinstance(first, Entry) or first.kind != "run":
            raise NoRun(f"{journal}: its first line doesn't say which run it is")
        written = datetime.fromtimestamp(journal.stat().st_mtime, UTC)
        index = cls(first.value, {}, written)
        for entry in entries:
            index._take(entry)
        return index

    def _take(self, entry: Entry | Damage) -> None:
        if isinstance(entry, Damage):
            self.damage.append(entry)
        elif entry.kind == "ended":
            self._add(entry.value, (entry.start, entry.length))
        elif entry.kind == "started":
            self.running[entry.value["key"]] = entry.value
        elif entry.kind == "eval":
            tally = _eval_tally(entry.value, (entry.start, entry.length))
            self.evals[tally.key] = tally
        elif entry.kind == "error":
            self.errors.append(entry.value)
        elif entry.kind == "end":
            self.end = entry.value

    def _add(self, attempt: AttemptRecord, span: Span) -> None:
        key = attempt["key"]
        planned = self.evals.get(key[: -len(f" # {attempt['id']}")])
        if planned is not None and planned.add(attempt, span):
            self.stack.add(planned.cells[attempt["cell"]].harness, attempt)
            self.running.pop(key, None)

    # ── attempts without a record ────────────────────────────────────────────────────────────

    def settle(self, *, live: bool = False) -> None:
        """Counts the attempts that have no record, each as `made_up` says; to be called once.

        Of a live run only those of skipped evals: of the others nobody knows yet.
        """
        for planned in self.evals.values():
            if live and planned.skip is None:
                continue
            for cell in planned.cells.values():
                missing = cell.runs - len(cell.attempts)
                lost = sum(
                    key_of(planned, cell, n) in self.running
                    for n in (range(1, cell.runs + 1) if self.running and missing else ())
                    if n not in cell.attempts
                )
                cell.counts.infra += lost
                cell.counts.skipped += missing - lost
                if planned.skip is None:
                    self.unstarted += missing - lost

    def made_up(self, planned: EvalTally, cell: CellTally, n: int) -> AttemptRecord:
        """The record of an attempt that left none: it never started, or the run died under it."""
        started = self.running.get(key_of(planned, cell, n))
        error: AttemptError | None = None
        outcome: Outcome = "skipped"
        if started is not None:
            outcome = "infra_error"
            error = {"kind": "aborted", "message": "the run ended before this attempt did"}
        elif planned.skip is None:
            stopped = self.end.get("stopped") if self.end is not None else "interrupt"
            error = {"kind": "aborted", "message": _REASONS[stopped]}
        return {
            "key": key_of(planned, cell, n),
            "id": f"{cell.key}#{n}",
            "cell": cell.key,
            "n": n,
            "seq": started["seq"] if started else None,
            "startedAt": started["startedAt"] if started else None,
            "imageId": None,
            "env": {"vars": [], "secrets": [], "brokered": []},
            "context": [],
            "egress": None,
            "servedModels": None,
            "effort": cell.effort,
            "servedEffort": None,
            "outcome": outcome,
            "error": error,
            "durationMs": 0,
            "turns": [],
            "usage": None,
            "timings": {"setupMs": 0, "agentMs": 0, "diffMs": 0, "checksMs": 0, "judgeMs": 0},
            "activity": {
                "tools": 0,
                "fileEdits": 0,
                "webSearches": None,
                "webFetches": None,
                "reasoningMs": 0,
                "stalledTools": 0,
                "maxToolMs": None,
            },
            "judgements": [],
            "checks": [],
            "changedFiles": [],
            "files": {},
        }

    # ── the run as a whole ───────────────────────────────────────────────────────────────────

    @property
    def status(self) -> RunStatus:
        return self.end["status"] if self.end is not None else "interrupted"

    def gated_failure(self) -> bool:
        return any(
            cell.gate != "none" and planned.outcome_of(cell) == "fail"
            for planned in self.evals.values()
            for cell in planned.cells.values()
        )

    def summary(self) -> RunSummary:
        cells = list(self._cells())
        passed, failed, infra, skipped = (
            sum(cell.counts.passed for cell in cells),
            sum(cell.counts.failed for cell in cells),
            sum(cell.counts.infra for cell in cells),
            sum(cell.counts.skipped for cell in cells),
        )
        return {
            "evals": len(self.evals),
            "attempts": passed + failed + infra + skipped,
            "pass": passed,
            "fail": failed,
            "notGated": sum(cell.counts.failed for cell in cells if cell.gate == "none"),
            "infraError": infra,
            "skipped": skipped,
        }

    def head(self) -> RunHead:
        """The record without its evals, the stack filled in with what the attempts reported."""
        header, stack = self.header, self.header["stack"]
        for harness in stack["harnesses"]:
            harness["resolvedModels"] = sorted(self.stack.models.get(harness["id"], ()))
            harness["resolvedEffort"] = self.stack.efforts(harness["id"])
        stack["judge"]["resolvedModels"] = sorted(self.stack.judges)
        stack["context"] = [
            {"path": path, "sha256": digest} for path, digest in sorted(self.stack.context)
        ]
        ended, duration = self._ended()
        head: RunHead = {
            "kind": header["kind"],
            "schemaVersion": header["schemaVersion"],
            "runId": header["runId"],
            "status": self.status,
            "startedAt": header["startedAt"],
            "endedAt": ended,
            "durationMs": duration,
            "author": header["author"],
            "summary": self.summary(),
            "git": header["git"],
            "runner": header["runner"],
            "dependencies": header["dependencies"],
            "stack": stack,
            "environments": header["environments"],
            "profile": header["profile"],
            "plan": header["plan"],
            "budget": header["budget"],
            "config": header["config"],
            "cost": self.stack.cost(),
            "artifacts": header["artifacts"],
            "redaction": header["redaction"],
        }
        if self.errors:
            head["errors"] = self.errors
        return head

    def _ended(self) -> tuple[str, float]:
        """When the run ended and how long it took (ms); a dead one ended with its last write."""
        if self.end is not None:
            return self.end["endedAt"], self.end["durationMs"]
        started = datetime.fromisoformat(self.header["startedAt"])
        took = max(0.0, (self.last_write - started).total_seconds() * 1000)
        return iso(self.last_write.timestamp()), round(took)

    def _cells(self) -> Iterator[CellTally]:
        for planned in self.evals.values():
            yield from planned.cells.values()


def key_of(planned: EvalTally, cell: CellTally, n: int) -> str:
    return f"{planned.key} # {cell.key}#{n}"


def _eval_tally(planned: PlannedLine, span: Span) -> EvalTally:
    entry = planned["entry"]
    cells = {cell["key"]: CellTally.of(cell, order) for order, cell in enumerate(entry["cells"])}
    return EvalTally(entry["key"], span, planned.get("skip"), planned.get("minLift"), cells)
