"""Durations read the way the reference output has them."""

import pytest

from reeval.report.duration import clock, time_of_day, took


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (None, "–"),
        (0, "0ms"),
        (103, "103ms"),
        (999.4, "999ms"),
        (999.6, "1s"),
        (8_000, "8s"),
        (59_499, "59s"),
        (59_500, "1m"),
        (72_000, "1m 12s"),
        (3_599_600, "1h"),
        (7_500_000, "2h 5m"),
        (-5, "0ms"),
    ],
)
def test_a_duration_is_rounded_to_what_a_person_reads(ms: float | None, text: str) -> None:
    assert took(ms) == text


@pytest.mark.parametrize(
    ("ms", "text"), [(0, "0:00"), (14_900, "0:14"), (725_000, "12:05"), (3_723_000, "1:02:03")]
)
def test_a_clock_counts_whole_seconds(ms: float, text: str) -> None:
    assert clock(ms) == text


def test_the_time_of_day_is_the_machines_own() -> None:
    assert time_of_day(1_796_060_447.9) == "17:40:47"
