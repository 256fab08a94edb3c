"""The JSON Schema agrees with the checks it is made from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
import tomli

from reeval.config.errors import UsageError
from reeval.config.load import load_settings
from reeval.config.schema import config_schema

VALID = [
    "",
    "runs = 3\nharness = 'fake'\ntimeout = '90s'\ngate = { pass_rate = 0.5 }",
    "harness = ['codex', { kind = 'fake', script = [[{ exec = 'ls' }]] }]",
    "[environments.a]\nskills = ['x', { npm = 'a@1' }]\nenv = { A = { secret = 'A' } }",
    "[environments.a]\nfiles = { x = { file = 'y' }, z = '' }\nsetup = ['x', { run = 'y' }]",
    "[environments.a]\nmcp = { d = { command = 'x', env = { A = '1' } } }",
    "[sandbox]\nkind = 'local'",
    "[profiles.p]\nlimit = { compare = false }\nwhen = { ci = true, branch = ['main'] }",
    "questions = ['x', { question = 'y', across = ['harness'] }]\n[judge]\nstate = { diff = true }",
]
INVALID = [
    "runz = 3",
    "runs = 0",
    "timeout = '1 day'",
    "record = 'never'",
    "[harnesses.a]\nkind = 'claude'",
    "[environments.a]\nsetup = [{ cwd = 'x' }]",
    "[environments.a]\nenv = { 'A-B' = '1' }",
    "[gateways.g]\nkey = 'K'",
    "[judge]\nthreshold = 2",
    "egress = 'none'",
]


@pytest.fixture(scope="module")
def validator() -> Any:
    schema = config_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def accepted(text: str, folder: Path) -> bool:
    (folder / "reeval.toml").write_text(text)
    try:
        load_settings(folder, {})
    except UsageError:
        return False
    return True


@pytest.mark.parametrize("text", VALID)
def test_what_is_accepted_is_valid(validator: Any, tmp_path: Path, text: str) -> None:
    assert accepted(text, tmp_path)
    assert [error.message for error in validator.iter_errors(tomli.loads(text))] == []


@pytest.mark.parametrize("text", INVALID)
def test_what_is_refused_is_not(validator: Any, tmp_path: Path, text: str) -> None:
    assert not accepted(text, tmp_path)
    assert not validator.is_valid(tomli.loads(text))


def test_the_sdks_own_marks_are_not_shown_to_an_editor() -> None:
    assert "fake-judge" in str(config_schema())
    assert "'layers'" not in str(config_schema())
    assert "secret-template" not in str(config_schema())


def test_every_key_at_the_top_is_described() -> None:
    assert [k for k, v in config_schema()["properties"].items() if not v.get("description")] == []
