"""A fingerprint part changes with its own input and with no other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reeval.config.model import (
    EnvironmentSpec,
    EvalOptions,
    FakeJudge,
    HarnessSpec,
    JudgeSpec,
    Settings,
)
from reeval.plan.cells import Cells
from reeval.plan.declarations import DeclaredEval, Level
from reeval.plan.environments import Environments
from reeval.plan.fingerprint import source_record, sources_part
from reeval.plan.matrix import arms
from reeval.plan.model import Cell, Family
from reeval.plan.source import SourceFile

FAKE = HarnessSpec("fake", "fake", fields={"delay_ms": 1})
BEFORE = EvalOptions((FAKE,), environment=EnvironmentSpec("e", rules="old"))


def cell(options: EvalOptions, sources: str = "s") -> Cell:
    settings = Settings(Path("/p"), gateway=("direct",))
    (arm,) = arms(options, settings)
    return Cells(settings, Environments(settings.root, {})).make(arm, options, sources)


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"harness": (replace(FAKE, fields={"delay_ms": 2}),)}, {"harness"}),
        ({"harness": (replace(FAKE, effort="high"),)}, {"harness"}),
        ({"harness": (replace(FAKE, max_concurrent=2),)}, set()),
        ({"environment": EnvironmentSpec("e", rules="new")}, {"environment", "context"}),
        ({"environment": EnvironmentSpec("e", rules="old", env={"A": "1"})}, {"environment"}),
        ({"environment": EnvironmentSpec("other", rules="old")}, set()),
        ({"env": {"A": "1"}}, {"environment"}),
        ({"judge": JudgeSpec(model=FakeJudge(1.0))}, {"judge"}),
        ({"judge": JudgeSpec(threshold=0.5)}, {"judge"}),
        ({"judge": JudgeSpec(state={"diff": ["src/**"]})}, {"judge"}),
        ({"judge": JudgeSpec(max_concurrent=3)}, set()),
        ({"gate": 0.5}, {"gate"}),
        ({"runs": 9, "tags": ("x",), "pin": ("runs",)}, set()),
    ],
)
def test_each_input_has_a_part_of_its_own(change: dict[str, Any], parts: set[str]) -> None:
    before, after = cell(BEFORE), cell(replace(BEFORE, **change))
    keys = {*before.fingerprint_parts, *after.fingerprint_parts}
    changed = {k for k in keys if before.fingerprint_parts.get(k) != after.fingerprint_parts.get(k)}
    assert changed == parts
    assert (before.fingerprint != after.fingerprint) == bool(parts)


def test_the_sources_are_a_part_too() -> None:
    assert cell(BEFORE, "a").fingerprint != cell(BEFORE, "b").fingerprint
    assert cell(BEFORE, "a").fingerprint_parts["sources"] == "a"


def test_a_gate_is_written_out() -> None:
    assert "gate" not in cell(BEFORE).fingerprint_parts
    assert cell(replace(BEFORE, gate=0.5)).fingerprint_parts["gate"] == "passRate 0.5"
    assert cell(replace(BEFORE, gate="none")).fingerprint_parts["gate"] == "none"


def test_a_fake_agent_has_no_image_no_cli_and_no_gateway() -> None:
    made = cell(BEFORE)
    assert (made.fingerprint_parts["image"], made.fingerprint_parts["agentCli"]) == (None, None)
    assert made.gateway is None
    assert "gateway" not in made.fingerprint_parts


# ── sources ──────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def source(tmp_path: Path) -> SourceFile:
    (tmp_path / "a.eval.py").write_text("@evaluate('x')\ndef x(c): pass\n")
    return SourceFile(tmp_path, "a.eval.py")


def declared(*levels: dict[str, Any], case: int | None = None) -> DeclaredEval:
    family = None if case is None else Family("f", "case $n", case, 3)
    own = tuple(Level("level", options) for options in levels)
    return DeclaredEval("a.eval.py", (), "x", levels=own, family=family)


def test_options_count_with_the_groups(source: SourceFile) -> None:
    def options(*levels: dict[str, Any]) -> object:
        return source_record(declared(*levels), source)["options"]

    assert options({"timeout": "5m"}) != options({"timeout": "6m"})
    assert options({"env": {"A": "1"}}, {}) != options({}, {"env": {"A": "2"}})
    assert options({}, {"timeout": "5m"}) == options({"timeout": "5m"}, {})
    elsewhere = {"harness": {"kind": "fake"}, "runs": 3, "gate": "all", "tags": ["t"]}
    assert options(elsewhere) == options({})


def test_a_case_counts_by_its_place_and_name(source: SourceFile) -> None:
    first, second = (source_record(declared(case=n), source) for n in (0, 1))
    assert first["case"] != second["case"]
    assert first["body"] == second["body"]
    assert source_record(declared(), source)["case"] is None


def test_the_revision_counts_beside_the_record(source: SourceFile) -> None:
    record = source_record(declared(), source)
    parts = [sources_part(record, revision) for revision in (None, 1, 2, "1")]
    assert len(set(parts)) == 4
