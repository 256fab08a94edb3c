"""The typed options by the public SDK's name."""

from reeval.authoring.options import EvalOptions, Harness, JudgeDefaults, JudgeOptions

__all__ = ["EvalOptions", "Harness", "JudgeDefaults", "JudgeOptions"]
