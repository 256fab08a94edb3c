"""The words for outcomes, tries and verdicts, the same live, in results and on every page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reeval.report.terminal import Style
from reeval.report.text import one_line

OUTCOME_WORDS: Mapping[str, str] = {
    "pass": "pass", "fail": "fail", "infra_error": "infra error", "skipped": "skipped",
}  # fmt: skip
OUTCOME_STYLES: Mapping[str, Style] = {
    "pass": "green", "fail": "red", "infra_error": "yellow", "skipped": "dim",
}  # fmt: skip


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


def error_adds(record: Mapping[str, Any]) -> bool:
    """Whether the attempt's error says more than the check it may come from, `label: message`."""
    error = record["error"]
    if error is None:
        return False
    failed = (a for a in record.get("assertions", ()) if a["status"] != "pass")
    return not any(error["message"].startswith(f"{a['label']}:") for a in failed)
