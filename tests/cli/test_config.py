"""`reeval config`: where each value comes from, an eval's options, the schema."""

from __future__ import annotations

import json

import jsonschema
import pytest

CONFIG = """\
harness = "canned"
runs = 3

[harnesses.canned]
kind = "fake"

[profiles.nightly]
defaults = { runs = 5 }
"""


@pytest.fixture(autouse=True)
def _project(project):
    project.write("reeval.toml", CONFIG)
    project.write(
        "evals/a.eval.py",
        'from reeval import evaluate\n\n@evaluate("greets", {"timeout": 60})\n'
        'def greets(c): c.send("Greet.")\n\n@evaluate("counts")\ndef counts(c): pass\n',
    )


def lines(text: str) -> set[str]:
    """The lines with their columns closed up."""
    return {" ".join(line.split()) for line in text.splitlines()}


def test_each_setting_has_its_file_and_line(reeval):
    assert "runs = 3 # reeval.toml:2" in lines(reeval("config").out)


def test_a_profile_shows_what_it_changes(reeval):
    shown = lines(reeval("config", "--profile", "nightly").out)
    assert "runs = 5 # profile nightly" in shown
    assert "profile nightly (--profile)" in shown


def test_an_evals_options_name_the_level_that_set_them(reeval):
    shown = lines(reeval("config", "--eval", "greets").out)
    assert 'timeout = "1m" # evaluate("greets")' in shown
    assert "runs = 3 # reeval.toml" in shown
    assert "counts" not in reeval("config", "--eval", "greets").out


def test_every_eval_that_the_word_selects_is_shown(reeval):
    shown = reeval("config", "--eval", "evals/a.eval.py").out
    assert "evals/a.eval.py › greets" in shown
    assert "evals/a.eval.py › counts" in shown


def test_a_file_that_doesnt_load_is_said_and_fails(reeval, project):
    project.write("evals/b.eval.py", "import nothing_of_that_name\n")
    shown = reeval("config", "--eval", "greets")
    assert shown.code == 1
    assert "evals/b.eval.py did not load" in shown.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--profile", "nightli"], 'did you mean "nightly"'),
        (["--eval", "greetz"], "is in no eval's name"),
    ],
)
def test_a_wrong_name_is_a_usage_error(reeval, arguments, says):
    wrong = reeval("config", *arguments)
    assert wrong.code == 2
    assert says in wrong.err


def test_the_schema_is_printed_also_where_the_config_is_broken(reeval, project):
    project.write("reeval.toml", "runs = [")
    printed = reeval("config", "schema")
    assert printed.code == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(printed.out))
