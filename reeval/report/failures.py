"""What went wrong in a recorded attempt or eval, ready for any report to lay out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from reeval.report.endings import interrupted
from reeval.report.wording import ended_by, error_adds, error_parts, tries_note

if TYPE_CHECKING:
    from reeval.record.schema import (
        AttemptRecord,
        CellRecord,
        CheckRecord,
        EvalEntry,
    )

    Where: TypeAlias = tuple[EvalEntry, AttemptRecord]

_NAMED = 5
"""Attempts that a group names one by one."""

STATUS_WORDS = {"fail": "failed", "error": "couldn't be answered", "pass": "passed"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason why an attempt didn't pass. `note` tells of a command's tries.

    `place` is `evals/a.eval.py:12`, known of what ended the body.
    """

    label: str
    status: str
    message: str
    note: str = ""
    place: str = ""


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
    last, (message, place) = ended_by(attempt), error_parts(attempt)
    found = [
        Finding(
            a["label"],
            STATUS_WORDS[a["status"]],
            a.get("message", ""),
            notes.get(i, ""),
            place if i == last else "",
        )
        for i, a in enumerate(assertions)
        if a["status"] != "pass"
    ]
    error = attempt["error"]
    if error and error_adds(attempt):
        found.append(Finding(error["kind"], "failed", message, place=place))
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


def answerable(entry: EvalEntry) -> list[CellRecord]:
    """The cells whose failed attempts matter: those that failed the eval, else any gated one."""
    gated = [cell for cell in entry["cells"] if cell["gate"] != "none" and cell["fail"]]
    if entry["outcome"] != "fail":
        return gated
    return [cell for cell in gated if cell["outcome"] == "fail"]


def grouped(entry: EvalEntry) -> list[Group]:
    """What failed in the attempts of the `answerable` cells; equal findings of a cell together."""
    cells = {cell["key"] for cell in answerable(entry)}
    if not cells:
        return []
    groups: dict[tuple[str, Finding], Group] = {}
    for attempt in entry["attempts"]:
        if attempt["outcome"] != "fail" or attempt["cell"] not in cells:
            continue
        for finding in findings(attempt):
            key = (attempt["cell"], replace(finding, note=""))
            group = groups.setdefault(key, Group(finding, attempt["cell"]))
            if not group.attempts or group.attempts[-1] is not attempt:
                group.attempts.append(attempt)
    return list(groups.values())


def where(entry: EvalEntry, group: Group, cell: str) -> str:
    """Which attempts a group is about, where the eval has more: ` in #1, #3 of cell`.

    `cell` is the group's, as the report shows it.
    """
    if len(entry["attempts"]) == 1:
        return ""
    ns = [f"#{attempt['n']}" for attempt in group.attempts[:_NAMED]]
    if len(group.attempts) > _NAMED:
        ns.append("…")
    return f" in {', '.join(ns)}" + (f" of {cell}" if len(entry["cells"]) > 1 else "")


def retried(entry: EvalEntry) -> list[Finding]:
    """The checks of an eval's attempts that passed when tried again, equal ones once."""
    seen: dict[Finding, None] = {}
    for attempt in entry["attempts"]:
        if attempt["checks"]:
            seen.update(dict.fromkeys(retried_passes(attempt)))
    return list(seen)


def lift(cell: CellRecord) -> str:
    """`+0.25 (95% -0.10 to +0.60), within noise`, or why its `min_lift` isn't met; "" without."""
    found = cell.get("lift")
    if not found:
        return ""
    low, high = found["interval"]["lo"], found["interval"]["hi"]
    noise = ", within noise" if found["withinNoise"] else ""
    return f"{found['points']:+.2f} (95% {low:+.2f} to {high:+.2f}){too_low(cell) or noise}"


def too_low(cell: CellRecord) -> str:
    """`, below min_lift 0.2: its interval begins below` of a cell that fails by it, else ""."""
    found = cell.get("lift")
    if not found or found["interval"]["lo"] >= (least := found.get("minLift", -1)):
        return ""
    why = "" if found["points"] < least else ": its interval begins below"
    return f", below min_lift {least:g}{why}"


def flaky(cell: CellRecord) -> bool:
    """Whether some of the cell's attempts passed and some failed."""
    return cell["pass"] > 0 and cell["fail"] > 0


def ratio(cell: CellRecord) -> str:
    """Passes over counted attempts: `5/5`, `flaky 3/5`; empty when at most one counted."""
    counted = cell["pass"] + cell["fail"]
    if counted <= 1:
        return ""
    return f"{'flaky ' if flaky(cell) else ''}{cell['pass']}/{counted}"


def not_gated(cell: CellRecord) -> bool:
    """Whether the cell has failures that can't fail its eval."""
    return cell["gate"] == "none" and cell["fail"] > 0


def folder_of(attempt: AttemptRecord | Mapping[str, Any]) -> str | None:
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
    """Infra errors by message, the most frequent first, each with its attempts.

    Attempts that were interrupted aren't among them: they are counted, nothing is wrong there.
    """
    groups: dict[str, list[Where]] = {}
    for entry, attempt in ((e, a) for e in entries for a in e["attempts"]):
        if attempt["outcome"] == "infra_error" and not interrupted(attempt):
            error = attempt["error"]
            message = error["message"] if error else "no reason was recorded"
            groups.setdefault(message, []).append((entry, attempt))
    return sorted(groups.items(), key=lambda item: -len(item[1]))
