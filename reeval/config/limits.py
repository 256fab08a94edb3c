"""A profile's limit: what it may narrow of an eval's options, and what a pin keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reeval.config.model import Compare, EvalOptions, Limit, Profile, Settings
from reeval.config.names import kept


def narrowed(options: EvalOptions, profile: Profile, settings: Settings) -> EvalOptions:
    """The options under the profile's limit; `pin` keeps a key as it is.

    `runs` is capped, `compare` keeps the first variants, `harness` keeps those the limit names.
    """
    limit = profile.limit
    changes: dict[str, Any] = {}
    if "runs" not in options.pin and limit.runs is not None and limit.runs < options.runs:
        changes["runs"] = limit.runs
    if "compare" not in options.pin and options.compare is not None:
        compare = _fewer_variants(options.compare, limit)
        if compare != options.compare:
            changes["compare"] = compare
    if "harness" not in options.pin and limit.harness is not None:
        harness = kept(options.harness, limit.harness, settings)
        if harness != options.harness:
            changes["harness"] = harness
    label = f"profile {profile.name} limit"
    sources = {**options.sources, **dict.fromkeys(changes, label)}
    return replace(options, **changes, sources=sources) if changes else options


def _fewer_variants(compare: Compare, limit: Limit) -> Compare:
    most = limit.max_variants if limit.compare else 0
    return compare if most is None else replace(compare, variants=compare.variants[:most])
