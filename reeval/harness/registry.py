"""Which harness drives a kind of agent."""

from __future__ import annotations

from reeval.config.errors import UsageError, nearest
from reeval.harness.base import Harness
from reeval.harness.fake import FakeHarness

_HARNESSES: dict[str, Harness] = {"fake": FakeHarness()}

_LATER = (
    "acp",
    "antigravity",
    "claude-code",
    "codex",
    "cursor",
    "fx",
    "gemini",
    "goose",
    "grok-build",
    "opencode",
    "pi",
)


def harness_for(kind: str) -> Harness:
    """The harness of this kind. Raises `UsageError` when there is none, or none yet."""
    harness = _HARNESSES.get(kind)
    if harness is not None:
        return harness
    if kind in _LATER:
        raise UsageError(
            f"the {kind} harness is not in this version yet: this version runs the fake harness, "
            "fake_harness(…)"
        )
    close = nearest(kind, [*_HARNESSES, *_LATER])
    hint = f", did you mean {close!r}?" if close else ""
    raise UsageError(f"there is no harness of kind {kind!r}{hint}")
