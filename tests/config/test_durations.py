"""Durations as text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reeval.config.durations import format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("15m", 900), ("1h", 3600), ("250ms", 0.25), ("1.5 s", 1.5), ("0.1m", 6)],
)
def test_a_number_with_its_unit(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "90", "s", "1d", "-1s", "0s", "1h30m", "1e3s", "٣s", "1 s s"])
def test_anything_else_is_not_a_duration(text: str) -> None:
    assert parse_duration(text) is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(90, "90s"), (900, "15m"), (7200, "2h"), (0.25, "250ms"), (1.5, "1.5s"), (86400, "24h")],
)
def test_the_text_of_seconds(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


@settings(deadline=None)
@given(st.integers(1, 10**9))
def test_what_is_written_reads_back(milliseconds: int) -> None:
    seconds = milliseconds / 1000
    assert parse_duration(format_duration(seconds)) == pytest.approx(seconds, rel=1e-9)
