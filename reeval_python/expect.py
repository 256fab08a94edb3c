"""`expect` and its matchers by the public SDK's name."""

from reeval.authoring.expect import AsyncExpectation, Expectation, expect, soft
from reeval.authoring.matchers import Pattern, ToolInput

__all__ = ["AsyncExpectation", "Expectation", "Pattern", "ToolInput", "expect", "soft"]
