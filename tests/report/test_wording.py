"""Tries, verdicts and errors read the same wherever they stand."""

from typing import Any

import pytest

from reeval.report.wording import counts, error_adds, judged, tries_note


@pytest.mark.parametrize(
    ("exit_code", "tries", "retries", "note"),
    [
        (0, 2, 2, "passed on try 2 of 3"),
        (3, 3, 2, "failed all 3 tries"),
        (3, 1, 2, "failed 1 of 3 tries"),  # stopped before its other tries
        (0, 1, 2, ""),
        (3, 1, 0, ""),
    ],
)
def test_a_retried_command_says_how_it_ended(
    exit_code: int, tries: int, retries: int, note: str
) -> None:
    assert tries_note(exit_code, tries, retries) == note


def test_a_verdict_without_a_score_shows_none() -> None:
    assert judged("pass", 1.0, 0.8, "Small?\nmore") == "pass 1.00 (≥ 0.8)  Small?…"
    assert judged("error", None, 0.8, "Small?") == "error  Small?"


@pytest.mark.parametrize(
    ("message", "adds"),
    [("says hello: expected x", False), ("the eval's process ended: exit 3", True), (None, False)],
)
def test_an_error_that_repeats_its_check_adds_nothing(
    attempt: Any, assertion: Any, message: str | None, adds: bool
) -> None:
    error = message and {"kind": "assertion", "message": message}
    failed = [assertion("says hello", "fail", "expected x")]
    assert error_adds(attempt("fail", error=error or None, assertions=failed)) is adds


def test_only_what_there_is_is_counted() -> None:
    assert counts({"pass": 1200, "infra_error": 2}) == "1,200 pass · 2 infra error"
    assert counts({}) == ""
