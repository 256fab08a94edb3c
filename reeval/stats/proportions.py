"""Intervals on a rate and on the difference of two, that hold up at few attempts and at 0 and 1.

The score interval: E. B. Wilson, "Probable inference, the law of succession, and statistical
inference", Journal of the American Statistical Association 22 (1927), 209–212. The difference:
R. G. Newcombe, "Interval estimation for the difference between independent proportions: comparison
of eleven methods", Statistics in Medicine 17 (1998), 873–890, method 10.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt


@dataclass(frozen=True, slots=True)
class Interval:
    """From `lo` to `hi`, both included."""

    lo: float
    hi: float

    def spans(self, value: float) -> bool:
        return self.lo <= value <= self.hi


def wilson(passed: int, n: int, level: float = 0.95) -> Interval:
    """The score interval (no continuity correction) on the rate behind `passed` of `n` (n ≥ 1).

    Raises ValueError when the counts can't be or the level isn't between 0 and 1.
    """
    _check(passed, n)
    z = _z(level)
    rate = passed / n
    scale = 1 + z * z / n
    centre = (rate + z * z / (2 * n)) / scale
    half = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / scale
    # At 0 and n the formula's own bound is exactly 0 and 1; rounding would leave it a hair off.
    lo = 0.0 if passed == 0 else max(0.0, centre - half)
    hi = 1.0 if passed == n else min(1.0, centre + half)
    return Interval(lo, hi)


def newcombe_difference(
    passed1: int, n1: int, passed2: int, n2: int, level: float = 0.95
) -> Interval:
    """The hybrid score interval on `passed1/n1 - passed2/n2`, two independent rates.

    Raises ValueError as `wilson` does.
    """
    first, second = wilson(passed1, n1, level), wilson(passed2, n2, level)
    rate1, rate2 = passed1 / n1, passed2 / n2
    points = rate1 - rate2
    down = sqrt((rate1 - first.lo) ** 2 + (second.hi - rate2) ** 2)
    up = sqrt((first.hi - rate1) ** 2 + (rate2 - second.lo) ** 2)
    return Interval(max(-1.0, points - down), min(1.0, points + up))


@lru_cache(maxsize=8)
def _z(level: float) -> float:
    if not 0 < level < 1:
        raise ValueError(f"a confidence level is between 0 and 1, not {level}")
    from statistics import NormalDist  # slow to import, and rarely needed

    return NormalDist().inv_cdf((1 + level) / 2)


def _check(passed: int, n: int) -> None:
    if n < 1 or not 0 <= passed <= n:
        raise ValueError(f"{passed} of {n} is not a proportion")
