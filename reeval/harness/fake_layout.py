"""Where each kind of agent reads rules and skills, for the fake agent's `layout`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reeval.config.errors import UsageError, nearest


@dataclass(frozen=True, slots=True)
class Layout:
    """`skills` is the agent's own folder, `repo_skills` the one in the workspace."""

    rules: str = "AGENTS.md"
    skills: str = ".agents/skills"
    repo_skills: str = ".agents/skills"


# goose, fx and grok-build read a home of their own; the fake only needs one place for each.
_LAYOUTS: dict[str | None, Layout] = {
    None: Layout(),
    "cursor": Layout(),
    "claude-code": Layout("CLAUDE.md", "~/.claude/skills", ".claude/skills"),
    "antigravity": Layout(skills="~/.gemini/config/skills"),
    "opencode": Layout(skills="~/.config/opencode/skills"),
    "goose": Layout(skills="~/.config/goose/skills"),
    "pi": Layout(skills="~/.pi/agent/skills"),
    "codex": Layout(skills="~/.agents/skills"),
    "fx": Layout(skills="~/.fx/skills"),
    "grok-build": Layout(skills="~/.grok/skills"),
}


def layout_named(name: str | None) -> Layout:
    """The layout of this kind of agent, None for the fake's own. Raises `UsageError`."""
    layout = _LAYOUTS.get(name)
    if layout is not None:
        return layout
    known = [kind for kind in _LAYOUTS if kind is not None]
    close = nearest(str(name), known)
    hint = f"did you mean {close!r}?" if close else f"take one of {', '.join(known)}"
    raise UsageError(f"there is no layout {name!r}, {hint}", key="fake_harness layout")


def skills_folder(layout: Layout, placement: Literal["harness", "workspace"]) -> str:
    return layout.skills if placement == "harness" else layout.repo_skills
