"""Where the fake agent reads rules and skills, for each agent it can stand in for."""

from __future__ import annotations

import pytest

from reeval.config.errors import UsageError
from reeval.config.model import HarnessSpec
from reeval.harness.fake import FakeHarness

PLACES = [
    (None, "AGENTS.md", ".agents/skills", ".agents/skills"),
    ("cursor", "AGENTS.md", ".agents/skills", ".agents/skills"),
    ("claude-code", "CLAUDE.md", "~/.claude/skills", ".claude/skills"),
    ("antigravity", "AGENTS.md", "~/.gemini/config/skills", ".agents/skills"),
    ("opencode", "AGENTS.md", "~/.config/opencode/skills", ".agents/skills"),
    ("pi", "AGENTS.md", "~/.pi/agent/skills", ".agents/skills"),
    ("codex", "AGENTS.md", "~/.agents/skills", ".agents/skills"),
]


@pytest.mark.parametrize(("layout", "rules", "own", "repo"), PLACES)
def test_it_reads_where_that_agent_reads(layout, rules, own, repo):
    spec = HarnessSpec("fake", "fake", fields={} if layout is None else {"layout": layout})
    harness = FakeHarness()
    assert harness.rules_path(spec) == rules
    assert harness.skills_path(spec, "harness") == own
    assert harness.skills_path(spec, "workspace") == repo


@pytest.mark.parametrize("layout", ["goose", "fx", "grok-build"])
def test_an_agent_with_a_home_of_its_own_reads_skills_there(layout):
    spec = HarnessSpec("fake", "fake", fields={"layout": layout})
    assert FakeHarness().skills_path(spec, "harness").startswith("~/.")


def test_an_unknown_layout_names_the_nearest():
    with pytest.raises(UsageError) as error:
        FakeHarness().rules_path(HarnessSpec("fake", "fake", fields={"layout": "claude"}))
    assert str(error.value) == (
        "fake_harness layout: there is no layout 'claude', did you mean 'claude-code'?"
    )
