"""One measured figure beside what it is compared with, and how a table of them is printed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """`value` with its unit; `aim` is what the project wants, or what it is to be read beside."""

    what: str
    value: str
    aim: str = ""


def median_ms(call: Callable[[], object], times: int) -> float:
    """The median wall time of a call, in milliseconds."""
    return statistics.median(wall_ms(call) for _ in range(times))


def wall_ms(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


def show(figure: Figure) -> None:
    print(f"  {figure.what:<72} {figure.value:>10}   {figure.aim}", flush=True)
