"""Every part of reeval has one answer to whether a CI runs it."""

from __future__ import annotations

import io

import pytest

from reeval.config.ci import is_ci
from reeval.config.profiles import occasion
from reeval.record.history import is_recorded
from reeval.record.machine import runner_info
from reeval.report.terminal import Terminal


class _Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


ENVIRONMENTS = [
    ({}, False),
    ({"CI": "true"}, True),
    ({"CI": "1"}, True),
    ({"CI": "woodpecker"}, True),
    ({"CI": "false"}, False),
    ({"CI": "False"}, False),
    ({"CI": "0"}, False),
    ({"CI": ""}, False),
    ({"CI": "", "GITHUB_ACTIONS": "true"}, True),
    ({"CI": "false", "GITHUB_ACTIONS": "true"}, False),
    ({"GITHUB_ACTIONS": "true"}, True),
    ({"GITHUB_ACTIONS": "false"}, False),
    ({"GITLAB_CI": "true"}, True),
    ({"JENKINS_URL": "https://ci.example/"}, True),
    ({"TF_BUILD": "True"}, True),
    ({"BUILDKITE": "true"}, True),
    ({"CIRCLECI": "true"}, True),
]


@pytest.mark.parametrize(("environ", "expected"), ENVIRONMENTS)
def test_a_ci_is_known_by_its_variables(environ: dict[str, str], expected: bool) -> None:
    assert is_ci(environ) is expected


@pytest.mark.parametrize(("environ", "expected"), ENVIRONMENTS)
def test_all_that_depends_on_a_ci_agrees(environ: dict[str, str], expected: bool) -> None:
    assert occasion(environ).ci is expected
    assert is_recorded("ci", environ) is expected
    assert runner_info(environ)["kind"] == ("ci" if expected else "local")
    assert Terminal.of(_Tty(), {"TERM": "xterm", **environ}).live is not expected
