"""What an eval file imports: `from reeval import evaluate, expect, …`.

Names are resolved on first use, so the command line's start doesn't load the SDK.
"""
