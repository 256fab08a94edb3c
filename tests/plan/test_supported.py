"""What this version can't run is refused before it runs, naming the eval and a way out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reeval.config.errors import UsageError
from reeval.config.model import (
    Compare,
    EnvironmentSpec,
    EvalOptions,
    GitWorkspace,
    PluginSource,
    SkillSource,
)
from reeval.plan.model import Family
from reeval.plan.supported import refuse_unsupported

WHERE = 'a.eval.py: evaluate("x"): '


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (
            {"harness": "codex"},
            "the codex harness is not in this version yet; use fake_harness(…), which runs in the "
            "fake sandbox",
        ),
        (
            {"sandbox": "docker"},
            "the docker sandbox is not in this version yet; use fake_harness(…), which runs in the "
            "fake sandbox",
        ),
        (
            {"environment": EnvironmentSpec("e", workspace=GitWorkspace("github:acme/app"))},
            "a Git workspace (workspace) is not in this version yet; write what the agent needs "
            "with files or setup",
        ),
        (
            {"environment": EnvironmentSpec("e", plugins=(PluginSource("local", {}),))},
            "a plugin (plugins) is not in this version yet; place its skills, rules and MCP "
            "servers yourself",
        ),
        (
            {"environment": EnvironmentSpec("e", skills=(SkillSource("npm", {"spec": "@a/b"}),))},
            "skill.npm is not in this version yet; copy @a/b into the project and use "
            "skill.local(…)",
        ),
    ],
)
def test_each_need_is_named(made: Any, cell: dict[str, Any], message: str) -> None:
    plan = made.plan(made.eval("x", made.cell(**cell)))
    with pytest.raises(UsageError) as error:
        refuse_unsupported(plan)
    assert str(error.value) == WHERE + message
    refuse_unsupported(made.plan(made.eval("x", made.cell(**cell), skip="skip")))


def test_stopping_a_comparison_early_is_refused(made: Any) -> None:
    options = EvalOptions(compare=Compare(variants=(), stop={"early": True}))
    with pytest.raises(UsageError, match=r"compare\.stop"):
        refuse_unsupported(made.plan(made.eval("x", made.cell(), options=options)))


def test_min_lift_over_a_pooled_suite_is_refused_and_over_a_single_eval_is_not(made: Any) -> None:
    options = EvalOptions(compare=Compare(variants=(), min_lift=0.1))
    family = Family("a.eval.py › case $n", "case $n", 0, 2)
    pooled = replace(made.eval("case 0", made.cell(), options=options), family=family)
    with pytest.raises(UsageError) as error:
        refuse_unsupported(made.plan(pooled))
    assert str(error.value) == (
        'a.eval.py: evaluate_each("case $n"): min_lift over a pooled suite is not in this version '
        "yet; leave out min_lift, or pool"
    )
    refuse_unsupported(made.plan(replace(pooled, skip="skip")))
    refuse_unsupported(made.plan(made.eval("x", made.cell(), options=options)))


def test_what_it_has_passes(made: Any) -> None:
    skills = (SkillSource("local", {"path": "s"}), SkillSource("inline", {"name": "n"}))
    environment = EnvironmentSpec("e", skills=skills, rules="be kind", setup=())
    refuse_unsupported(made.plan(made.eval("x", made.cell(environment=environment))))
