"""Which profile sizes a run: the one asked for, or the first whose `when` holds here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from reeval.config.cascade import shared_options
from reeval.config.ci import is_ci
from reeval.config.errors import UsageError
from reeval.config.model import EvalOptions, Limit, Profile, Settings
from reeval.config.source import suggestion

_GITLAB_EVENTS = {"merge_request_event": "pull_request"}
"""GitLab's names for what GitHub names otherwise."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """Where and why a run starts. `event` and `branch` are None where nothing tells them."""

    ci: bool
    event: str | None
    branch: str | None


def occasion(environ: Mapping[str, str]) -> Occasion:
    """Read from the variables that GitHub Actions, GitLab CI and others set."""
    source = environ.get("CI_PIPELINE_SOURCE", "")
    event = environ.get("GITHUB_EVENT_NAME") or _GITLAB_EVENTS.get(source, source)
    # On a pull request both name the branch it comes from elsewhere than on a push.
    branch = (
        environ.get("GITHUB_HEAD_REF")
        or environ.get("GITHUB_REF_NAME")
        or environ.get("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME")
        or environ.get("CI_COMMIT_REF_NAME")
    )
    return Occasion(is_ci(environ), event or None, branch or None)


def choose_profile(
    settings: Settings, environ: Mapping[str, str], name: str | None = None
) -> tuple[Profile, str] | None:
    """The profile and why it was chosen: `--profile`, or what of its `when` holds.

    Without `name`, a profile without `when` is never chosen. Raises `UsageError` for an unknown
    name.
    """
    if name is not None:
        if name not in settings.profiles:
            raise UsageError(
                f'--profile: unknown profile "{name}"'
                + suggestion(name, settings.profiles, "there are none in the config"),
                file=settings.file,
                key="--profile",
            )
        return settings.profiles[name], "--profile"
    here = occasion(environ)
    for profile in settings.profiles.values():
        reason = _holds(profile.when, here)
        if reason:
            return profile, reason
    return None


def _holds(when: Mapping[str, Any], here: Occasion) -> str:
    """What makes all of `when` true here, such as `ci, event pull_request`; else empty."""
    reasons = []
    if "ci" in when:
        if when["ci"] is not here.ci:
            return ""
        reasons.append("ci" if here.ci else "not ci")
    for key, value in (("event", here.event), ("branch", here.branch)):
        if key in when:
            if value is None or not any(fnmatchcase(value, pattern) for pattern in when[key]):
                return ""
            reasons.append(f"{key} {value}")
    return ", ".join(reasons)


def profile_record(profile: Profile, reason: str, settings: Settings) -> dict[str, Any]:
    """The record's `profile`: what it set, by name, and what it limits."""
    options = shared_options(settings, profile)
    return {
        "name": profile.name,
        "reason": reason,
        "defaults": _defaults(profile.defaults, options),
        "limit": _limit(profile.limit),
    }


def _defaults(given: Mapping[str, Any], options: EvalOptions) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if "harness" in given:
        out["harness"] = [harness.id for harness in options.harness]
    if "environment" in given and options.environment is not None:
        out["environment"] = options.environment.name
    if "sandbox" in given and options.sandbox is not None:
        out["sandbox"] = options.sandbox.id
    out.update({key: given[key] for key in ("runs", "timeout") if key in given})
    if "env" in given:
        out["env"] = sorted(given["env"])
    return out


def _limit(limit: Limit) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if limit.runs is not None:
        out["runs"] = limit.runs
    if not limit.compare:
        out["compare"] = False
    elif limit.max_variants is not None:
        out["compare"] = {"maxVariants": limit.max_variants}
    if limit.harness is not None:
        out["harness"] = list(limit.harness)
    return out
