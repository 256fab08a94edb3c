"""What `reeval config` prints."""

from __future__ import annotations

import json
from pathlib import Path

from reeval.config.cascade import resolve_options
from reeval.config.explain import explain_eval, explain_settings
from reeval.config.load import load_settings
from reeval.config.options import Layer

CONFIG = """\
harness = ["claude", "codex:gpt"]
environment = "base"
timeout = "90s"
concurrency = 2
tags = []
[harnesses.claude]
kind = "claude-code"
model = "sonnet"
effort = "high"
start_timeout = "2m"
[environments.base]
rules = { file = "rules.md" }
setup = ["a", { run = "b", timeout = "1m" }]
skills = ["skills/x"]
[environments.base.env]
A = "1"
T = { secret = "TOKEN", optional = true, to = "checks" }
[environments.over]
extends = "base"
[profiles.pr]
when = { ci = true }
defaults = { runs = 5, timeout = "2m", gate = { pass_rate = 0.5 }, harness = { only = "claude" } }
limit = { compare = { max_variants = 1 }, harness = "claude" }
[profiles.no]
limit = { compare = false }
"""


def test_each_value_stands_as_it_was_written_with_its_line_or_level(tmp_path: Path) -> None:
    (tmp_path / "reeval.toml").write_text(CONFIG)
    settings = load_settings(tmp_path, {})
    text = explain_settings(settings, settings.profiles["pr"], "ci").text()
    head, _, rows = text.partition("\n\n")
    assert head == f"project {tmp_path}\nconfig  reeval.toml\nprofile pr (ci)"
    secret = '{ secret = "TOKEN", to = "checks", optional = true }'
    base = [
        f'rules = {{ file = "{tmp_path}/rules.md" }}  # reeval.toml:12',
        'setup = ["a", { run = "b", timeout = "1m" }]  # reeval.toml:13',
        f'skills = ["{tmp_path}/skills/x"]  # reeval.toml:14',
        'env.A = "1"  # reeval.toml:16',
        f"env.T = {secret}  # reeval.toml:17",
    ]
    assert [" ".join(row.split()).replace(" # ", "  # ") for row in rows.splitlines()] == [
        'evals = ["evals/**/*.eval.py"]  # default',
        "concurrency = 2  # reeval.toml:4",
        'record = "manual"  # default',
        'history = "evals/history"  # default',
        'artifacts = "all"  # default',
        *(f"environments.base.{row}" for row in base),
        'environments.over.extends = "base"  # reeval.toml:19',
        *(f"environments.over.{row.partition('  # ')[0]}  # reeval.toml:18" for row in base),
        'harnesses.claude.kind = "claude-code"  # reeval.toml:7',
        'harnesses.claude.model = "sonnet"  # reeval.toml:8',
        'harnesses.claude.effort = "high"  # reeval.toml:9',
        'harnesses.claude.start_timeout = "2m"  # reeval.toml:10',
        "profiles.pr.when.ci = true  # reeval.toml:21",
        "profiles.pr.defaults.runs = 5  # reeval.toml:22",
        'profiles.pr.defaults.timeout = "2m"  # reeval.toml:22',
        "profiles.pr.defaults.gate = { pass_rate = 0.5 }  # reeval.toml:22",
        'profiles.pr.defaults.harness.only = ["claude"]  # reeval.toml:22',
        'profiles.pr.limit.harness = ["claude"]  # reeval.toml:23',
        "profiles.pr.limit.compare.max_variants = 1  # reeval.toml:23",
        "profiles.no.limit.compare = false  # reeval.toml:25",
        'harness = ["claude"]  # profile pr',
        'environment = "base"  # reeval.toml:2',
        "gate = { pass_rate = 0.5 }  # profile pr",
        "runs = 5  # profile pr",
        'timeout = "2m"  # profile pr',
        "tags = []  # reeval.toml:5",
    ]


def test_the_same_as_json(tmp_path: Path) -> None:
    (tmp_path / "reeval.toml").write_text(CONFIG)
    explained = explain_settings(load_settings(tmp_path, {})).json()
    assert json.loads(json.dumps(explained)) == explained
    assert (explained["project"], explained["config"]) == (str(tmp_path), "reeval.toml")
    assert explained["settings"]["timeout"] == {"value": "90s", "source": "reeval.toml:3"}
    assert explained["settings"]["harness"]["value"] == ["claude", "codex:gpt"]
    secret = {"secret": "TOKEN", "optional": True, "to": "checks"}
    assert explained["settings"]["environments.base.env.T"]["value"] == secret


def test_a_harness_of_an_eval_is_shown_with_all_its_fields(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, {})
    made = {"kind": "fake", "text": "Hi.", "id": "greeter"}
    layer = Layer('evaluate("greets")', {"harness": [made, {"kind": "fake"}]}, "evals/a.eval.py")
    explained = explain_eval("a", resolve_options(settings, None, [layer]), settings).json()
    assert explained["settings"]["harness"]["value"] == [made, "fake"]


def test_one_evals_options_with_the_level_that_set_each(tmp_path: Path) -> None:
    (tmp_path / "reeval.toml").write_text(CONFIG)
    settings = load_settings(tmp_path, {})
    options = {"env": {"B": "2"}, "judge": {"threshold": 0.9}}
    layer = Layer('evaluate("greets")', options, "evals/a.eval.py")
    resolved = resolve_options(settings, None, [layer])
    lines = explain_eval("evals/a.eval.py › greets", resolved, settings).text()
    rows = [line.split("  # ") for line in lines.splitlines()]
    shown = {row[0].strip(): row[1] for row in rows if len(row) == 2}
    assert lines.startswith("eval    evals/a.eval.py › greets\n\n")
    assert shown['env.B = "2"'] == 'evaluate("greets")'
    assert shown["judge.threshold = 0.9"] == 'evaluate("greets")'
    assert shown['environment.env.A = "1"'] == "reeval.toml"
    assert shown["runs = 1"] == "default"


def test_without_a_file_everything_is_a_default(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    text = explain_settings(load_settings(tmp_path, {})).text()
    assert "config  none: these are the defaults" in text
    assert {line.split("# ")[1] for line in text.splitlines() if "# " in line} == {"default"}
