"""Intervals agree with published examples, with another package, and with themselves."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from reeval.stats.proportions import newcombe_difference, wilson

counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


# Newcombe 1998, table II, method 10, to four places.
@pytest.mark.parametrize(
    ("p1", "n1", "p2", "n2", "lo", "hi"),
    [
        (56, 70, 48, 80, 0.0524, 0.3339),
        (9, 10, 3, 10, 0.1705, 0.8090),
        (6, 7, 2, 7, 0.0582, 0.8062),
        (5, 56, 0, 29, -0.0381, 0.1926),
        (0, 10, 0, 20, -0.1611, 0.2775),
        (0, 10, 0, 10, -0.2775, 0.2775),
        (10, 10, 0, 20, 0.6791, 1.0000),
        (10, 10, 0, 10, 0.6075, 1.0000),
    ],
)
def test_the_difference_is_the_published_one(p1, n1, p2, n2, lo, hi):
    interval = newcombe_difference(p1, n1, p2, n2)
    assert (round(interval.lo, 4), round(interval.hi, 4)) == (lo, hi)


# Newcombe 1998 (two-sided intervals for the single proportion), table I, method 3.
@pytest.mark.parametrize(
    ("passed", "n", "lo", "hi"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_score_interval_is_the_published_one(passed, n, lo, hi):
    interval = wilson(passed, n)
    assert (round(interval.lo, 4), round(interval.hi, 4)) == (lo, hi)


@given(counts, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_the_score_interval_agrees_with_statsmodels(count, level):
    passed, n = count
    interval = wilson(passed, n, level)
    theirs = proportion_confint(passed, n, alpha=1 - level, method="wilson")
    assert (interval.lo, interval.hi) == pytest.approx(theirs, abs=1e-9)


@given(counts, counts)
def test_the_difference_agrees_with_statsmodels(one, two):
    interval = newcombe_difference(*one, *two)
    theirs = confint_proportions_2indep(*one, *two, method="newcomb", compare="diff")
    assert (interval.lo, interval.hi) == pytest.approx(theirs, abs=1e-9)


@given(counts, counts)
def test_swapping_the_sides_mirrors_the_interval(one, two):
    there, back = newcombe_difference(*one, *two), newcombe_difference(*two, *one)
    assert (there.lo, there.hi) == pytest.approx((-back.hi, -back.lo), abs=1e-12)


@given(counts)
def test_the_observed_rate_lies_inside(count):
    passed, n = count
    interval = wilson(passed, n)
    assert 0 <= interval.lo <= passed / n <= interval.hi <= 1


def test_the_interval_covers_the_true_rate_as_often_as_it_says():
    # Exact coverage at n = 20, averaged over rates: the score interval's known mean is near 0.95.
    n = 20
    rates = [i / 100 for i in range(5, 96, 5)]
    inside = [
        sum(
            math.comb(n, k) * p**k * (1 - p) ** (n - k)
            for k in range(n + 1)
            if wilson(k, n).spans(p)
        )
        for p in rates
    ]
    assert sum(inside) / len(inside) == pytest.approx(0.95, abs=0.015)
    assert min(inside) > 0.90


@pytest.mark.parametrize(("passed", "n"), [(1, 0), (0, 0), (-1, 5), (6, 5)])
def test_counts_that_cannot_be_are_refused(passed, n):
    with pytest.raises(ValueError, match=f"{passed} of {n} is not a proportion"):
        wilson(passed, n)


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_outside_0_to_1_is_refused(level):
    with pytest.raises(ValueError, match="between 0 and 1"):
        wilson(1, 2, level)
