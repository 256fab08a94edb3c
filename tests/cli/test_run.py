"""`reeval run`: exit codes, what is written, what is shown, and what earlier runs left behind."""

from __future__ import annotations

import json
import signal

import pytest


def test_a_green_run_exits_0_and_leaves_record_and_summary(reeval, project):
    project.passing()
    ran = reeval("run")
    assert (ran.code, ran.err) == (0, "")
    (record,) = project.records()
    assert json.loads(record.read_text())["summary"]["pass"] == 1
    assert "greets" in (record.with_suffix("") / "summary.md").read_text()
    assert f"record     .reeval/runs/{record.name}" in ran.out


def test_a_failed_check_exits_1_and_shows_both_sides(reeval, project):
    project.failing()
    ran = reeval("run")
    assert ran.code == 1
    assert "assert len(c.send" in ran.out
    assert "5" in ran.out
    assert "3" in ran.out


def test_only_infra_errors_exit_3(reeval, project):
    project.write(
        "reeval.toml", 'harness = "fake"\n[environments.e]\nsetup = ["echo broken; exit 7"]\n'
    )
    project.write(
        "evals/a.eval.py",
        'from reeval import evaluate\n\n@evaluate("prepares", {"environment": "e"})\n'
        'def prepares(c):\n    c.send("Go.")\n',
    )
    ran = reeval("run")
    assert ran.code == 3
    assert "not counted in any pass rate" in ran.out


def test_a_file_that_doesnt_load_fails_the_run_and_the_others_run(reeval, project):
    project.passing()
    project.write("evals/broken.eval.py", "def broken(:\n")
    ran = reeval("run")
    assert ran.code == 1
    assert "greets" in ran.out
    assert "evals/broken.eval.py did not load: SyntaxError" in ran.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["greetz"], "is in no eval's name"),
        (["evals/none.eval.py"], "is in no eval's name or path"),
        (["--tag", "smok"], "did you mean 'smoke'"),
        (["--harness", "codex"], "no eval runs on codex"),
        (["--profile", "pr"], 'unknown profile "pr"'),
        (["--timeout", "soon"], "--timeout"),
    ],
)
def test_a_selection_that_leaves_nothing_exits_2_and_runs_nothing(reeval, project, arguments, says):
    project.passing()
    ran = reeval("run", *arguments)
    assert ran.code == 2
    assert says in ran.err
    assert project.records() == []


def test_a_selection_runs_what_it_names(reeval, project):
    project.passing()
    project.failing()
    assert reeval("run", "greets").code == 0
    assert reeval("run", "--tag", "!smoke").code == 1
    assert reeval("run", "evals/greet.eval.py::greets").code == 0


def test_a_dry_run_shows_the_plan_and_writes_nothing(reeval, project):
    project.passing()
    shown = reeval("run", "--dry-run", "--runs", "4")
    assert shown.code == 0
    assert "1 eval · 1 cell · 4 attempts" in shown.out
    assert project.records() == []


def test_a_dry_run_refuses_what_the_run_would_refuse(reeval, project):
    project.write(
        "evals/a.eval.py",
        "from reeval import codex, evaluate\n\n"
        '@evaluate("x", {"harness": codex()})\ndef x(c): pass\n',
    )
    assert reeval("list").code == 0
    refused = reeval("run", "--dry-run")
    assert refused.code == 2
    assert "codex harness is not in this version yet" in refused.err


def test_only_changed_leaves_out_what_the_latest_run_had(reeval, project):
    project.passing()
    reeval("run")
    again = reeval("run", "--only-changed", "--dry-run")
    assert again.code == 0
    assert "nothing has changed since the latest run" in again.out
    project.failing()
    changed = reeval("run", "--only-changed", "--dry-run")
    assert "counts" in changed.out
    assert "greets" not in changed.out


def test_json_is_one_event_a_line_and_ends_in_the_summary(reeval, project):
    project.passing()
    ran = reeval("run", "--json")
    events = [json.loads(line) for line in ran.out.splitlines()]
    assert events[0]["type"] == "run-started"
    assert [e["type"] for e in events].count("summary") == 1
    assert events[-1]["type"] == "summary"
    assert events[-1]["exitCode"] == ran.code == 0


