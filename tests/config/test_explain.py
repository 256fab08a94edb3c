"""What `reeval config` prints."""

from __future__ import annotations

from pathlib import Path

from reeval.config.cascade import resolve_options
from reeval.config.explain import explain_eval, explain_settings
from reeval.config.load import load_settings
from reeval.config.options import Layer

CONFIG = """\
harness = "claude"
environment = "base"
timeout = "90s"
concurrency = 2
[harnesses.claude]
kind = "claude-code"
model = "sonnet"
[environments.base]
env = { A = "1", T = { secret = "TOKEN" } }
[profiles.pr]
when = { ci = true }
defaults = { runs = 5 }
"""


def test_each_value_stands_with_its_line_or_level(tmp_path: Path) -> None:
    (tmp_path / "reeval.toml").write_text(CONFIG)
    settings = load_settings(tmp_path, {})
    text = explain_settings(settings, settings.profiles["pr"], "ci")
    assert text == (
        f"project {tmp_path}\n"
        """\
config  reeval.toml
profile pr (ci)

evals = ["evals/**/*.eval.py"]                  # default
concurrency = 2                                 # reeval.toml:4
record = "manual"                               # default
history = "evals/history"                       # default
artifacts = "all"                               # default
gateway = []                                    # default
runner.module = unset                           # default
images = {}                                     # default
gateways = {}                                   # default
environments.base.env.A = "1"                   # reeval.toml:9
environments.base.env.T = { secret = "TOKEN" }  # reeval.toml:9
harnesses.claude = "claude-code:sonnet"         # reeval.toml:5
profiles.pr.when.ci = true                      # reeval.toml:11
harness = ["claude-code:sonnet"]                # reeval.toml:1
environment = "base"                            # reeval.toml:2
compare = unset                                 # default
sandbox = unset                                 # default
egress = unset                                  # default
env = {}                                        # default
gate = "all"                                    # default
runs = 5                                        # profile pr
timeout = "90s"                                 # reeval.toml:3
tags = []                                       # default
pin = []                                        # default
question = {}                                   # default
questions = []                                  # default
capture = {}                                    # default
revision = unset                                # default
"""
    )


def test_one_evals_options_with_the_level_that_set_each(tmp_path: Path) -> None:
    (tmp_path / "reeval.toml").write_text(CONFIG)
    settings = load_settings(tmp_path, {})
    options = {"env": {"B": "2"}, "judge": {"threshold": 0.9}}
    layer = Layer('evaluate("greets")', options, "evals/a.eval.py")
    lines = explain_eval("evals/a.eval.py › greets", resolve_options(settings, None, [layer]))
    rows = [line.split("  # ") for line in lines.splitlines()]
    shown = {row[0].strip(): row[1] for row in rows if len(row) == 2}
    assert lines.startswith("evals/a.eval.py › greets\n\n")
    assert shown['env.B = "2"'] == 'evaluate("greets")'
    assert shown["judge.threshold = 0.9"] == 'evaluate("greets")'
    assert shown['environment.env.A = "1"'] == "reeval.toml"
    assert shown["runs = 1"] == "default"


def test_without_a_file_everything_is_a_default(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    text = explain_settings(load_settings(tmp_path, {}))
    assert "config  none: these are the defaults" in text
    assert {line.split("# ")[1] for line in text.splitlines() if "# " in line} == {"default"}
