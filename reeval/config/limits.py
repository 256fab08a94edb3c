"""A profile's limit: what it may narrow of an eval's options, and what a pin keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reeval.config.model import Compare, EvalOptions, Limit, Profile, Settings
from reeval.config.names import kept


def narrowed(options: EvalOptions, profile: Profile, settings: Settings) -> EvalOptions:
    """The options under the profile's limit; `pin` keeps a key as it is.

    `runs` is capped, `compare` keeps the first variants, `harness` keeps those the limit names.
    What that took away is `limited`.
    """
    limit = profile.limit
    changes: dict[str, Any] = {}
    limited = []
    if "runs" not in options.pin and limit.runs is not None and limit.runs < options.runs:
        changes["runs"] = limit.runs
        limited.append(f"runs {options.runs} → {limit.runs}")
    if "compare" not in options.pin and options.compare is not None:
        compare = _fewer_variants(options.compare, limit)
        if compare != options.compare:
            changes["compare"] = compare
            before, after = len(options.compare.variants), len(compare.variants)
            limited.append(f"variants {before} → {after}" if after else "compare dropped")
    if "harness" not in options.pin and limit.harness is not None:
        harness = kept(options.harness, limit.harness, settings)
        if harness != options.harness:
            changes["harness"] = harness
            gone = (one.id for one in options.harness if one not in harness)
            limited.append(f"without {', '.join(gone)}")
    label = f"profile {profile.name} limit"
    sources = {**options.sources, **dict.fromkeys(changes, label)}
    if not changes:
        return options
    return replace(options, **changes, sources=sources, limited=tuple(limited))


def _fewer_variants(compare: Compare, limit: Limit) -> Compare:
    most = limit.max_variants if limit.compare else 0
    return compare if most is None else replace(compare, variants=compare.variants[:most])
