"""The SDK's errors by the public SDK's name."""

from reeval.authoring.errors import AttemptAborted, ReevalAssertionError, ReevalCallError

__all__ = ["AttemptAborted", "ReevalAssertionError", "ReevalCallError"]
