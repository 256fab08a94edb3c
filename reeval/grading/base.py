"""What a matcher is given and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from reeval.harness.events import Event
from reeval.protocol.messages import ExecResult


@dataclass(frozen=True, slots=True)
class ChangedFile:
    path: str
    status: Literal["added", "modified", "deleted"]


@dataclass(frozen=True, slots=True)
class TurnFacts:
    """One turn that ended, as checks and judges see it. `files` and `patch` are since the start."""

    index: int
    prompt: str
    text: str
    status: Literal["completed", "aborted", "error"]
    events: tuple[Event, ...]
    unreported: tuple[str, ...]
    files: tuple[ChangedFile, ...]
    patch: str


class Subjects(Protocol):
    """What a matcher may ask about the attempt it checks."""

    @property
    def turns(self) -> Sequence[TurnFacts]: ...

    async def read_file(self, path: str) -> bytes | None:
        """A workspace file's contents, None when there is none. Raises on a path that escapes."""
        ...

    async def run(self, command: str) -> ExecResult:
        """Runs a check command in the sandbox, recorded like any `c.exec`."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a check ended. `error`: the matcher couldn't answer, and `message` says why.

    `raises` is then the class of error its body sees, such as `HarnessCapabilityError`; None
    lets the body go on, as after a judge call that failed.
    """

    status: Literal["pass", "fail", "error"]
    message: str | None = None
    raises: str | None = None


@dataclass(frozen=True, slots=True)
class Untested:
    """Strings the runner must match itself, by the pattern's `matchedBy`; nothing is recorded."""

    strings: Mapping[str, Sequence[str]]
