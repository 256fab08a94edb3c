"""What went wrong in a recorded attempt or eval, ready for any report to lay out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from reeval.report.wording import error_adds, tries_note

if TYPE_CHECKING:
    from reeval.record.schema import (
        AttemptRecord,
        CellRecord,
        CheckRecord,
        EvalEntry,
    )

    Where: TypeAlias = tuple[EvalEntry, AttemptRecord]

STATUS_WORDS = {"fail": "failed", "error": "couldn't be answered", "pass": "passed"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason why an attempt didn't pass. `note` tells of a command's tries."""

    label: str
    status: str
    message: str
    note: str = ""


@dataclass(slots=True)
class Group:
    """A finding and the attempts of one cell that have it, by their `n`."""

    finding: Finding
    cell: str
    attempts: list[AttemptRecord] = field(default_factory=list)


def findings(attempt: AttemptRecord) -> list[Finding]:
    """Every failed or unanswered check, then the attempt's own error where it says more."""
    assertions = attempt.get("assertions", [])
    notes = _notes_by_assertion(attempt)
    found = [
        Finding(a["label"], STATUS_WORDS[a["status"]], a.get("message", ""), notes.get(i, ""))
        for i, a in enumerate(assertions)
        if a["status"] != "pass"
    ]
    error = attempt["error"]
    if error and error_adds(attempt):
        found.append(Finding(error["kind"], "failed", error["message"]))
    return found


def retried_passes(attempt: AttemptRecord) -> list[Finding]:
    """Checks that passed, but not at their first try."""
    notes = _notes_by_assertion(attempt)
    assertions = attempt.get("assertions", [])
    named = [
        Finding(assertions[i]["label"], notes[i], "")
        for i in notes
        if assertions[i]["status"] == "pass"
    ]
    if notes:
        return named
    return [
        Finding(f"$ {check['command']}", note, "")
        for check in attempt["checks"]
        if check["exitCode"] == 0 and (note := check_note(check))
    ]


def grouped(entry: EvalEntry, outcome: str) -> list[Group]:
    """The findings of an eval's attempts that ended in `outcome`; equal ones of a cell together."""
    groups: dict[tuple[str, str, str], Group] = {}
    for attempt in entry["attempts"]:
        if attempt["outcome"] != outcome:
            continue
        for finding in findings(attempt):
            key = (attempt["cell"], finding.label, finding.message)
            group = groups.setdefault(key, Group(finding, attempt["cell"]))
            if not group.attempts or group.attempts[-1] is not attempt:
                group.attempts.append(attempt)
    return list(groups.values())


def flaky(cell: CellRecord) -> bool:
    """Whether some of the cell's attempts passed and some failed."""
    return cell["pass"] > 0 and cell["fail"] > 0


def ratio(cell: CellRecord) -> str:
    """Passes over counted attempts, such as `3/5`; empty when at most one counted."""
    counted = cell["pass"] + cell["fail"]
    return f"{cell['pass']}/{counted}" if counted > 1 else ""


def folder_of(attempt: AttemptRecord) -> str | None:
    """The attempt's folder within the run's, by any file kept there."""
    files = attempt["files"]
    named = [files.get("transcript"), files.get("diff"), files.get("setupLog")]
    refs = [*named, *(check.get("log") for check in attempt["checks"])]
    path = next((ref["path"] for ref in refs if ref), None)
    return None if path is None else "/".join(path.split("/")[:2])


def check_note(check: CheckRecord) -> str:
    """`passed on try 2 of 3`, or nothing for a command that ran once."""
    tries = len(check.get("tries", ())) or 1
    return tries_note(check["exitCode"], tries, check.get("retries", 0))


def _notes_by_assertion(attempt: AttemptRecord) -> dict[int, str]:
    """Assertion index → the tries of the command it checked.

    The record doesn't say which command a `toSucceed` looked at. It is certain only when there are
    as many of these as commands, and each pair agrees; otherwise nothing is claimed.
    """
    checks = attempt["checks"]
    if not any("tries" in check for check in checks):
        return {}
    succeeding = [
        (i, a) for i, a in enumerate(attempt.get("assertions", ())) if a["matcher"] == "toSucceed"
    ]
    if len(succeeding) != len(checks):
        return {}
    pairs = list(zip(succeeding, checks, strict=True))
    if any((a["status"] == "pass") != (check["exitCode"] == 0) for (_, a), check in pairs):
        return {}
    notes = ((i, check_note(check)) for (i, _), check in pairs)
    return {i: note for i, note in notes if note}


def eval_order(entries: list[EvalEntry]) -> list[EvalEntry]:
    """What needs a person first: failed, infra errors, flaky ones, then the rest as they stood."""
    rank = {"fail": 0, "infra_error": 1, "pass": 3, "skipped": 4}

    def key(entry: EvalEntry) -> int:
        if entry["outcome"] == "pass" and any(flaky(cell) for cell in entry["cells"]):
            return 2
        return rank[entry["outcome"]]

    return sorted(entries, key=key)


def infra_groups(entries: list[EvalEntry]) -> list[tuple[str, list[Where]]]:
    """Infra errors by message, the most frequent first, each with its attempts."""
    groups: dict[str, list[Where]] = {}
    for entry, attempt in ((e, a) for e in entries for a in e["attempts"]):
        if attempt["outcome"] == "infra_error":
            error = attempt["error"]
            message = error["message"] if error else "no reason was recorded"
            groups.setdefault(message, []).append((entry, attempt))
    return sorted(groups.items(), key=lambda item: -len(item[1]))
