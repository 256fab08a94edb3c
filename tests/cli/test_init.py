"""`reeval init`: what it writes runs at once, and nothing of a person's is lost."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema
import pytest
import tomli


def test_a_new_project_runs_green_at_once(reeval, project):
    assert reeval("init").code == 0
    ran = reeval("run")
    assert (ran.code, ran.err) == (0, "")
    assert "writes a hello program" in ran.out
    assert len(project.records()) == 1


def test_it_says_what_it_wrote_and_what_to_do_next(reeval, project):
    said = reeval("init", "demo").out.splitlines()
    named = [line.removeprefix("wrote ") for line in said if line.startswith("wrote ")]
    files = [p for p in Path("demo").rglob("*") if p.is_file()]
    assert {Path(name) for name in named} | {Path("demo/.gitignore")} == set(files)
    assert said[-2:] == ["  cd demo", "  reeval run"]


def test_the_next_command_is_given_as_this_one_was(reeval, project, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["../my tools/reeval.pyz"])
    assert (
        reeval("init", "demo").out.splitlines()[-1] == "  python3 '../../my tools/reeval.pyz' run"
    )


def test_an_editor_finds_the_schema_that_the_config_names(reeval, project):
    reeval("init")
    config = project.root / "reeval.toml"
    first = config.read_text().splitlines()[0]
    schema = json.loads((project.root / first.removeprefix("#:schema ")).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(tomli.loads(config.read_text()), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"harnes": "canned"}, schema)


@pytest.mark.parametrize(
    "there", ["reeval.toml", "evals/hello.eval.py", "evals/reeval.schema.json"]
)
def test_what_is_there_stays_and_nothing_is_written_beside_it(reeval, project, there):
    kept = project.write(there, "mine")
    refused = reeval("init")
    assert refused.code == 2
    assert there in refused.err
    assert "overwrites nothing" in refused.err
    assert kept.read_text() == "mine"
    assert [p for p in project.root.rglob("*") if p.is_file()] == [kept]


def test_a_table_in_pyproject_is_a_project_already(reeval, project):
    project.write("pyproject.toml", "[tool.reeval]\nruns = 2\n")
    refused = reeval("init")
    assert refused.code == 2
    assert "[tool.reeval]" in refused.err
    assert not (project.root / "reeval.toml").exists()


def test_a_project_inside_another_is_its_own(reeval, project):
    reeval("init")
    assert reeval("init", "inner").code == 0
    assert (project.root / "inner/reeval.toml").exists()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, ".reeval/\n.env\n"),
        ("", ".reeval/\n.env\n"),
        ("dist/", "dist/\n.reeval/\n.env\n"),
        ("/.reeval\n", "/.reeval\n.env\n"),
        (".env\n.reeval/\n", ".env\n.reeval/\n"),
        ("# .env\n.envrc\n", "# .env\n.envrc\n.reeval/\n.env\n"),
    ],
)
def test_gitignore_gets_only_the_lines_it_lacks(reeval, project, before, after):
    if before is not None:
        project.write(".gitignore", before)
    reeval("init")
    assert (project.root / ".gitignore").read_text() == after


def test_a_folder_that_cant_be_written_is_a_sentence_and_leaves_nothing(reeval, project):
    project.write("evals", "a file where a folder belongs")
    refused = reeval("init")
    assert refused.code == 2
    assert refused.err.startswith("error: evals")
    assert "can't be written" in refused.err
    assert not (project.root / "reeval.toml").exists()
