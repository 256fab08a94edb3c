"""`reeval run`: exit codes, what is written, what is shown, and what earlier runs left behind."""

from __future__ import annotations

import json
import re
import signal

import pytest

from reeval.engine.events import AttemptStarted
from reeval.record import history
from reeval.report import json_stream, results, summary_md
from reeval.report.lines import LineReporter


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
    assert "nothing to run: each eval passed the last time" in again.out
    project.failing()
    changed = reeval("run", "--only-changed", "--dry-run")
    assert "counts" in changed.out
    assert "greets" not in changed.out


def test_only_changed_with_nothing_to_run_says_so_and_leaves_no_record(reeval, project):
    project.passing()
    assert reeval("run").code == 0
    again = reeval("run", "--only-changed")
    said = "nothing to run: each eval passed the last time and is as it was then\n"
    assert (again.code, again.out) == (0, said)
    as_json = reeval("run", "--only-changed", "--json")
    assert (as_json.code, as_json.out, as_json.err) == (0, "", said)
    assert len(project.records()) == 1


def test_only_changed_runs_again_what_failed(reeval, project):
    project.passing()
    project.failing()
    assert reeval("run").code == 1
    again = reeval("run", "--only-changed")
    assert again.code == 1
    assert "1 eval · 1 attempt" in again.out
    assert "counts" in again.out
    assert "greets" not in again.out


def test_only_changed_runs_an_eval_whose_helper_changed(reeval, project):
    helper = "\ndef helper():\n    return 1\n"
    path = project.passing()
    path.write_text(path.read_text() + helper)
    assert reeval("run").code == 0
    path.write_text(path.read_text().replace("return 1", "return 2"))
    assert "1 eval · 1 attempt" in reeval("run", "--only-changed").out


LIMITED = """
[environments.a]
[environments.b]
[profiles.pr]
when = { ci = true }
limit = { runs = 2, compare = false }
"""


def test_a_profile_is_said_at_the_start_with_what_it_took_away(reeval, project, monkeypatch):
    project.write("reeval.toml", LIMITED)
    path = project.passing()
    path.write_text(
        path.read_text().replace('"tags"', '"runs": 9, "compare": {"variants": ["a"]}, "tags"')
    )
    monkeypatch.setenv("CI", "true")
    note = "profile pr (ci): runs 9 → 2 in 1 eval, compare dropped in 1 eval"
    for command in (("run",), ("list",), ("run", "--dry-run")):
        ran = reeval(*command)
        assert ran.out.startswith(f"{note}\n")
        assert "the control of 1 eval is all that runs, and it gates nothing" in ran.out
    monkeypatch.delenv("CI")
    assert "profile" not in reeval("list").out
    assert reeval("list", "--profile", "pr").out.startswith("profile pr (--profile): runs 9")


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


def test_a_killed_run_is_recovered_with_what_had_finished(reeval, project, spawn, monkeypatch):
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
    live = reeval("show")
    assert "to come          takes its time" in live.out
    assert "status     running: what has ended so far" in live.out
    assert "  running" in reeval("runs").out
    assert [run["live"] for run in json.loads(reeval("runs", "--json").out)] == [True]
    assert reeval("recover").out == "no run needs recovering\n"  # it is still alive
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=20)
    shown = reeval("show")
    assert "interrupted      takes its time" in shown.out
    assert shown.out.endswith("the run was killed: `reeval recover` writes it\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project.root / "step.md"))
    recovered = reeval("recover")
    assert not (project.root / "step.md").exists(), "it is another run's job"
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


# ── reports that break ───────────────────────────────────────────────────────────────────────


def break_at(monkeypatch, where, name):
    """Makes a function of a report raise, as a fault of reeval's does, once its work is done."""
    work = getattr(where, name)

    def broken(*given, **named):
        work(*given, **named)
        raise RuntimeError("a fault")

    monkeypatch.setattr(where, name, broken)


def test_a_json_stream_that_breaks_is_said_and_still_ends_with_its_summary(
    reeval, project, monkeypatch
):
    project.failing()
    monkeypatch.setitem(json_stream._SPECIAL, AttemptStarted, lambda event: event.no_such_thing)
    ran = reeval("run", "--json")
    first, *_, last = [json.loads(line) for line in ran.out.splitlines()]
    assert first["type"] == "run-started"
    assert (last["type"], last["exitCode"], last["summary"]["fail"]) == ("summary", 1, 1)
    assert "warning: a report stopped: AttributeError" in ran.err
    assert ran.code == 1


@pytest.mark.parametrize(
    ("where", "name", "says"),
    [
        (results, "results_lines", "the results can't be shown"),
        (summary_md, "summary_markdown", "the summary can't be made"),
        (summary_md, "append_step_summary", "the summary can't be written"),
        (history, "record_run", "the run can't be copied to the history"),
        (LineReporter, "close", "the report can't be ended"),
        (LineReporter, "on_event", None),
    ],
)
def test_a_report_that_breaks_is_said_and_leaves_the_exit_code_and_the_other_parts(
    reeval, project, monkeypatch, where, name, says
):
    project.failing()
    break_at(monkeypatch, where, name)
    ran = reeval("run", "--record", "always")
    warning = (
        f"warning: {says}: reeval failed: RuntimeError: a fault"
        if says
        else "warning: a report stopped: RuntimeError: a fault"
    )
    assert warning in ran.err
    assert ran.code == 1
    (record,) = project.records()
    assert (record.with_suffix("") / "summary.md").exists() is (name != "summary_markdown")
    assert ("record     .reeval" in ran.out) is (name != "results_lines")
    assert ("recorded in" in ran.out) is (name != "record_run")


# ── damaged records of earlier runs ──────────────────────────────────────────────────────────


def test_a_damaged_record_of_an_earlier_run_stops_no_command(reeval, project):
    project.passing()
    assert reeval("run").code == 0
    (record,) = project.records()
    good = record.read_bytes()
    at = good.index(b'"durationMs"', good.index(b'{"key":'))
    record.write_bytes(good[:at] + b"\xff" + good[at + 1 :])
    (project.root / ".reeval" / "runs" / "20990101T000000Z_x_y.json").mkdir()
    assert reeval("list").code == 0
    assert "nothing to run" in reeval("run", "--only-changed").out  # the eval's line is whole
    listed = reeval("runs")
    assert listed.code == 0
    assert re.search(r"20990101T000000Z_x_y +this record can't be read \(Is a dir", listed.out)
    assert len(json.loads(reeval("runs", "--json").out)) == 2
    shown = reeval("show", record.stem)
    assert (shown.code, "this record is damaged" in shown.err) == (2, True)


def test_min_lift_over_a_pooled_suite_is_refused_by_a_dry_run_as_by_a_run(reeval, project):
    project.write("reeval.toml", 'harness = "fake"\n[environments.e]\nrules = "be brief"\n')
    project.write(
        "evals/a.eval.py",
        "from reeval import evaluate_each\n\n"
        '@evaluate_each([1, 2], "n %s", '
        '{"compare": {"variants": ["e"], "min_lift": 0.1}}, pool=True)\n'
        'def answers(c, n):\n    c.send("Go.")\n',
    )
    for arguments in (["run", "--dry-run"], ["run"]):
        ran = reeval(*arguments)
        assert (ran.code, "min_lift over a pooled suite is not in this" in ran.err) == (2, True)
    assert reeval("list").code == 0
