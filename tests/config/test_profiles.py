"""Which profile a run gets, on each CI and off it."""

from __future__ import annotations

from pathlib import Path

import pytest

from reeval.config.errors import UsageError
from reeval.config.load import load_settings
from reeval.config.model import Settings
from reeval.config.profiles import Occasion, choose_profile, occasion, profile_record

CONFIG = """
[harnesses.claude]
kind = "claude-code"
model = "sonnet"
[profiles.pr]
when = { ci = true, event = "pull_request" }
defaults = { runs = 1, harness = "claude", timeout = "2m", env = { B = "1", A = "1" } }
limit = { runs = 3, compare = false, harness = "claude" }
[profiles.release]
when = { branch = ["release/*", "main"] }
[profiles.local]
when = { ci = false }
[profiles.never]
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "reeval.toml").write_text(CONFIG)
    return load_settings(tmp_path, {})


GITHUB_PR = {
    "CI": "true",
    "GITHUB_ACTIONS": "true",
    "GITHUB_EVENT_NAME": "pull_request",
    "GITHUB_HEAD_REF": "topic",
    "GITHUB_REF_NAME": "7/merge",
}
GITLAB_MR = {
    "GITLAB_CI": "true",
    "CI_PIPELINE_SOURCE": "merge_request_event",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "topic",
    "CI_COMMIT_REF_NAME": "refs/merge-requests/7/head",
}


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        (GITHUB_PR, Occasion(True, "pull_request", "topic")),
        (GITLAB_MR, Occasion(True, "pull_request", "topic")),
        (
            {"CI": "1", "GITHUB_EVENT_NAME": "schedule", "GITHUB_REF_NAME": "main"},
            Occasion(True, "schedule", "main"),
        ),
        (
            {"CI": "true", "CI_PIPELINE_SOURCE": "push", "CI_COMMIT_REF_NAME": "x"},
            Occasion(True, "push", "x"),
        ),
        ({"CI": "false"}, Occasion(False, None, None)),
        ({}, Occasion(False, None, None)),
    ],
)
def test_what_the_variables_of_each_ci_say(environ: dict[str, str], expected: Occasion) -> None:
    assert occasion(environ) == expected


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        (GITHUB_PR, ("pr", "ci, event pull_request")),
        (GITLAB_MR, ("pr", "ci, event pull_request")),
        ({"CI": "1", "GITHUB_REF_NAME": "release/2"}, ("release", "branch release/2")),
        ({}, ("local", "not ci")),
        ({"CI": "1", "GITHUB_REF_NAME": "topic"}, None),
    ],
)
def test_the_first_whose_when_holds_is_chosen(
    settings: Settings, environ: dict[str, str], expected: tuple[str, str] | None
) -> None:
    chosen = choose_profile(settings, environ)
    assert (chosen and (chosen[0].name, chosen[1])) == expected


def test_a_profile_that_is_asked_for_needs_no_when(settings: Settings) -> None:
    chosen = choose_profile(settings, {}, "never")
    assert chosen == (settings.profiles["never"], "--profile")


def test_an_unknown_profile_is_answered_with_the_nearest(settings: Settings) -> None:
    with pytest.raises(
        UsageError, match='--profile: unknown profile "relase"; did you mean "release"'
    ):
        choose_profile(settings, {}, "relase")


def test_the_record_names_what_a_profile_sets(settings: Settings) -> None:
    assert profile_record(settings.profiles["pr"], "ci", settings) == {
        "name": "pr",
        "reason": "ci",
        "defaults": {
            "harness": ["claude-code:sonnet"],
            "runs": 1,
            "timeout": 120.0,
            "env": ["A", "B"],
        },
        "limit": {"runs": 3, "compare": False, "harness": ["claude"]},
    }
