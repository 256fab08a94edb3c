"""What an environment places in the sandbox before its agent starts."""

from __future__ import annotations

import hashlib
import os

import pytest

from reeval.config.errors import UsageError
from reeval.config.model import EnvironmentSpec, HarnessSpec, HostFile, PluginSource, SkillSource
from reeval.harness.base import Context
from reeval.harness.fake import FakeHarness
from reeval.harness.placement import place
from reeval.sandbox.base import Command

INLINE = {"name": "greet", "description": "d", "content": "c", "files": {"run.sh": "#!/bin/sh\n"}}


def placed(in_sandbox, environment: EnvironmentSpec, *paths: str, layout: str | None = None):
    """The placement, and what the sandbox then holds at each path."""
    spec = HarnessSpec("fake", "fake", fields={"layout": layout} if layout else {})

    async def body(sandbox):
        placement = await place(environment, spec, FakeHarness(), sandbox)
        return placement, [await sandbox.read_file(path) for path in paths]

    return in_sandbox(body)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_files_are_placed_byte_for_byte_and_are_no_context(in_sandbox, tmp_path):
    host = tmp_path / "host.bin"
    host.write_bytes(b"\x00\xff\r\n")
    environment = EnvironmentSpec("e", files={"a/b.bin": HostFile(host), "~/.rc": "x\n"})
    placement, held = placed(in_sandbox, environment, "a/b.bin", "~/.rc")
    assert held == [b"\x00\xff\r\n", b"x\n"]
    assert placement.context == ()
    assert placement.written == ("a/b.bin", "~/.rc")


def test_rules_go_where_the_agent_reads_them(in_sandbox):
    environment = EnvironmentSpec("e", rules="be kind")
    placement, held = placed(in_sandbox, environment, "CLAUDE.md", layout="claude-code")
    assert held == [b"be kind"]
    assert placement.context == (Context("CLAUDE.md", sha(b"be kind")),)
    _, held = placed(in_sandbox, environment, "AGENTS.md", "CLAUDE.md")
    assert held == [b"be kind", None]


def test_skills_go_where_the_agent_reads_them(in_sandbox):
    own = SkillSource("inline", INLINE)
    repo = SkillSource("inline", {**INLINE, "name": "other"}, placement="workspace")
    environment = EnvironmentSpec("e", skills=(own, repo))
    placement, held = placed(
        in_sandbox,
        environment,
        "~/.claude/skills/greet/run.sh",
        ".claude/skills/other/SKILL.md",
        layout="claude-code",
    )
    assert held[0] == b"#!/bin/sh\n"
    assert [c.path for c in placement.context] == [
        "~/.claude/skills/greet/SKILL.md",
        "~/.claude/skills/greet/run.sh",
        ".claude/skills/other/SKILL.md",
        ".claude/skills/other/run.sh",
    ]
    assert placement.context[2].sha256 == sha(held[1])


@pytest.mark.parametrize("placement", ["harness", "workspace"])
def test_a_skills_script_stays_executable(in_sandbox, tmp_path, placement):
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: s\ndescription: d\n---\n")
    (folder / "-run").write_text("#!/bin/sh\necho ran\n")
    os.chmod(folder / "-run", 0o755)
    environment = EnvironmentSpec("e", skills=(SkillSource("local", {"path": folder}, placement),))
    where = "$HOME/.claude/skills" if placement == "harness" else ".claude/skills"

    async def body(sandbox):
        spec = HarnessSpec("fake", "fake", fields={"layout": "claude-code"})
        await place(environment, spec, FakeHarness(), sandbox)
        return (await sandbox.run(Command(f'"{where}/s/-run"'))).stdout

    assert in_sandbox(body) == "ran\n"


def test_an_empty_environment_places_nothing(in_sandbox):
    placement, _ = placed(in_sandbox, EnvironmentSpec("e"))
    assert (placement.context, placement.written) == ((), ())


def test_what_cannot_be_placed_is_a_usage_error(in_sandbox, tmp_path):
    cases = [
        (
            EnvironmentSpec("e", plugins=(PluginSource("local", {"path": "x"}),)),
            "environment 'e' has plugins, which are not in this version yet",
        ),
        (
            EnvironmentSpec("e", files={"a": HostFile(tmp_path / "none")}),
            f"{tmp_path / 'none'}: it can't be read: No such file or directory",
        ),
    ]
    for environment, message in cases:
        with pytest.raises(UsageError) as error:
            placed(in_sandbox, environment)
        assert str(error.value) == message


def test_a_path_that_leads_out_is_a_usage_error(in_sandbox):
    with pytest.raises(UsageError, match=r"^the environment can't place '\.\./x': "):
        placed(in_sandbox, EnvironmentSpec("e", files={"../x": ""}))
