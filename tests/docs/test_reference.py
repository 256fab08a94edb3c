"""The docs name all there is, and nothing that isn't there."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from reeval.authoring.context import SyncAttemptContext
from reeval.authoring.harnesses import FakeOptions
from reeval.authoring.matchers import Matchers
from reeval.cli.main import COMMANDS
from reeval.config.schema import config_schema

DOCS = Path(__file__).resolve().parents[2] / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def command(name: str) -> click.Command:
    found = importlib.import_module(f"reeval.cli.{name}_command").command
    assert isinstance(found, click.Command)
    return found


def options(of: click.Command) -> Iterator[str]:
    for parameter in of.params:
        if isinstance(parameter, click.Option):
            yield from (name for name in parameter.opts if name.startswith("--"))


def section(name: str) -> str:
    """What cli.md says of one command."""
    parts = re.split(r"^## ", page("cli.md"), flags=re.MULTILINE)
    (found,) = (part for part in parts if re.match(rf"reeval {name}\b", part))
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_documented_with_each_option(name: str) -> None:
    text = section(name)
    shared = {"--no-color"}  # said once, with `run`
    missing = [option for option in options(command(name)) if option not in text]
    assert set(missing) <= (shared if name != "run" else set())


def test_no_option_is_documented_that_isnt_there() -> None:
    known = {option for name in COMMANDS for option in options(command(name))} | {"--help"}
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page("cli.md")))
    assert named - known == {"--compact"}  # of python -m json.tool


def test_each_setting_is_named() -> None:
    text = page("config.md") + page("authoring.md")
    later = {"capture", "question", "questions", "egress"}
    missing = [key for key in config_schema()["properties"] if f"{key}" not in text]
    assert set(missing) <= later


def test_each_matcher_and_each_call_is_named() -> None:
    text = page("authoring.md")
    matchers = [name for name in vars(Matchers) if name.startswith("to_")]
    calls = [name for name in vars(SyncAttemptContext) if not name.startswith("_")]
    assert len(matchers) > 20
    assert [name for name in matchers if f"`{name}`" not in text] == []
    assert [name for name in calls if f"c.{name}" not in text] == ["file"]  # another read_file


def test_each_option_of_the_canned_agent_is_named() -> None:
    text = page("authoring.md")
    missing = [name for name in FakeOptions.__annotations__ if f"`{name}`" not in text]
    assert missing == ["gateway"]  # of models, which it doesn't call


def test_the_glossary_is_in_order() -> None:
    words = re.findall(r"^\| \*\*(.+?)\*\*", page("glossary.md"), flags=re.MULTILINE)
    assert len(words) > 30
    assert words == sorted(words)
