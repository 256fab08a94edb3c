"""The contexts by the public SDK's name."""

from reeval.authoring.context import AttemptContext, SyncAttemptContext

__all__ = ["AttemptContext", "SyncAttemptContext"]
