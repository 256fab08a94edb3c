"""Whatever an eval file does with a secret as it loads, no command shows it."""

from __future__ import annotations

import json

import pytest

from reeval.cli.planning import STRAY_LINES

VALUE = "tok-4Qz81LmXw0Pv"
USES = """\
import os, sys
from reeval import evaluate, fake_harness, secret

{before}
@evaluate("uses", {{"harness": fake_harness(), "env": {{"K": secret("API_TOKEN")}}}})
def uses(c):
    c.send("Go.")
{after}
"""
IN_SETTINGS = """\
harness = "fake"
environment = "e"
[environments.e.env]
K = { secret = "API_TOKEN" }
"""
COMMANDS = [("list",), ("list", "--json"), ("run",), ("run", "--json"), ("run", "--dry-run")]


@pytest.fixture(autouse=True)
def _token(monkeypatch):
    monkeypatch.setenv("API_TOKEN", VALUE)


def clean(ended) -> bool:
    """Neither the value nor a beginning of it that tells something."""
    return VALUE[:5] not in ended.out + ended.err and VALUE[-5:] not in ended.out + ended.err


@pytest.mark.parametrize("arguments", COMMANDS)
def test_what_a_file_prints_as_it_loads_is_masked(reeval, project, arguments):
    before = (
        'print("token", os.environ["API_TOKEN"])\nos.write(1, os.environ["API_TOKEN"].encode())'
    )
    project.write("evals/a.eval.py", USES.format(before=before, after=""))
    ended = reeval(*arguments)
    assert ended.code == 0
    assert "token [secret API_TOKEN]\n" in ended.err
    assert clean(ended)


@pytest.mark.parametrize("arguments", [*COMMANDS, ("config", "--eval", "evals/a.eval.py")])
@pytest.mark.parametrize("settings", ["", IN_SETTINGS], ids=["own", "in settings"])
def test_a_file_that_doesnt_load_shows_no_secret(reeval, project, arguments, settings):
    if settings:
        project.write("reeval.toml", settings)
    after = 'raise RuntimeError("bad token " + os.environ["API_TOKEN"])'
    project.write("evals/a.eval.py", USES.format(before="", after=after))
    ended = reeval(*arguments)
    assert ended.code == 1
    assert "bad token [secret API_TOKEN]" in ended.out + ended.err
    assert clean(ended)
    for path in project.root.glob(".reeval/**/*"):
        assert not path.is_file() or VALUE[:5] not in path.read_text("utf-8", "replace")


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_plan_that_cant_be_made_shows_no_secret(reeval, project, arguments):
    project.write("reeval.toml", IN_SETTINGS)
    project.write(
        "evals/a.eval.py",
        "import os\nfrom reeval import evaluate\n\n"
        'print("token", os.environ["API_TOKEN"])\n'
        '@evaluate("x", {"runs": os.environ["API_TOKEN"]})\ndef x(c): pass\n',
    )
    ended = reeval(*arguments)
    assert ended.code in (1, 2)
    assert "token [secret API_TOKEN]\n" in ended.err
    assert "[secret API_TOKEN]" in (ended.out + ended.err).replace("token [secret API_TOKEN]\n", "")
    assert clean(ended)


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_secret_of_an_eval_that_is_not_selected_is_masked(reeval, project, arguments):
    before = (
        'print("token", os.environ["API_TOKEN"])\n'
        '@evaluate("other", {"harness": fake_harness()})\ndef other(c): c.send("Go.")\n'
    )
    project.write("evals/a.eval.py", USES.format(before=before, after=""))
    ended = reeval(*arguments, "other")
    assert ended.code == 0
    assert "token [secret API_TOKEN]\n" in ended.err
    assert clean(ended)


@pytest.mark.parametrize("arguments", [("list",), ("list", "--json"), ("config", "--eval", "has")])
def test_an_evals_name_and_options_show_no_secret(reeval, project, arguments):
    project.write(
        "evals/a.eval.py",
        "import os\nfrom reeval import evaluate, fake_harness, secret\n\n"
        'TOKEN = os.environ["API_TOKEN"]\n'
        '@evaluate("has " + TOKEN, {"harness": fake_harness(), "tags": [TOKEN],\n'
        '          "env": {"A": secret("API_TOKEN"), "B": TOKEN}})\n'
        "def x(c): pass\n",
    )
    ended = reeval(*arguments)
    assert ended.code == 0
    assert "has [secret API_TOKEN]" in ended.out
    assert clean(ended)


def test_json_of_a_plan_stays_json(reeval, project):
    after = 'raise RuntimeError("bad token " + os.environ["API_TOKEN"])'
    project.write("evals/a.eval.py", USES.format(before="", after=after))
    (failure,) = json.loads(reeval("list", "--json").out)["failures"]
    assert failure["message"] == "RuntimeError: bad token [secret API_TOKEN] (evals/a.eval.py:8)"
    assert "[secret API_TOKEN]" in failure["detail"]


def test_a_flood_of_lines_is_counted(reeval, project):
    before = f"for n in range({STRAY_LINES} + 1234): print('line', n)"
    project.write("evals/a.eval.py", USES.format(before=before, after=""))
    lines = reeval("list").err.splitlines()
    assert lines[STRAY_LINES - 1] == f"line {STRAY_LINES - 1}"
    assert lines[STRAY_LINES:] == ["… 1,234 more lines were printed as the eval files loaded"]


def test_a_fault_of_ours_shows_no_secret(reeval, project, monkeypatch):
    def broken(*_):
        raise RuntimeError(f"fault with {VALUE}")

    project.write("evals/a.eval.py", USES.format(before="", after=""))
    monkeypatch.setattr("reeval.engine.run.run_plan", broken)
    monkeypatch.setenv("REEVAL_TRACEBACK", "1")
    ended = reeval("run")
    assert ended.code == 1
    assert ended.err.count("fault with [secret API_TOKEN]") == 2
    assert clean(ended)


@pytest.mark.parametrize(
    "arguments",
    [("run",), ("run", "--json"), ("run", "--verbose", "--output-logs=full"), ("list",)],
)
def test_a_secret_in_an_evals_name_or_path_is_shown_nowhere(
    reeval, project, monkeypatch, arguments
):
    monkeypatch.setenv("TOKEN", "sesame-open-now")
    project.write(
        "evals/sesame-open-now.eval.py",
        "from reeval import evaluate, fake_harness, secret\n\n"
        "@evaluate('says sesame-open-now', "
        "{'harness': fake_harness(), 'env': {'T': secret('TOKEN')}})\n"
        "def says(c):\n    assert c.send('Go.').text == 'sesame-open-now'\n",
    )
    ran = reeval(*arguments)
    assert "says" in ran.out
    assert "sesame" not in ran.out + ran.err
