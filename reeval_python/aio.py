"""`reeval.aio` by the public SDK's name."""

from reeval.aio import AsyncExpectation, expect, soft

__all__ = ["AsyncExpectation", "expect", "soft"]
