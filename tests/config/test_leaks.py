"""A key's value in the config is refused, and the message doesn't show it."""

from __future__ import annotations

from pathlib import Path

import pytest

from reeval.config.errors import UsageError
from reeval.config.load import load_settings

# Made of parts, so that a scanner doesn't take this file for a leak.
RANDOM = "a1B2c3D4e5" * 4


@pytest.mark.parametrize(
    "value",
    [
        "sk-ant-" + RANDOM,
        "AIza" + RANDOM,
        "ghp_" + RANDOM,
        "github_pat_" + RANDOM,
        "glpat-" + RANDOM,
        "xoxb-" + RANDOM,
        "AKIA" + "ABCDEFGH12345678",
        "eyJ" + RANDOM + ".eyJ" + RANDOM + "." + RANDOM,
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        "https://jane:" + RANDOM + "@git.example.com/x",
        "Bearer sk-" + RANDOM,
    ],
)
def test_what_looks_like_a_key_is_refused_with_its_line(tmp_path: Path, value: str) -> None:
    (tmp_path / "reeval.toml").write_text(f"\n[environments.a]\nfiles = {{ x = '{value}' }}\n")
    with pytest.raises(UsageError) as caught:
        load_settings(tmp_path, {})
    assert str(caught.value) == (
        f"{tmp_path}/reeval.toml:3: environments.a.files.x looks like a key, and a key never "
        "stands in the config: put it in the environment or in .env, and name its variable: "
        '{ secret = "NAME" }'
    )


def test_random_text_under_a_secrets_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "reeval.toml").write_text(f"env = {{ DB_PASSWORD = '{RANDOM}' }}")
    with pytest.raises(UsageError, match=r"env\.DB_PASSWORD looks like a key"):
        load_settings(tmp_path, {})


def test_the_value_of_a_secret_that_the_config_names_is_refused(tmp_path: Path) -> None:
    (tmp_path / "reeval.toml").write_text(
        "env = { A = { secret = 'PLAIN' }, B = 'correct horse' }\n"
    )
    assert load_settings(tmp_path, {"PLAIN": "something else"}).options["env"]["B"]
    with pytest.raises(UsageError, match=r"env\.B looks like a key"):
        load_settings(tmp_path, {"PLAIN": "correct horse"})


@pytest.mark.parametrize(
    "text",
    [
        "env = { API_TOKEN = { secret = 'MY_SERVICE_TOKEN_V2_PRODUCTION' } }",
        "env = { TOKEN_URL = 'https://auth.example.com/oauth2/token' }",
        "env = { SECRET_NAME = 'a plain sentence with 2 numbers 3' }",
        "env = { GIT_SHA = 'da39a3ee5e6b4b0d3255bfef95601890afd80709' }",
        "[environments.a]\nworkspace = { git = 'https://git.example.com/a', token = 'GIT_TOKEN' }",
    ],
)
def test_what_is_no_key_is_taken(tmp_path: Path, text: str) -> None:
    (tmp_path / "reeval.toml").write_text(text)
    assert load_settings(tmp_path, {}).file
