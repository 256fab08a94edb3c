"""One attempt's phase lines: published as they come, kept for its `debug.jsonl`."""

from __future__ import annotations

import json
import time

from reeval.engine.events import Phase, PhaseName, RunEvent, SandboxReady
from reeval.engine.stream import EventStream
from reeval.masking.masker import Masker

_quoted = json.JSONEncoder().encode


class PhaseLog:
    """`attempt` is the attempt's key; times count from its start."""

    def __init__(self, attempt: str, stream: EventStream, masker: Masker) -> None:
        self.attempt = attempt
        self.masker = masker
        self._stream = stream
        self._began = time.monotonic()
        self._lines: list[tuple[float, PhaseName, str]] = []

    def begin(self) -> None:
        """Counts from now: what the attempt waited for before is not its own time."""
        self._began = time.monotonic()

    def now_ms(self) -> float:
        """Milliseconds since the attempt's start."""
        return round((time.monotonic() - self._began) * 1000, 1)

    def line(self, phase: PhaseName, message: str) -> None:
        message = self.masker.text(message)
        self._lines.append((self.now_ms(), phase, message))
        self._stream.publish(Phase(self.attempt, phase, message, time.time()))

    def sandbox_ready(self, took_ms: float) -> None:
        self._stream.publish(SandboxReady(self.attempt, self.now_ms(), took_ms))

    def publish(self, event: RunEvent) -> None:
        self._stream.publish(event)

    def debug_jsonl(self) -> str:
        return "".join(
            f'{{"atMs":{at_ms},"phase":"{phase}","message":{_quoted(message)}}}\n'
            for at_ms, phase, message in self._lines
        )
