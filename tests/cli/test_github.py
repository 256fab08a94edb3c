"""GitHub Actions is told where evals failed and of a run that was refused, in our words alone."""

from __future__ import annotations

import pytest

SAYS = "::error file=elsewhere.py::owned\\n::error::owned"
EVALS = f"""\
from reeval import evaluate, fake_harness

for n in range(12):
    @evaluate(f"50%: eval {{n}}", {{"harness": fake_harness(text={SAYS!r})}})
    def says(c):
        assert c.send("Speak.").text == "Done."
"""


@pytest.fixture
def on_github(monkeypatch, project):
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(project.root.parent))
    summary = project.root.parent / "summary"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    return summary


def commands(out: str) -> list[str]:
    return [line for line in out.splitlines() if line.lstrip().startswith("::")]


def test_each_failed_eval_is_annotated_at_its_line_the_first_ten(reeval, project, on_github):
    project.write("evals/a,b.eval.py", EVALS)
    project.passing()
    found = commands(reeval("run").out)
    assert len(found) == 10
    assert found[0] == (
        "::error file=project/evals/a%2Cb.eval.py,line=6,title=reeval::"
        "evals/a,b.eval.py › 50%25: eval 0: 1 of 1 attempt failed"
    )
    assert all("owned" not in line for line in found)


def test_a_green_run_is_not_annotated(reeval, project, on_github):
    project.passing()
    assert commands(reeval("run").out) == []


@pytest.mark.parametrize("arguments", [("run", "--json"), ("list",)])
def test_events_and_listings_hold_no_annotation(reeval, project, on_github, arguments):
    project.failing()
    assert commands(reeval(*arguments).out) == []


def test_elsewhere_nothing_is_annotated(reeval, project):
    project.failing()
    assert commands(reeval("run").out) == []


@pytest.mark.parametrize("config", ["concurency = 2\n", 'harness = "codex"\n'])
def test_a_refused_run_is_said_in_the_jobs_summary(reeval, project, on_github, config):
    project.write("reeval.toml", config)
    project.write(
        "evals/a.eval.py", "from reeval import evaluate\n\n@evaluate('a')\ndef a(c): ...\n"
    )
    ran = reeval("run")
    assert ran.code == 2
    page = on_github.read_text()
    assert page.startswith("## ❌ reeval did not run\n\n")
    assert "concurrency" in page or "codex harness is not in this version yet" in page


def test_a_refused_run_shows_no_secret_in_the_summary(reeval, project, on_github, monkeypatch):
    monkeypatch.setenv("TOKEN", "sesame-open-now")
    project.write(
        "evals/a.eval.py",
        "from reeval import evaluate, fake_harness, secret\n\n"
        "@evaluate('a', {'harness': 'sesame-open-now', 'env': {'A': secret('TOKEN')}})\n"
        "def a(c): ...\n",
    )
    assert reeval("run").code == 2
    assert "sesame" not in on_github.read_text()
