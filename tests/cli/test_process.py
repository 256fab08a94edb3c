"""Signals at any moment, lost output, closed streams: the right exit code and one sentence."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

COMMAND = (sys.executable, "-m", "reeval")


def shell(script: str) -> subprocess.CompletedProcess[str]:
    """`$R` is reeval."""
    environ = {**os.environ, "R": " ".join(COMMAND)}
    return subprocess.run(["sh", "-c", script], capture_output=True, text=True, env=environ)


@pytest.mark.parametrize(
    "arguments",
    ["show --json", "list --json", "completion zsh", "sdk path", "config schema", "--help",
     "--version", "run --help", "runs"],
)  # fmt: skip
def test_output_that_is_lost_is_one_sentence_and_exits_1(reeval, project, arguments):
    project.passing()
    reeval("run")
    ended = shell(f"$R {arguments} > /dev/full")
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert "No space left on device" in ended.stderr


@pytest.mark.parametrize(("write", "code"), [("passing", 0), ("failing", 1)])
@pytest.mark.parametrize("arguments", ["run", "run --json"])
def test_a_run_keeps_its_exit_code_when_its_report_is_lost(project, write, code, arguments):
    getattr(project, write)()
    ended = shell(f"$R {arguments} > /dev/full")
    assert ended.returncode == code
    assert "Traceback" not in ended.stderr
    assert len(project.records()) == 1


@pytest.mark.parametrize(
    ("arguments", "code"), [("run", 0), ("--help", 0), ("--version", 0), ("bogus", 2)]
)
def test_closed_streams_change_no_exit_code(project, arguments, code):
    project.passing()
    assert shell(f"$R {arguments} <&- >&- 2>&-").returncode == code


def test_a_mistake_exits_2_also_when_stderr_is_full():
    assert shell("$R bogus 2> /dev/full").returncode == 2
    assert shell("$R show nothing 2> /dev/full").returncode == 2


def test_sigterm_while_planning_is_the_same_as_ctrl_c(project, spawn):
    project.write(
        "evals/slow.eval.py",
        "import pathlib, time\npathlib.Path('loading').touch()\ntime.sleep(60)\n",
    )
    process = spawn("run")
    while not (project.root / "loading").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGTERM)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, "", "interrupted\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_modules_load_is_130_and_quiet(project, number):
    program = (
        "import os, sys\nfrom reeval import __main__ as entry\n"
        "class Stops:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == 'reeval.cli.main': os.kill(os.getpid(), {int(number)})\n"
        "sys.meta_path.insert(0, Stops())\nsys.argv[1:] = ['list']\nentry.start()\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


def test_a_signal_after_the_work_is_done_changes_nothing(project):
    program = (
        "import atexit, os, sys\nfrom reeval.__main__ import start\n"
        "atexit.register(lambda: [os.kill(os.getpid(), n) for n in (2, 15)])\n"
        "sys.argv[1:] = ['config', 'schema']\nstart()\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_run_under_a_parent_that_ignores_its_childrens_end(project):
    project.passing()
    program = (
        "import os, signal, sys\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        f"os.execv(sys.executable, {[*COMMAND, 'run']!r})"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
