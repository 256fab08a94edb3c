"""The run's one stream of events, to everyone who subscribed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reeval.engine.events import RunEvent

Subscriber = Callable[[RunEvent], None]


class EventStream:
    """Hands each event to every subscriber, in order. A subscriber that raises is left out.

    A report must never cost an attempt: what the first failure was is kept in `broken`.
    """

    def __init__(self, subscribers: Sequence[Subscriber]) -> None:
        self._subscribers = list(subscribers)
        self.broken: list[str] = []

    def publish(self, event: RunEvent) -> None:
        for subscriber in tuple(self._subscribers):
            try:
                subscriber(event)
            except Exception as error:
                self._subscribers.remove(subscriber)
                self.broken.append(f"a report stopped: {type(error).__name__}: {error}")
