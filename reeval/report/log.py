"""One attempt's log as lines: what is kept of it while it runs, and how each event reads.

Lines come without the `[label]` in front, which whoever prints them adds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from reeval.engine import events as e
from reeval.report.duration import clock, took
from reeval.report.text import excerpt, excerpt_lines, one_line, plural, split
from reeval.report.wording import error_adds, error_parts, judged, outcome_word, tries_note

LoggedEvent: TypeAlias = (
    e.SandboxReady | e.TurnStarted | e.TurnEnded | e.CheckEnded | e.Asserted | e.Judged | e.Output
)
KEPT_EVENTS = 1_000
"""Events of one attempt that are kept for its log: its first and its last ones."""
KEPT_TEXT = 32 * 1024
"""Characters kept of a command's output and of one printed line."""
SHORT, FULL = 100, 400
"""Lines shown of a command's output and, in one piece with its log, of what the body printed."""
_MESSAGE_LINES = 40
_COMMAND_WIDTH = 60
_INDENT = " " * 7
_TURN_WORDS = {"completed": "done"}


class AttemptLog:
    """What happened in an attempt, in bounded memory, and its lines."""

    __slots__ = ("_head", "_lines", "_ordinals", "_tail", "_turn_began", "left_out", "printed")

    def __init__(self, lines: int = SHORT) -> None:
        self._lines = lines
        self._head: list[LoggedEvent] = []
        self._tail: deque[LoggedEvent] = deque(maxlen=KEPT_EVENTS // 2)
        self._turn_began: dict[int, float] = {}
        self._ordinals: dict[int, int] = {}
        self.left_out = 0
        self.printed = False
        """Whether the body printed anything."""

    def keep(self, event: LoggedEvent) -> None:
        """Keeps the event for later."""
        if isinstance(event, e.CheckEnded) and len(event.output) > KEPT_TEXT:
            event = replace(event, output=excerpt(event.output, KEPT_TEXT))
        elif isinstance(event, e.Output):
            self.printed = True
            if len(event.text) > KEPT_TEXT:
                event = replace(event, text=excerpt(event.text, KEPT_TEXT))
        if len(self._head) < KEPT_EVENTS // 2:
            self._head.append(event)
            return
        self.left_out += len(self._tail) == self._tail.maxlen
        self._tail.append(event)

    def kept_lines(self, *, printed_only: bool = False) -> Iterator[str]:
        """The lines of everything kept, or only of what the body printed."""
        kept = [*self._head, *self._tail]
        prints = [event for event in kept if isinstance(event, e.Output)]
        cut = prints[self._lines // 2 : -self._lines // 2]
        unprinted = set(map(id, cut))
        for place, event in enumerate(kept):
            if self.left_out and place == len(self._head):
                yield f"{_INDENT}… {plural(self.left_out, 'event')} left out …"
            if id(event) in unprinted:
                if event is cut[0]:
                    yield f"  │ … {plural(len(cut), 'line')} left out (output.log has them) …"
            elif not printed_only or isinstance(event, e.Output):
                yield from self.lines_of(event)

    def lines_of(self, event: LoggedEvent) -> list[str]:
        """The lines of one event, asked for in the order in which they happened."""
        return _LINES[type(event)](self, event)

    def _sandbox(self, event: e.SandboxReady) -> list[str]:
        return [_at(event.at_ms, f"sandbox ready {took(event.took_ms)}")]

    def _turn_started(self, event: e.TurnStarted) -> list[str]:
        self._turn_began[event.index] = event.at_ms
        self._ordinals.setdefault(event.index, len(self._ordinals) + 1)
        return []

    def _turn_ended(self, event: e.TurnEnded) -> list[str]:
        began = self._turn_began.pop(event.index, event.at_ms)
        number = self._ordinals.get(event.index, event.index)
        word = _TURN_WORDS.get(event.status, event.status)
        did = f"{plural(event.tools, 'tool call')}, {plural(event.edits, 'file edit')}"
        return [_at(began, f"turn {number} {word} {took(event.took_ms)} · {did}")]

    def _check(self, event: e.CheckEnded) -> list[str]:
        command = one_line(event.command, _COMMAND_WIDTH)
        tries = tries_note(event.exit_code, event.tries, event.retries)
        end = f"exit {event.exit_code} {took(event.took_ms)}" + (f" · {tries}" if tries else "")
        output = excerpt_lines(split(event.output), self._lines, " (the check's log has them)")
        return [
            _at(event.at_ms, f"$ {command}  {end}"),
            *(f"{_INDENT}{line}" for line in output),
        ]

    def _asserted(self, event: e.Asserted) -> list[str]:
        assertion = event.assertion
        if assertion["status"] == "pass":
            return []
        message = excerpt_lines(split(assertion.get("message", "")), _MESSAGE_LINES)
        return [
            _at(event.at_ms, f"check  {assertion['status']}  {one_line(assertion['label'])}"),
            *(f"{_INDENT}{line}" for line in message),
        ]

    def _judged(self, event: e.Judged) -> list[str]:
        return [_at(event.at_ms, "judge  " + judged(event.verdict, event.score, event.threshold,
                                                    event.question))]  # fmt: skip

    def _output(self, event: e.Output) -> list[str]:
        return printed(event.text)


_LINES: Mapping[type, Callable[[AttemptLog, Any], list[str]]] = {
    e.SandboxReady: AttemptLog._sandbox,
    e.TurnStarted: AttemptLog._turn_started,
    e.TurnEnded: AttemptLog._turn_ended,
    e.CheckEnded: AttemptLog._check,
    e.Asserted: AttemptLog._asserted,
    e.Judged: AttemptLog._judged,
    e.Output: AttemptLog._output,
}


def printed(text: str) -> list[str]:
    """What an eval's body printed, set apart from what reeval says."""
    return [f"  │ {line}" for line in split(text)]


def closing(record: Mapping[str, Any]) -> list[str]:
    """An attempt's last lines: its outcome, and why where no check has said so."""
    word = outcome_word(record)
    message, place = error_parts(record)
    at = [f"{_INDENT}at {place}"] if place else []
    if not error_adds(record):
        return [_at(record["durationMs"], word), *at]
    first, *rest = split(message) or [""]
    return [
        _at(record["durationMs"], f"{word} ({record['error']['kind']}): {first}"),
        *(f"{_INDENT}{line}" for line in excerpt_lines(rest, _MESSAGE_LINES)),
        *at,
    ]


def _at(ms: float, text: str) -> str:
    return f" +{clock(ms)} {text}"
