"""`reeval show`, `reeval runs`, `reeval list`: what is stored, as text and as JSON."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def stored(reeval, project) -> str:
    """The name of a stored run."""
    project.passing()
    reeval("run")
    (record,) = project.records()
    return record.stem


def test_the_latest_run_is_shown_by_default_and_by_its_beginning(reeval, stored):
    latest = reeval("show")
    assert latest.code == 0
    assert stored in latest.out
    assert reeval("show", stored[:9]).out == latest.out


def test_json_is_the_record_as_it_is_stored(reeval, project, stored):
    (record,) = project.records()
    assert json.loads(reeval("show", "--json").out) == json.loads(record.read_text())


@pytest.mark.parametrize(
    ("view", "shows"),
    [
        ((), "hi.txt"),
        (("--transcript",), "Write hi.txt."),
        (("--diff",), "+hi"),
        (("--checks",), "assert"),
        (("--timing",), "ms"),
    ],
)
def test_an_attempt_is_shown_from_each_side(reeval, stored, view, shows):
    shown = reeval("show", "--attempt", "greets#1", *view)
    assert shown.code == 0
    assert shows in shown.out


def test_two_sides_of_an_attempt_are_shown_one_after_the_other(reeval, stored):
    def one(*views):
        return reeval("show", "--attempt", "greets#1", *views).out

    transcript, diff = one("--transcript"), one("--diff")
    assert one("--diff", "--transcript") == f"{transcript}\n{diff}"


def test_an_attempts_json_is_its_part_of_the_record(reeval, stored):
    shown = json.loads(reeval("show", "--attempt", "greets#1", "--json").out)
    assert (shown["n"], shown["outcome"]) == (1, "pass")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["19991231"], "no run begins with 19991231"),
        (["--attempt", "greats#1"], "greats#1"),
        ([""], "the name of the run is empty"),
    ],
)
def test_a_name_that_is_none_is_a_usage_error(reeval, stored, arguments, says):
    wrong = reeval("show", *arguments)
    assert wrong.code == 2
    assert says in wrong.err


def test_without_a_run_it_says_how_to_make_one(reeval):
    none = reeval("show")
    assert none.code == 2
    assert "reeval run" in none.err
    assert reeval("runs").code == 0


def test_the_runs_are_listed_newest_first(reeval, stored):
    reeval("run")
    listed = json.loads(reeval("runs", "--json").out)
    assert [run["runId"] for run in listed] == sorted((r["runId"] for r in listed), reverse=True)
    assert stored in {run["runId"] for run in listed}
    assert stored in reeval("runs").out


def test_a_list_shows_what_an_attempt_took_last(reeval, project, stored):
    listed = json.loads(reeval("list", "--json").out)
    (cell,) = listed["evals"][0]["cells"]
    assert cell["lastMs"] > 0
    assert "greets [smoke]" in reeval("list").out
    project.write("evals/broken.eval.py", "import nothing_of_that_name\n")
    assert reeval("list").code == 1


def test_the_sdks_folder_is_all_that_an_eval_file_needs(reeval, project):
    folder = project.root / reeval("sdk", "path").out.strip()
    assert (folder / "reeval/__init__.py").is_file()
    assert (folder / "reeval/py.typed").is_file()
    assert not (folder / "reeval/engine").exists()
