"""`reeval doctor`: what this project needs and lacks here, and never a key's value."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

KEYS = """\
harness = "canned"
environment = "api"

[harnesses.canned]
kind = "fake"

[environments.api]
env = {
  FROM_HOST = { secret = "FROM_HOST" },
  FROM_FILE = { secret = "FROM_FILE" },
  NOWHERE = { secret = "NOWHERE" },
  PERHAPS = { secret = "PERHAPS", optional = true },
}

[environments.other]
env = { UNUSED = { secret = "UNUSED" } }
"""
EVAL = 'from reeval import evaluate\n\n@evaluate("x")\ndef x(c): pass\n'


@pytest.fixture
def checks(reeval):
    """The checks by name; those of one name in a list."""

    def check() -> dict[str, list[dict[str, str]]]:
        told = reeval("doctor", "--json")
        report = json.loads(told.out)
        assert report["ok"] is (told.code == 0)
        found: dict[str, list[dict[str, str]]] = {}
        for one in report["checks"]:
            found.setdefault(one["name"], []).append(one)
        return found

    return check


def test_a_sound_project_misses_nothing(reeval, project):
    reeval("init")
    told = reeval("doctor")
    assert told.code == 0
    assert told.out.splitlines()[-1] == "nothing is missing"
    assert str(project.root / "reeval.toml") in told.out


def test_a_machine_is_looked_at_also_without_a_project(checks):
    found = checks()
    assert found["evals"][0]["status"] == "note"
    assert "reeval init" in found["evals"][0]["fix"]
    assert not any(one["status"] == "missing" for ones in found.values() for one in ones)


def test_the_projects_interpreter_says_hello(checks):
    (runner,) = checks()["runner"]
    assert runner["status"] == "ok"
    assert ".".join(map(str, sys.version_info[:2])) in runner["found"]
    assert f"({sys.executable}, from REEVAL_PYTHON)" in runner["found"]


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("no-such-python", "REEVAL_PYTHON names no-such-python"),
        (shutil.which("false"), "ended before its first message"),
    ],
)
def test_an_interpreter_that_doesnt_work_is_missing(checks, monkeypatch, program, says):
    monkeypatch.setenv("REEVAL_PYTHON", program)
    (runner,) = checks()["runner"]
    assert runner["status"] == "missing"
    assert says in runner["found"]
    assert "REEVAL_PYTHON" in runner["fix"]


def test_git_and_docker_are_missed_only_where_they_are_needed(checks, project, monkeypatch):
    project.passing()
    monkeypatch.setenv("PATH", str(project.root))
    found = checks()
    assert found["git"][0]["status"] == "note"
    assert found["docker"][0]["status"] == "note"


def test_docker_is_missed_where_an_eval_runs_in_a_container(checks, project, monkeypatch):
    project.write("evals/a.eval.py", EVAL.replace('"x")', '"x", {"harness": "claude-code"})'))
    monkeypatch.setenv("PATH", str(project.root))
    (docker,) = checks()["docker"]
    assert docker["status"] == "missing"
    assert "REEVAL_DOCKER" in docker["fix"]


def test_what_this_version_cant_run_is_said(checks, project):
    project.write("evals/a.eval.py", EVAL.replace('"x")', '"x", {"harness": "claude-code"})'))
    (evals,) = checks()["evals"]
    assert evals["status"] == "missing"
    assert "the claude-code harness is not in this version yet" in evals["found"]


def test_keys_are_named_with_where_they_are_and_never_shown(reeval, checks, project, monkeypatch):
    project.write("reeval.toml", KEYS)
    project.write("evals/a.eval.py", EVAL)
    project.write(".env", "FROM_FILE=value-of-the-file-1234\n")
    monkeypatch.setenv("FROM_HOST", "value-of-the-host-5678")
    found = {one["found"]: one["status"] for one in checks()["key"]}
    assert found == {
        "FROM_FILE is set, in .env": "ok",
        "FROM_HOST is set, in the environment": "ok",
        "NOWHERE is not set": "missing",
        "PERHAPS is not set; no eval needs it": "note",
        "UNUSED is not set; no eval needs it": "note",
    }
    told = reeval("doctor")
    assert told.code == 1
    assert "value-of-the" not in told.out + told.err


@pytest.mark.parametrize(
    ("name", "text", "check", "says"),
    [
        ("reeval.toml", "runs = 0\n", "config", "reeval.toml:1"),
        (".env", "not an assignment\n", "keys", ".env:1"),
        ("evals/b.eval.py", "import nothing_of_that_name\n", "evals", "does not load"),
        ("evals/b.eval.py", EVAL, "evals", "no harness is set"),
        (".reeval", "a file in the way", "runs", "can't be written"),
    ],
)
def test_what_is_broken_is_named(checks, project, name, text, check, says):
    project.passing()
    project.write(name, text)
    found = [one for one in checks()[check] if one["status"] == "missing"]
    assert [says in one["found"] for one in found] == [True]


def test_it_looks_and_changes_nothing(reeval, project):
    kept = project.passing()
    reeval("doctor")
    assert {p for p in project.root.rglob("*") if p.suffix != ".pyc"} - {kept.parent} <= {
        kept,
        kept.parent / "__pycache__",
    }


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """The program laid out as the zipapp's bootstrap unpacks it, with a file to damage."""
    app = tmp_path / "entry" / "app"
    hidden = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "reeval", app / "reeval", ignore=hidden)
    shutil.copytree(ROOT / "reeval_python", app / "reeval_python", ignore=hidden)
    shutil.copyfile(ROOT / "packaging/bootstrap.py", app / "reeval_bootstrap.py")
    (app / "part.py").write_text("sound = True\n")
    contents = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  app/{path.relative_to(app)}\n"
        for path in sorted(app.rglob("*.py"))
    ]
    (app.parent / "contents").write_text("".join(contents))
    return app


@pytest.mark.parametrize("damaged", [False, True])
def test_damage_to_the_unpacked_program_is_noticed(project, unpacked, damaged):
    if damaged:
        (unpacked / "part.py").write_text("sound = None\n")
    told = subprocess.run(
        [sys.executable, "-m", "reeval", "doctor", "--json"],
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        check=False,
    )
    (program,) = (c for c in json.loads(told.stdout)["checks"] if c["name"] == "program")
    assert program["status"] == ("missing" if damaged else "ok")
    assert ("app/part.py" in program["found"]) is damaged
    assert told.returncode == int(damaged)
