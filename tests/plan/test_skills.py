"""Skills are read from where they are named, and what isn't one is refused with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reeval.config.errors import UsageError
from reeval.config.model import SkillSource
from reeval.plan.skills import MANIFEST, read_skills, skill_name


def skill(folder: Path, name: str, **files: str) -> Path:
    folder.mkdir(parents=True)
    (folder / MANIFEST).write_text(f"---\nname: {name}\ndescription: about {name}\n---\nbody\n")
    for path, text in files.items():
        (folder / path).write_text(text)
    return folder


def local(path: Path, **options: Any) -> SkillSource:
    return SkillSource("local", {"path": path}, **options)


def test_a_folder_with_a_manifest_is_one_skill(tmp_path):
    folder = skill(tmp_path / "greet", "greet", helper="x")
    (folder / "sub").mkdir()
    (folder / "sub" / "run.sh").write_bytes(b"#!/bin/sh\n\xff")
    (folder / "sub" / "run.sh").chmod(0o755)
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("x")
    [found] = read_skills(local(folder))
    assert found.name == "greet"
    assert list(found.files) == [MANIFEST, "helper", "sub/run.sh"]
    assert found.files["sub/run.sh"] == b"#!/bin/sh\n\xff"
    assert found.executable == {"sub/run.sh"}


def test_a_folder_of_skills_is_each_of_them_by_name(tmp_path):
    skill(tmp_path / "z", "alpha")
    skill(tmp_path / "a", "omega")
    (tmp_path / "notes.txt").write_text("not a skill")
    assert [found.name for found in read_skills(local(tmp_path))] == ["alpha", "omega"]
    assert [found.name for found in read_skills(local(tmp_path, only=("omega",)))] == ["omega"]


def test_excluded_paths_are_left_out_as_gitignore_has_it(tmp_path):
    folder = skill(tmp_path / "s", "s", a="", b="")
    (folder / "tests").mkdir()
    (folder / "tests" / "t").write_text("")
    [found] = read_skills(local(folder, exclude=("tests/", "b")))
    assert list(found.files) == [MANIFEST, "a"]


def test_a_linked_folder_is_not_followed(tmp_path):
    folder = skill(tmp_path / "s", "s")
    (folder / "loop").symlink_to(folder)
    [found] = read_skills(local(folder))
    assert list(found.files) == [MANIFEST]


def test_an_inline_skill_gets_its_manifest():
    source = SkillSource(
        "inline",
        {
            "name": "greet",
            "description": 'says "hi":\ttwice\nor more',
            "content": "Say hi.\n",
            "files": {"ref/a.md": "a"},
        },
    )
    [found] = read_skills(source)
    assert found.files == {
        MANIFEST: b"---\nname: greet\n"
        b'description: "says \\"hi\\":\\ttwice\\nor more"\n'
        b"---\n\nSay hi.\n",
        "ref/a.md": b"a",
    }
    assert skill_name(found.files[MANIFEST].decode(), Path("x")) == "greet"


@given(st.text(min_size=1).filter(str.strip))
def test_any_description_makes_an_inline_manifest_that_reads_back(description):
    source = SkillSource("inline", {"name": "s", "description": description, "content": "x"})
    [found] = read_skills(source)
    text = found.files[MANIFEST].decode("utf-8", "surrogatepass")
    assert skill_name(text, Path("x")) == "s"


MANIFESTS = [
    ("---\nname: a\ndescription: b\n---\n", "a"),
    ("\ufeff---\nname: 'a'\ndescription: \"b\"\n---", "a"),
    (
        "---\n# note\nname: a-b.c\n\nmetadata:\n  x: y\ntags:\n- one\n"
        "description: >-\n  long\n  text\n---\n",
        "a-b.c",
    ),
    ("---\r\nname: a\r\ndescription: b\r\n---\r\n", "a"),
]


@pytest.mark.parametrize(("text", "name"), MANIFESTS)
def test_a_manifest_names_its_skill(text, name):
    assert skill_name(text, Path("SKILL.md")) == name


BAD_MANIFESTS = [
    (
        "# Greet\n",
        "SKILL.md:1: needs frontmatter: its first line is `---`, then `name: …` and "
        "`description: …`, then `---`",
    ),
    (
        "",
        "SKILL.md:1: needs frontmatter: its first line is `---`, then `name: …` and "
        "`description: …`, then `---`",
    ),
    ("---\nname: a\n", "SKILL.md:1: has frontmatter without its closing `---`"),
    ("---\ndescription: b\n---\n", "SKILL.md:1: needs a name in its frontmatter"),
    ("---\n\nname:\ndescription: b\n---\n", "SKILL.md:3: needs a name in its frontmatter"),
    (
        "---\nname: a\n---\n",
        "SKILL.md:1: needs a description in its frontmatter: it tells the agent when "
        "to use the skill",
    ),
    (
        "---\nname: a\ndescription: ''\n---\n",
        "SKILL.md:3: needs a description in its frontmatter: it tells the agent when "
        "to use the skill",
    ),
    ("---\nname: a\nnonsense\n---\n", "SKILL.md:3: is not `key: value`: 'nonsense'"),
    (
        "---\nname: ../up\ndescription: b\n---\n",
        "SKILL.md:2: name '../up' can't name a folder: use letters, digits, `-`, `_` and "
        "`.`, at most 64",
    ),
]


@pytest.mark.parametrize(("text", "message"), BAD_MANIFESTS)
def test_a_bad_manifest_is_refused_with_its_line(text, message):
    with pytest.raises(UsageError) as error:
        skill_name(text, Path("SKILL.md"))
    assert str(error.value) == message


def test_folders_that_hold_no_skill_are_refused(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    skill(tmp_path / "twins" / "a", "same")
    skill(tmp_path / "twins" / "b", "same")
    cases = [
        (local(tmp_path / "none"), f"does not exist: skill.local takes a folder with a {MANIFEST}"),
        (local(tmp_path / "file"), f"is a file: skill.local takes a folder with a {MANIFEST}"),
        (
            local(tmp_path / "empty"),
            f"has no {MANIFEST}, nor has a folder in it: skill.local takes a skill's folder, or a "
            "folder of them",
        ),
        (local(tmp_path / "twins"), "has two skills named 'same': give one another name"),
    ]
    for source, message in cases:
        with pytest.raises(UsageError) as error:
            read_skills(source)
        assert str(error.value) == f"{source.fields['path']}: {message}"


def test_only_names_a_skill_that_is_there(tmp_path):
    skill(tmp_path / "a", "greet")
    with pytest.raises(UsageError) as error:
        read_skills(local(tmp_path, only=("great",)))
    assert error.value.message == "has no skill named 'great', did you mean 'greet'?"


@pytest.mark.parametrize("kind", ["git", "npm", "registry"])
def test_sources_that_come_later_say_so(kind):
    with pytest.raises(UsageError) as error:
        read_skills(SkillSource(kind, {}))
    assert str(error.value) == (
        f"skill.{kind} is not in this version yet: use skill.local or skill.inline"
    )


def test_an_inline_skill_needs_a_description():
    with pytest.raises(UsageError) as error:
        read_skills(SkillSource("inline", {"name": "a", "description": " ", "content": ""}))
    assert str(error.value) == (
        "skill.inline 'a' needs a description: it tells the agent when to use it"
    )
