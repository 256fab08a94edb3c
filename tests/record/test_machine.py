"""Where a run ran is what its CI says, and a machine's name is only a hash."""

import platform
from hashlib import sha256

import pytest

from reeval.record.machine import author, lockfiles, package_versions, runner_info

GITHUB = {
    "CI": "true",
    "GITHUB_ACTIONS": "true",
    "GITHUB_SERVER_URL": "https://github.example",
    "GITHUB_REPOSITORY": "acme/app",
    "GITHUB_RUN_ID": "123",
    "GITHUB_RUN_ATTEMPT": "2",
}
GITLAB = {"CI": "true", "GITLAB_CI": "true", "CI_JOB_URL": "https://gitlab.example/j/7"}


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        (GITHUB, {"provider": "github", "runUrl": "https://github.example/acme/app/actions/runs/123",
                  "attempt": 2, "pr": None}),
        (GITHUB | {"GITHUB_REF": "refs/pull/45/merge", "GITHUB_BASE_REF": "main"},
         {"provider": "github", "runUrl": "https://github.example/acme/app/actions/runs/123",
          "attempt": 2, "pr": {"number": 45, "baseRef": "main"}}),
        ({"GITHUB_ACTIONS": "true", "GITHUB_REF": "refs/heads/pull/1/x", "GITHUB_RUN_ATTEMPT": "x"},
         {"provider": "github", "runUrl": None, "attempt": None, "pr": None}),
        (GITLAB, {"provider": "gitlab", "runUrl": "https://gitlab.example/j/7", "attempt": None,
                  "pr": None}),
        (GITLAB | {"CI_MERGE_REQUEST_IID": "9", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "dev"},
         {"provider": "gitlab", "runUrl": "https://gitlab.example/j/7", "attempt": None,
          "pr": {"number": 9, "baseRef": "dev"}}),
        ({"JENKINS_URL": "https://ci.example"},
         {"provider": "unknown", "runUrl": None, "attempt": None, "pr": None}),
        ({"CI": "1"}, {"provider": "unknown", "runUrl": None, "attempt": None, "pr": None}),
    ],
)  # fmt: skip
def test_a_ci_run_says_where(environ, expected, valid_def):
    assert valid_def("RunnerInfo", runner_info(environ)) == {"kind": "ci", **expected}


def test_a_local_run_has_a_hash_of_the_machines_name(valid_def):
    info = valid_def("RunnerInfo", runner_info({}))
    assert info["kind"] == "local"
    assert sha256(platform.node().encode()).hexdigest().startswith(info["hostHash"])


def test_the_author_is_ci_or_the_committer_or_the_login(repository, tmp_path, no_git_config):
    assert author(repository.path, {"CI": "1"}) == "ci"
    assert author(repository.path, no_git_config) == "jane-doe"
    assert author(tmp_path, {**no_git_config, "USER": "Sam"}) == "sam"
    assert author(tmp_path, {"PATH": no_git_config["PATH"], **NOBODY, **CONFIG}) == "unknown"


NOBODY = {"USER": "", "LOGNAME": "山"}
CONFIG = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}


def test_lockfiles_of_project_and_repository_are_hashed(tmp_path):
    project = tmp_path / "packages" / "app"
    project.mkdir(parents=True)
    for path, data in [
        (tmp_path / "pnpm-lock.yaml", b"top"),
        (tmp_path / "unrelated.txt", b""),
        (project / "uv.lock", b"own"),
        (project / "requirements-dev.txt", b"dev"),
    ]:
        path.write_bytes(data)
    (project / "yarn.lock").mkdir()
    assert lockfiles(project, tmp_path) == [
        {"path": "../../pnpm-lock.yaml", "sha256": sha256(b"top").hexdigest()},
        {"path": "requirements-dev.txt", "sha256": sha256(b"dev").hexdigest()},
        {"path": "uv.lock", "sha256": sha256(b"own").hexdigest()},
    ]
    assert [f["path"] for f in lockfiles(project, None)] == ["requirements-dev.txt", "uv.lock"]


def test_versions_of_our_own_packages_are_exact():
    found = package_versions()
    assert set(found) == {"click", "requests", "tomli", "rich", "pexpect", "cryptography"}
    assert all(version[0].isdigit() for version in found.values())
