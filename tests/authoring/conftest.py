"""An attempt that keeps what its body records, for asserts that run in the test's own process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from reeval.authoring.callers import Place
from reeval.authoring.link import Unawaited, current
from reeval.protocol.messages import AttemptInfo, Call, Record, Reply


class Recording:
    """A `Link` whose records are kept and whose calls nobody answers."""

    is_async = False

    def __init__(self) -> None:
        self.info = AttemptInfo("fake/-/fake#1", 1, {})
        self.unawaited: dict[int, Unawaited] = {}
        self.unused: dict[int, Place | None] = {}
        self.abort_reason = None
        self.records: list[Record] = []

    def wait_for_abort(self, timeout_s: float | None) -> bool:
        return False

    def call(self, call: Call) -> Reply:
        raise AssertionError(f"nothing answers {call}")

    async def call_async(self, call: Call) -> Reply:
        raise AssertionError(f"nothing answers {call}")

    def record(self, call: Record) -> None:
        self.records.append(call)


@pytest.fixture
def recording() -> Iterator[Recording]:
    link = Recording()
    token = current.set(link)
    yield link
    current.reset(token)
