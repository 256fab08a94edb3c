"""Evals × harnesses × environments: which cells there are, and what decides each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reeval.config.errors import UsageError
from reeval.config.model import (
    Compare,
    EnvironmentSpec,
    EvalOptions,
    HarnessSpec,
    SandboxSpec,
    Secret,
    Settings,
)
from reeval.plan.matrix import arms, baseline_record

FAKE = HarnessSpec("fake", "fake")
CLAUDE = HarnessSpec("claude-code", "claude-code:claude-sonnet-5", model="claude-sonnet-5")
BASE = EnvironmentSpec("base")
SKILL = EnvironmentSpec("with-skill")
SETTINGS = Settings(Path("/p"), harnesses={"claude": CLAUDE})


def rows(options: EvalOptions, *wanted: str) -> list[tuple[str, str, object]]:
    return [(a.key, a.role, a.gate) for a in arms(options, SETTINGS, wanted)]


def test_every_harness_is_a_cell_of_its_own() -> None:
    assert rows(EvalOptions(harness=(FAKE, CLAUDE), gate=0.8)) == [
        ("fake/-/fake", "control", 0.8),
        ("claude-code:claude-sonnet-5/-/docker", "control", 0.8),
    ]


def test_the_environment_names_the_cell_and_brings_its_sandbox() -> None:
    environment = replace(BASE, sandbox=SandboxSpec("fake", "mine"))
    default = SandboxSpec("fake", "x")
    options = EvalOptions(harness=(FAKE,), environment=environment, sandbox=default)
    assert rows(options) == [("fake/base/mine", "control", "all")]
    assert rows(replace(options, environment=BASE)) == [("fake/base/x", "control", "all")]


@pytest.mark.parametrize(
    ("gate", "control", "variant"),
    [("variants", "none", 0.5), ("all", 0.5, 0.5), ("none", "none", "none")],
)
def test_a_compares_gate_says_which_side_decides(
    gate: str, control: object, variant: object
) -> None:
    compare = Compare(variants=(SKILL,), baseline=BASE, gate=gate)  # type: ignore[arg-type]  # parametrized
    assert rows(EvalOptions(harness=(FAKE,), compare=compare, gate=0.5)) == [
        ("fake/base/fake", "control", control),
        ("fake/with-skill/fake", "variant", variant),
    ]


def test_the_control_is_the_baseline_else_the_environment_else_an_empty_one() -> None:
    compare = Compare(variants=(SKILL,))
    options = EvalOptions(harness=(FAKE,), compare=compare)
    assert rows(options)[0][0] == "fake/baseline/fake"
    assert baseline_record(options) == {"baseline": "baseline", "from": "empty"}
    cascaded = replace(options, environment=BASE)
    assert rows(cascaded)[0][0] == "fake/base/fake"
    assert baseline_record(cascaded) == {"baseline": "base", "from": "environment"}
    given = replace(options, compare=replace(compare, baseline=BASE))
    assert rows(given)[0][0] == "fake/base/fake"
    assert baseline_record(given) == {"baseline": "base"}
    assert baseline_record(EvalOptions()) is None


def test_a_harness_outside_the_comparison_runs_the_control_alone() -> None:
    compare = Compare(variants=(SKILL,), harness=("fake",))
    options = EvalOptions(harness=(FAKE, CLAUDE), compare=compare)
    assert [key for key, *_ in rows(options)] == [
        "fake/baseline/fake",
        "fake/with-skill/fake",
        "claude-code:claude-sonnet-5/baseline/docker",
    ]


@pytest.mark.parametrize(("gate", "control"), [("variants", "none"), ("all", "all")])
def test_a_control_that_lost_its_variants_to_a_limit_keeps_its_gate(
    gate: Literal["variants", "all"], control: str
) -> None:
    options = EvalOptions(harness=(FAKE,), compare=Compare(variants=(), gate=gate))
    assert rows(options) == [("fake/baseline/fake", "control", control)]


@pytest.mark.parametrize("word", ["claude", "claude-code", "claude-code:claude-sonnet-5"])
def test_a_harness_is_chosen_by_id_kind_or_name(word: str) -> None:
    options = EvalOptions(harness=(FAKE, CLAUDE))
    assert [key for key, *_ in rows(options, word)] == ["claude-code:claude-sonnet-5/-/docker"]
    assert rows(options, "codex") == []
    assert len(rows(options, "codex", "fake", word)) == 2


def test_a_cell_gets_the_variables_of_every_level_over_its_environments() -> None:
    key = Secret("HOST_KEY")
    environment = replace(BASE, env={"A": "environment", "B": "environment"})
    options = EvalOptions(harness=(FAKE,), environment=environment, env={"A": "eval", "KEY": key})
    (arm,) = arms(options, SETTINGS)
    assert arm.env == {"A": "eval", "B": "environment", "KEY": key}


def test_a_variant_says_what_it_replaces_of_the_control() -> None:
    base = replace(BASE, env={"A": "1", "B": "1"}, rules="old", files={"x": "1"})
    other = replace(SKILL, env={"A": "2", "B": "1", "C": "3"}, rules="new")
    child = replace(SKILL, name="child", parent="base", overrides=("rules",))
    compare = Compare(variants=(other, child), baseline=base)
    found = {a.variant: a.overrides for a in arms(EvalOptions((FAKE,), compare=compare), SETTINGS)}
    assert found == {None: (), "with-skill": ("rules", "env.A"), "child": ("rules",)}


def test_two_cells_of_one_name_are_refused() -> None:
    twin = replace(FAKE, start_timeout=1.0)
    with pytest.raises(UsageError, match="two cells are named fake/-/fake: give"):
        arms(EvalOptions(harness=(FAKE, twin)), SETTINGS)


NAMES = st.lists(st.sampled_from("abcd"), unique=True, max_size=3)


@given(NAMES, NAMES, NAMES, st.lists(st.sampled_from("abcd"), max_size=2))
def test_keys_are_unique_and_every_variant_has_a_control(
    harnesses: list[str], variants: list[str], compared: list[str], wanted: list[str]
) -> None:
    options = EvalOptions(
        harness=tuple(HarnessSpec("fake", name) for name in harnesses),
        compare=Compare(
            variants=tuple(EnvironmentSpec(f"v{name}") for name in variants),
            harness=tuple(compared),
        ),
    )
    found = arms(options, SETTINGS, wanted)
    assert len({a.key for a in found}) == len(found)
    assert {a.harness.id for a in found} == set(harnesses) & set(wanted or harnesses)
    controls = {a.harness.id for a in found if a.role == "control"}
    for arm in found:
        if arm.role == "variant":
            assert arm.harness.id in controls
            assert not compared or arm.harness.id in compared