def test_a_warning_of_the_plan_is_said_once(reeval, project):
    project.passing()
    project.write(
        "evals/only.eval.py",
        "from reeval import evaluate, fake_harness\n\n"
        '@evaluate.only("alone", {"harness": fake_harness()})\ndef alone(c): c.send("Go.")\n',
    )
    ran = reeval("run")
    assert (ran.out + ran.err).count("marked .only") == 1
    listed = reeval("list")
    assert (listed.out + listed.err).count("marked .only") == 1


@pytest.mark.parametrize(
    ("mode", "environ", "kept"),
    [
        ("always", {}, True),
        ("ci", {}, False),
        ("ci", {"CI": "true"}, True),
        ("manual", {"CI": "true"}, False),
    ],
)
def test_the_history_gets_the_runs_that_record_asks_for(
    reeval, project, monkeypatch, mode, environ, kept
):
    project.passing()
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    ran = reeval("run", "--record", mode)
    copies = sorted(project.root.glob("evals/history/*.json"))
    assert [copy.name for copy in copies] == [p.name for p in project.records() if kept]
    assert ("recorded in evals/history/" in ran.out) is kept


def test_a_run_is_copied_to_the_history_when_asked(reeval, project):
    project.passing()
    reeval("run")
    (record,) = project.records()
    copied = reeval("record", record.stem[:8])
    assert copied.out == f"recorded in evals/history/{record.name}\n"
    assert (project.root / "evals/history" / record.stem / "summary.md").is_file()


def test_the_step_summary_is_added_to_on_github(reeval, project, monkeypatch, tmp_path):
    page = tmp_path / "step.md"
    page.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    project.passing()
    reeval("run")
    assert page.read_text().startswith("before\n")
    assert "greets" in page.read_text()


def test_a_step_summary_that_cant_be_written_is_only_warned_about(reeval, project, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project.root / "no" / "folder" / "step.md"))
    project.passing()
    ran = reeval("run")
    assert ran.code == 0
    assert "the summary can't be written" in ran.err


def test_no_color_is_asked_for_as_by_the_variable(reeval, project, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "")
    project.write(
        "evals/a.eval.py",
        "import os\nfrom reeval import evaluate, fake_harness\n\n"
        '@evaluate("x", {"harness": fake_harness()})\n'
        'def x(c):\n    assert os.environ["NO_COLOR"] == "1"\n',
    )
    assert reeval("run").code == 1
    assert reeval("run", "--no-color").code == 0


def test_a_killed_run_is_recovered_with_what_had_finished(reeval, project, spawn):
    project.passing()
    project.write(
        "evals/slow.eval.py",
        "import time\nfrom reeval import evaluate, fake_harness\n\n"
        '@evaluate("takes its time", {"harness": fake_harness()})\n'
        "def slow(c):\n    time.sleep(300)\n",
    )
    process = spawn("run", "--json")
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["type"] == "attempt-ended":
            break
    assert reeval("recover").out == "no run needs recovering\n"  # it is still alive
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=20)
    recovered = reeval("recover")
    assert recovered.code == 0
    (record,) = project.records()
    assert recovered.err == f"recovered {record.stem}: 1 attempt had finished\n"
    kept = json.loads(record.read_text())
    assert kept["status"] == "interrupted"
    assert kept["summary"]["pass"] == 1
    assert (record.with_suffix("") / "summary.md").is_file()


def test_ctrl_c_in_a_run_keeps_what_finished_and_exits_130(project, spawn):
    project.passing()
    project.write(
        "evals/slow.eval.py",
        "import time\nfrom reeval import evaluate, fake_harness\n\n"
        '@evaluate("takes its time", {"harness": fake_harness()})\n'
        "def slow(c):\n    c.send('Go.')\n    time.sleep(300)\n",
    )
    process = spawn("run", "--json")
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["type"] == "attempt-ended":
            break
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    (record,) = project.records()
    assert json.loads(record.read_text())["status"] == "interrupted"
