"""The declarations by the public SDK's name."""

from reeval.authoring.collector import Mode
from reeval.authoring.declare import (
    AsyncBody,
    AsyncCaseBody,
    Body,
    SyncBody,
    SyncCaseBody,
    evaluate,
    evaluate_each,
    group,
    todo,
)

__all__ = [
    "AsyncBody",
    "AsyncCaseBody",
    "Body",
    "Mode",
    "SyncBody",
    "SyncCaseBody",
    "evaluate",
    "evaluate_each",
    "group",
    "todo",
]
