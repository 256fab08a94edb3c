"""The agents an eval can run, and the judge with a fixed score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal, TypedDict, Unpack

from reeval.authoring.descriptor import Descriptor, present
from reeval.authoring.spelling import options_to_wire


class HarnessDescriptor(Descriptor):
    """An agent, made by `claude_code(…)`, `codex(…)`, …"""


class FakeHarness(HarnessDescriptor):
    """The fake agent, made by `fake_harness(…)`."""


class FakeJudge(Descriptor):
    """A judge with a fixed score, made by `fake_judge(…)`."""


class AgentOptions(TypedDict, total=False):
    """Options every agent takes.

    `id` names its cells (`<kind>:<model>` by default), `gateway` the model gateway its calls go
    through, `max_concurrent` the most attempts on it at once, `start_timeout` how long its
    session may take to be ready (90 seconds).
    """

    effort: str
    gateway: str
    id: str
    max_concurrent: int
    start_timeout: timedelta | float


def _agent(kind: str, options: Mapping[str, Any], **own: Any) -> HarnessDescriptor:
    given = {k: v for k, v in options.items() if v is not None}
    return HarnessDescriptor({"kind": kind, **present(**own), **options_to_wire(given)})


def claude_code(model: str | None = None, **options: Unpack[AgentOptions]) -> HarnessDescriptor:
    """Claude Code, on a model id or alias its CLI accepts."""
    return _agent("claude-code", options, model=model)


def codex(model: str | None = None, **options: Unpack[AgentOptions]) -> HarnessDescriptor:
    """OpenAI's Codex CLI, on an OpenAI model id."""
    return _agent("codex", options, model=model)


def opencode(model: str | None = None, **options: Unpack[AgentOptions]) -> HarnessDescriptor:
    """OpenCode, on `<provider>/<model>`; the provider picks the key."""
    return _agent("opencode", options, model=model)


def pi(model: str | None = None, **options: Unpack[AgentOptions]) -> HarnessDescriptor:
    """pi."""
    return _agent("pi", options, model=model)


def goose(model: str | None = None, **options: Unpack[AgentOptions]) -> HarnessDescriptor:
    """Goose."""
    return _agent("goose", options, model=model)


def cursor(
    model: str | None = None,
    *,
    params: Mapping[str, str] | None = None,
    **options: Unpack[AgentOptions],
) -> HarnessDescriptor:
    """Cursor's agent, with its model's own parameters, e.g. `{"fast": "true"}`."""
    own = None if params is None else dict(params)
    return _agent("cursor", options, model=model, params=own)


def antigravity(model: str | None = None, **options: Unpack[AgentOptions]) -> HarnessDescriptor:
    """The Antigravity CLI."""
    return _agent("antigravity", options, model=model)


def fx(model: str | None = None, **options: Unpack[AgentOptions]) -> HarnessDescriptor:
    """fx, on `<provider>/<model>` or a bare OpenAI model id."""
    return _agent("fx", options, model=model)


def grok_build(model: str | None = None, **options: Unpack[AgentOptions]) -> HarnessDescriptor:
    """xAI's Grok Build."""
    return _agent("grok-build", options, model=model)


def gemini(model: str | None = None, **options: Unpack[AgentOptions]) -> HarnessDescriptor:
    """The Gemini CLI."""
    return _agent("gemini", options, model=model)


def acp(
    command: str | Sequence[str],
    model: str | None = None,
    *,
    env: Mapping[str, Any] | None = None,
    **options: Unpack[AgentOptions],
) -> HarnessDescriptor:
    """Any agent that speaks the Agent Client Protocol on the stdio of `command`."""
    argv = command if isinstance(command, str) else list(command)
    own = options_to_wire(present(env=env))
    return _agent("acp", options, command=argv, model=model, **own)


class FakeOptions(AgentOptions, total=False):
    """What the canned agent does on each turn; see `fake_harness`."""

    script: Sequence[Sequence[Mapping[str, Any]]]
    files: Mapping[str, str]
    text: str
    tools: Sequence[Mapping[str, Any]]
    with_skill: Mapping[str, Any]
    delay_ms: float
    flake_rate: float
    fail_with: str
    start_hangs: int | Literal[True]
    ignore_abort: bool
    served_model: str
    layout: str
    reasoning: str


def fake_harness(**options: Unpack[FakeOptions]) -> FakeHarness:
    """A canned agent that really acts in the sandbox, for evals that run without a model.

    `script` is a list of steps per `c.send` (the last repeats), run in order before `files`:
    `{"exec": command}`, `{"write": {path: text}}`, `{"reply": text}`, `{"mcp": "server/tool"}`,
    `{"error": message}`. `text` is its final message, `tools` the tool calls it reports;
    `with_skill` has the `files` and `text` used when it was given a skill. `delay_ms` is a turn's
    length, `flake_rate` (0–1) how often it does nothing, `fail_with` an error at its start,
    `start_hangs` how many starts never get ready.
    """
    given = {k: v for k, v in options.items() if v is not None}
    return FakeHarness({"kind": "fake", **options_to_wire(given)})


def fake_judge(*, score: float) -> FakeJudge:
    """A judge that gives every call this score, from 0 to 1."""
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        raise TypeError(f"fake_judge(score=…) takes a number from 0 to 1 (got {score!r})")
    return FakeJudge({"kind": "fake-judge", "score": score})
