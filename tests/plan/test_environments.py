"""The record's environments follow contents, name secrets, and hold no secret's value."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reeval.config.errors import UsageError
from reeval.config.model import (
    EnvironmentSpec,
    EvalOptions,
    HarnessSpec,
    HostFile,
    McpServer,
    Secret,
    SecretTemplate,
    Settings,
    SetupStep,
    SkillSource,
)
from reeval.plan.cells import Cells
from reeval.plan.environments import Environments
from reeval.plan.matrix import Arm, arms
from reeval.plan.model import Cell

SECRETS = {
    "PLAIN": Secret("HOST_PLAIN"),
    "BROKERED": Secret("HOST_BROKERED", hosts=("api.example.com",)),
    "MAYBE": Secret("HOST_MAYBE", optional=True),
}


def arm(environment: EnvironmentSpec | None, root: Path, **options: Any) -> Arm:
    resolved = EvalOptions((HarnessSpec("fake", "fake"),), environment=environment, **options)
    return arms(resolved, Settings(root))[0]


def cell(environment: EnvironmentSpec | None, root: Path, environments: Environments) -> Cell:
    options = EvalOptions((HarnessSpec("fake", "fake"),), environment=environment)
    return Cells(Settings(root), environments).make(arm(environment, root), options, "sources")


def record(environment: EnvironmentSpec, root: Path, **values: str) -> dict[str, Any]:
    environments = Environments(root, values)
    (found,) = environments.records([cell(environment, root, environments)])
    return dict(found)


def digest(environment: EnvironmentSpec, root: Path) -> str:
    return str(record(environment, root)["digest"])


def test_a_record_names_everything_and_shows_no_value(tmp_path: Path) -> None:
    (tmp_path / "rules.md").write_text("be kind")
    environment = EnvironmentSpec(
        "child",
        parent="base",
        overrides=("rules",),
        files={"b.txt": "two", "a.txt": "one"},
        rules=HostFile(tmp_path / "rules.md"),
        setup=(SetupStep("npm ci"),),
        mcp={
            "docs": McpServer("stdio", command="x"),
            "api": McpServer(
                "http",
                url="https://api.example.com",
                headers={"Authorization": SecretTemplate("Bearer ${API_KEY}")},
            ),
        },
        env={"MODE": "test", **SECRETS},
    )
    found = record(environment, tmp_path, HOST_PLAIN="hunter2", HOST_BROKERED="hunter3")
    assert {k: v for k, v in found.items() if k not in ("digest", "files")} == {
        "name": "child",
        "parent": "base",
        "overrides": ["rules"],
        "setup": ["npm ci"],
        "skills": [],
        "mcp": ["api", "docs"],
        "vars": ["MODE"],
        "secrets": ["API_KEY", "BROKERED", "MAYBE", "PLAIN"],
        "brokered": ["API_KEY", "BROKERED"],
        "unset": ["MAYBE"],
        "egress": "proxy",
    }
    assert [file["path"] for file in found["files"]] == ["a.txt", "b.txt"]
    assert "hunter" not in repr(found)


def test_a_secrets_value_is_not_in_the_digest(tmp_path: Path) -> None:
    environment = EnvironmentSpec("e", env={"KEY": Secret("HOST")})
    one = record(environment, tmp_path, HOST="one")
    assert one == record(environment, tmp_path, HOST="two") == record(environment, tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"files": {"a": "2"}},
        {"rules": "new"},
        {"setup": (SetupStep("true", timeout=1.0),)},
        {"setup": (SetupStep("true", cwd="x"),)},
        {"env": {"A": "2"}},
        {"env": {"A": Secret("A")}},
        {"mcp": {"d": McpServer("stdio", command="y")}},
        {"egress": "allow-all"},
        {"skills": (SkillSource("inline", {"name": "s", "description": "d", "content": "c"}),)},
    ],
)
def test_every_content_changes_the_digest(tmp_path: Path, change: dict[str, Any]) -> None:
    before = EnvironmentSpec(
        "e",
        files={"a": "1"},
        rules="old",
        setup=(SetupStep("true"),),
        env={"A": "1"},
        mcp={"d": McpServer("stdio", command="x")},
    )
    assert digest(replace(before, **change), tmp_path) != digest(before, tmp_path)


def test_environments_with_the_same_contents_share_a_digest(tmp_path: Path) -> None:
    a = EnvironmentSpec("a", rules="be kind", parent="x")
    assert digest(a, tmp_path) == digest(replace(a, name="b", parent=None), tmp_path)
    (tmp_path / "rules.md").write_text("be kind")
    from_file = replace(a, rules=HostFile(tmp_path / "rules.md"))
    assert digest(from_file, tmp_path) == digest(a, tmp_path)


def test_a_files_contents_count_and_not_its_place(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "f").write_text("same")
    spec = EnvironmentSpec("e", files={"f": HostFile(tmp_path / "one" / "f")})
    moved = replace(spec, files={"f": HostFile(tmp_path / "two" / "f")})
    assert digest(spec, tmp_path) == digest(moved, tmp_path)
    (tmp_path / "two" / "f").write_text("other")
    assert digest(spec, tmp_path) != digest(moved, tmp_path)


def test_a_file_that_is_not_there_is_an_error_with_its_path(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    with pytest.raises(UsageError, match=f"{gone}: it can't be read"):
        digest(EnvironmentSpec("e", files={"f": HostFile(gone)}), tmp_path)


def test_without_an_environment_there_is_no_record_but_variables_count(tmp_path: Path) -> None:
    environments = Environments(tmp_path, {})
    bare = environments.describe(arm(None, tmp_path))
    assert (bare.record_digest, bare.environment) == (None, None)
    with_variable = environments.describe(arm(None, tmp_path, env={"A": "1"}))
    assert with_variable.record_digest is None
    assert with_variable.environment is not None
    assert environments.records([cell(None, tmp_path, environments)]) == ()


def test_each_environment_is_recorded_once(tmp_path: Path) -> None:
    environments = Environments(tmp_path, {})
    spec = EnvironmentSpec("e")
    cells = [cell(spec, tmp_path, environments) for _ in range(3)]
    cells.append(cell(replace(spec, rules="x"), tmp_path, environments))
    assert len(environments.records(cells)) == 2


# ── skills ───────────────────────────────────────────────────────────────────────────────────


def skill(folder: Path, name: str, text: str = "do it") -> None:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: d\n---\n{text}\n")


def test_a_skill_is_named_by_its_manifest_and_hashed_by_its_files(tmp_path: Path) -> None:
    skill(tmp_path / "skills" / "one", "greet")
    (tmp_path / "evals").mkdir()
    path = str(tmp_path / "evals" / ".." / "skills" / "one")
    spec = EnvironmentSpec("e", skills=(SkillSource("local", {"path": path}),))
    (found,) = record(spec, tmp_path)["skills"]
    assert {k: v for k, v in found.items() if k != "sha256"} == {
        "name": "greet",
        "source": "local:skills/one",
        "commit": None,
        "placement": "harness",
        "excluded": [],
    }
    before = digest(spec, tmp_path)
    (tmp_path / "skills" / "one" / "run.sh").write_text("echo")
    assert digest(spec, tmp_path) != before


def test_a_skills_hash_is_of_what_is_placed(tmp_path: Path) -> None:
    folder = tmp_path / "skills" / "one"
    skill(folder, "greet")
    (folder / "run.sh").write_text("echo")
    (folder / "tests").mkdir()
    (folder / "tests" / "t.md").write_text("one")
    source = SkillSource("local", {"path": str(folder)}, exclude=("tests/", "*.log"))
    spec = EnvironmentSpec("e", skills=(source,))

    def sha256() -> str:
        return str(record(spec, tmp_path)["skills"][0]["sha256"])

    before = sha256()
    (folder / "tests" / "t.md").write_text("two")
    (folder / "debug.log").write_text("noise")
    assert sha256() == before
    (folder / "run.sh").chmod(0o755)
    runnable = sha256()
    (folder / "run.sh").write_text("echo hi")
    assert len({before, runnable, sha256()}) == 3


def test_what_is_no_skill_is_refused_when_the_plan_is_made(tmp_path: Path) -> None:
    spec = EnvironmentSpec("e", skills=(SkillSource("local", {"path": str(tmp_path / "no")}),))
    with pytest.raises(UsageError, match=r"does not exist: skill\.local takes a folder"):
        record(spec, tmp_path)


def test_a_folder_of_skills_gives_each_and_only_narrows_it(tmp_path: Path) -> None:
    skill(tmp_path / "skills" / "b", "review")
    skill(tmp_path / "skills" / "a", "greet")
    path = {"path": str(tmp_path / "skills")}
    both = record(EnvironmentSpec("e", skills=(SkillSource("local", path),)), tmp_path)
    assert [s["name"] for s in both["skills"]] == ["greet", "review"]
    one = SkillSource("local", path, only=("review",))
    assert [s["name"] for s in record(EnvironmentSpec("e", skills=(one,)), tmp_path)["skills"]] == [
        "review"
    ]
