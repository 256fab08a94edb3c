"""The words for outcomes, tries and verdicts, the same live, in results and on every page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reeval.plan.names import SEPARATOR
from reeval.report.terminal import Style
from reeval.report.text import one_line

OUTCOME_WORDS: Mapping[str, str] = {
    "pass": "pass", "fail": "fail", "infra_error": "infra error", "interrupted": "interrupted",
    "skipped": "skipped",
}  # fmt: skip
OUTCOME_STYLES: Mapping[str, Style] = {
    "pass": "green", "fail": "red", "infra_error": "yellow", "skipped": "dim",
}  # fmt: skip


def ending(record: Mapping[str, Any]) -> str:
    """How an attempt ended: its outcome, but `interrupted` where it was stopped while it ran.

    The record calls that an infra error, too; to a person nothing is wrong there.
    """
    error = record["error"]
    stopped = record["outcome"] == "infra_error" and error and error["kind"] == "aborted"
    return "interrupted" if stopped else record["outcome"]


def outcome_word(record: Mapping[str, Any]) -> str:
    """`pass`, `infra error` or `interrupted`, of an attempt."""
    return OUTCOME_WORDS[ending(record)]


def counts(done: Mapping[str, int]) -> str:
    """`10 pass · 1 fail · 1 infra error`; only what there is."""
    parts = [f"{done[key]:,} {word}" for key, word in OUTCOME_WORDS.items() if done.get(key)]
    return " · ".join(parts)


def judged(verdict: str, score: float | None, threshold: float, question: str) -> str:
    """`pass 1.00 (≥ 0.8)  Is it small?`"""
    given = "" if score is None else f" {score:.2f} (≥ {threshold:g})"
    return f"{verdict}{given}  {one_line(question)}"


def tries_note(exit_code: int, tries: int, retries: int) -> str:
    """`passed on try 2 of 3`, `failed all 3 tries`, or nothing for a command that ran once."""
    if retries <= 0 or (exit_code == 0 and tries <= 1):
        return ""
    if exit_code == 0:
        return f"passed on try {tries} of {retries + 1}"
    if tries <= retries:
        return f"failed {tries} of {retries + 1} tries"
    return f"failed all {tries} tries"


def ended_by(record: Mapping[str, Any]) -> int | None:
    """The index of the check that the attempt's error, `label: message`, comes from, if one is."""
    error = record["error"]
    if error is None:
        return None
    checks = list(enumerate(record.get("assertions", ())))
    # A hard check ends the body, so of two with the same label it is the last, before soft ones.
    ordered = sorted(checks, key=lambda item: (item[1]["soft"], -item[0]))
    for index, check in ordered:
        if check["status"] != "pass" and error["message"].startswith(f"{check['label']}:"):
            return index
    return None


def error_adds(record: Mapping[str, Any]) -> bool:
    """Whether the attempt's error says more than the check it may come from."""
    return record["error"] is not None and ended_by(record) is None


def error_parts(record: Mapping[str, Any]) -> tuple[str, str]:
    """The error's message and the place in the eval file that it ends with: `evals/a.eval.py:12`.

    The place is "" where the message names none, both are without an error.
    """
    message = record["error"]["message"] if record["error"] else ""
    file = record["key"].partition(SEPARATOR)[0]
    front, opening, line = message.rpartition(f" ({file}:")
    if opening and line.endswith(")") and line[:-1].isdecimal():
        return front, f"{file}:{line[:-1]}"
    return message, ""
