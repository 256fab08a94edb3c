"""Whether a CI runs this: asked by the record, the profiles and the reports, answered here."""

from __future__ import annotations

from collections.abc import Mapping

_MARKS = (
    "GITHUB_ACTIONS", "GITLAB_CI", "JENKINS_URL", "BUILDKITE", "CIRCLECI", "TF_BUILD", "TRAVIS",
    "TEAMCITY_VERSION", "BITBUCKET_BUILD_NUMBER", "CODEBUILD_BUILD_ID", "DRONE", "APPVEYOR",
)  # fmt: skip
_NO = ("0", "false", "no", "off")


def is_ci(environ: Mapping[str, str]) -> bool:
    """Whether `CI`, or a CI's own variable, says so. `CI=false` says no, whatever else is set."""
    said = environ.get("CI", "").strip().lower()
    return said not in _NO if said else any(_is_set(environ.get(mark, "")) for mark in _MARKS)


def _is_set(value: str) -> bool:
    return value.strip().lower() not in ("", *_NO)
