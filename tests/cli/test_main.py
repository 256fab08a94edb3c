"""The command line as a whole: help, a person's mistakes, faults, signals, a reader that leaves."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from reeval.cli.failures import explain
from reeval.cli.main import COMMANDS
from reeval.version import VERSION

HEAVY = {"asyncio", "rich", "requests", "tomli", "cryptography", "pexpect"}


def loaded_by(*arguments: str) -> set[str]:
    """The heavy packages that a start with these arguments imports."""
    program = (
        "import sys\nfrom reeval.cli.main import main\ntry:\n    main(sys.argv[1:])\n"
        "except SystemExit:\n    print(*sys.modules, file=sys.stderr)"
    )
    told = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )
    return HEAVY & set(told.stderr.split())


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["completion", "zsh"]])
def test_help_loads_nothing_it_doesnt_need(arguments):
    assert loaded_by(*arguments) == set()


def test_showing_a_stored_run_needs_no_event_loop(reeval, project):
    project.passing()
    reeval("run")
    assert loaded_by("show") == {"tomli"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_commands_help_has_examples(reeval, name):
    shown = reeval(name, "--help")
    assert shown.code == 0
    assert f"Examples:\n    reeval {name}" in shown.out
    assert COMMANDS[name].removesuffix(".")[:40] in " ".join(shown.out.split())


def test_help_names_only_what_this_version_does(reeval):
    shown = reeval("-h").out
    named = re.findall(r"^  (\w+) ", shown.partition("Commands:")[2], re.MULTILINE)
    assert set(named[: len(COMMANDS)]) == set(COMMANDS)
    assert not {"studio", "analyze", "capture", "image", "sandbox"} & set(named)


def test_the_version(reeval):
    assert reeval("--version").out == f"reeval {VERSION}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["runn"], "did you mean 'run'"),
        (["run", "--tags", "x"], "--tag"),
        (["run", "--runs", "0"], "0"),
        (["show", "--diff"], "--attempt"),
        (["run"], "`reeval init` writes one"),
    ],
)
def test_a_persons_mistake_is_a_sentence_and_exits_2(reeval, arguments, says):
    wrong = reeval(*arguments)
    assert wrong.code == 2
    assert says in wrong.err
    assert "Traceback" not in wrong.err


def test_a_fault_of_reevals_own_is_one_line_until_more_is_asked_for(capsys, monkeypatch):
    try:
        raise RuntimeError("the \x1b[2Jroof fell in")
    except RuntimeError as error:
        fault = error
    monkeypatch.delenv("REEVAL_TRACEBACK", raising=False)
    assert explain(fault) == 1
    brief = capsys.readouterr().err
    assert "roof fell in" in brief
    assert "REEVAL_TRACEBACK=1" in brief
    assert "Traceback" not in brief
    assert "\x1b" not in brief
    monkeypatch.setenv("REEVAL_TRACEBACK", "1")
    explain(fault)
    assert "Traceback" in capsys.readouterr().err


def test_ctrl_c_while_planning_is_130_and_no_traceback(project, spawn):
    project.write(
        "evals/slow.eval.py",
        "import pathlib, time\npathlib.Path('loading').touch()\ntime.sleep(60)\n",
    )
    process = spawn("run")
    while not (project.root / "loading").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert (out, err) == ("", "interrupted\n")


@pytest.mark.parametrize("arguments", [["config", "schema"], ["list", "--json"], ["--help"]])
def test_a_reader_that_leaves_early_is_no_error(reeval, project, spawn, arguments):
    project.passing()
    process = spawn(*arguments)
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=60)
    assert err == ""
    assert process.returncode == 0


def test_the_shell_completes_commands_files_runs_and_names(reeval, project, monkeypatch):
    project.passing()
    project.write("reeval.toml", '[harnesses.canned]\nkind = "fake"\n')
    reeval("run")
    (record,) = project.records()
    monkeypatch.setenv("_REEVAL_COMPLETE", "bash_complete")

    def complete(line: str) -> set[str]:
        words = line.split(" ")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        return {item.partition(",")[2] for item in reeval().out.split()}

    assert complete("reeval rec") == {"record", "recover"}
    assert complete("reeval run evals/g") == {"evals/greet.eval.py"}
    assert complete("reeval show 20") == {record.stem}
    assert complete("reeval run --harness can") == {"canned"}
    project.write("reeval.toml", "broken = [")
    assert complete("reeval show 20") == set()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shells_script_asks_reeval(reeval, shell):
    printed = reeval("completion", shell)
    assert printed.code == 0
    assert f"_REEVAL_COMPLETE={shell}_complete" in printed.out
