"""The live table as lines: a pure function of the progress, the time and the terminal's size."""

from __future__ import annotations

from reeval.report.duration import clock, took
from reeval.report.progress import Flight, Progress
from reeval.report.text import cut, one_line, pad, plural, width_of
from reeval.report.wording import counts

_MARGIN = 2
"""Lines left free below the table, so that drawing it never scrolls the terminal."""
_LABEL_SHARE = 0.4
_STOPPING = {"interrupt": "interrupted", "budget": "budget used up", "bail": "stopping (--bail)"}


def frame(progress: Progress, now: float, width: int, height: int) -> list[str]:
    """A headline and a line for each attempt in flight, oldest first; never more than fit.

    `now` is seconds since the epoch. The headline comes first.
    """
    room = max(1, height - _MARGIN)
    flights = sorted(progress.flying.values(), key=lambda flight: flight.began)
    headline = _headline(progress, now, width)
    if len(flights) > room - 1:
        hidden = len(flights) - max(0, room - 2)
        flights = flights[: max(0, room - 2)]
        more = [f"  … and {hidden:,} more running"]
    else:
        more = []
    lines = [headline, *_table(flights, now, width), *more]
    return [cut(line, width) for line in lines[:room]]


def _headline(progress: Progress, now: float, width: int) -> str:
    done = counts(progress.done)
    ended = f"{progress.ended:,}/{progress.total:,}"
    parts = [f"{ended} attempts", clock((now - progress.began) * 1000)]
    if progress.stopping:
        parts.append(_STOPPING[progress.stopping])
    elif progress.ended < progress.total:
        parts.append(f"{_left(progress.left_ms(now))} left")
    if done:
        parts.insert(1, done)
    full = " · ".join(parts)
    if width_of(full) <= width:
        return full
    return " · ".join([ended, *parts[1:]])


def _left(ms: float | None) -> str:
    """A guess doesn't pretend to know more than it does: 5 s steps, whole minutes from 10 on."""
    if ms is None:
        return "?"
    seconds = max(5, round(ms / 5000) * 5)
    if seconds >= 600:
        seconds = round(seconds / 60) * 60
    return f"about {took(seconds * 1000)}"


def _table(flights: list[Flight], now: float, width: int) -> list[str]:
    if not flights:
        return []
    labels = [one_line(flight.label) for flight in flights]
    longest = max(width_of(label) for label in labels)
    column = max(8, min(longest, int(width * _LABEL_SHARE)))
    return [
        "  " + pad(cut(label, column), column + 2) + _doing(flight, now)
        for label, flight in zip(labels, flights, strict=True)
    ]


def _doing(flight: Flight, now: float) -> str:
    phase = f"turn {flight.turn}" if flight.phase == "turn" else flight.phase
    tools = f"  {plural(flight.tools, 'tool call')}" if flight.turn else ""
    edits = f", {plural(flight.edits, 'file edit')}" if flight.edits else ""
    return f"{pad(phase, 10)}{clock((now - flight.began) * 1000):>6}{tools}{edits}"
