"""What calls answer with, by the public SDK's name."""

from reeval.authoring.results import (
    BackgroundHandle,
    Diff,
    ExecResult,
    FileChange,
    Turn,
    TurnStatus,
    Verdict,
    VerdictKind,
)

__all__ = [
    "BackgroundHandle",
    "Diff",
    "ExecResult",
    "FileChange",
    "Turn",
    "TurnStatus",
    "Verdict",
    "VerdictKind",
]
