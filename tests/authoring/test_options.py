"""Options on the wire: reeval's keys in camelCase, the user's as written, objects as data."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reeval as r
from reeval.authoring.durations import duration_text
from reeval.authoring.places import eval_folder
from reeval.authoring.spelling import options_to_wire, to_wire

WIRE: list[tuple[str, Any, Any]] = [
    ("durations", {"timeout": 90, "sandbox": {"start_timeout": timedelta(milliseconds=250)}},
     {"timeout": "90s", "sandbox": {"startTimeout": "250ms"}}),
    ("own keys at depth", {"compare": {"variants": [], "min_lift": 0.2}, "gate": {"pass_rate": 0.8},
                           "judge": {"max_concurrent": 2}},
     {"compare": {"variants": [], "minLift": 0.2}, "gate": {"passRate": 0.8},
      "judge": {"maxConcurrent": 2}}),
    ("the user's keys", {"env": {"min_lift": "1", "timeout": "x"},
                         "judge": {"provider_options": {"openai": {"max_concurrent": 1}}}},
     {"env": {"min_lift": "1", "timeout": "x"},
      "judge": {"providerOptions": {"openai": {"max_concurrent": 1}}}}),
    ("an unknown key", {"runz": 3, "un_known": 1}, {"runz": 3, "un_known": 1}),
    ("camelCase too", {"compare": {"minLift": 0.1}}, {"compare": {"minLift": 0.1}}),
    ("tuples", {"tags": ("a", "b")}, {"tags": ["a", "b"]}),
    ("docker", r.docker(from_="node:24", install=["npm i", {"run": "x", "timeout": 60}], cpus=2,
                        memory="4g", start_timeout=90, max_concurrent=2, id="big"),
     {"kind": "docker", "from": "node:24", "install": ["npm i", {"run": "x", "timeout": "1m"}],
      "cpus": 2, "memory": "4g", "startTimeout": "90s", "maxConcurrent": 2, "id": "big"}),
    ("docker bare", r.docker(), {"kind": "docker"}),
    ("podman", r.podman(image="x", root=True),
     {"kind": "docker", "engine": "podman", "image": "x", "root": True}),
    ("fake sandbox", r.fake_sandbox(dir="/tmp", id="here"),
     {"kind": "fake", "dir": "/tmp", "id": "here"}),
    ("secret", r.secret("HOST_VAR", hosts=["a.com"], in_=["header"], to="checks", optional=True),
     {"kind": "secret", "from": "HOST_VAR", "hosts": ["a.com"], "in": ["header"], "to": "checks",
      "optional": True}),
    ("secret from", r.secret("NAME", from_="HOST_VAR"), {"kind": "secret", "from": "HOST_VAR"}),
    ("secret bare", r.secret(), {"kind": "secret"}),
    ("secret template", r.secret.template("Bearer ${T}"),
     {"kind": "secret-template", "template": "Bearer ${T}"}),
    ("file", r.file("/a/b"), {"kind": "file", "path": "/a/b"}),
    ("git", r.git("github:acme/app", "v1", "packages/core", init=True, token="GH"),
     {"kind": "git", "repo": "github:acme/app", "url": "https://github.com/acme/app.git",
      "ref": "v1", "path": "packages/core", "init": True, "token": "GH"}),
    ("git url", r.git("https://example.com/a.git"),
     {"kind": "git", "repo": "https://example.com/a.git", "url": "https://example.com/a.git"}),
    ("skill.local", r.skill.local("/s", only=["a"], exclude=["*.md"], placement="workspace"),
     {"kind": "skill", "source": "local", "placement": "workspace", "path": "/s", "only": ["a"],
      "exclude": ["*.md"]}),
    ("skill.git", r.skill.git("github:a/b", ref="x", path="p"),
     {"kind": "skill", "source": "git", "placement": "harness", "repo": "github:a/b", "ref": "x",
      "path": "p"}),
    ("skill.npm", r.skill.npm("@a/b@1.0.0"),
     {"kind": "skill", "source": "npm", "placement": "harness", "spec": "@a/b@1.0.0",
      "path": "skills"}),
    ("skill.registry", r.skill.registry("a/b@c", version="v1"),
     {"kind": "skill", "source": "registry", "placement": "harness", "id": "a/b@c",
      "version": "v1"}),
    ("skill.inline", r.skill.inline("greet", description="d", content="c", files={"a.md": "x"}),
     {"kind": "skill", "source": "inline", "placement": "harness", "name": "greet",
      "description": "d", "content": "c", "files": {"a.md": "x"}}),
    ("mcp.stdio", r.mcp.stdio("npx", ["-y", "docs"], env={"my_key": r.secret("K")}),
     {"kind": "mcp", "transport": "stdio", "command": "npx", "args": ["-y", "docs"],
      "env": {"my_key": {"kind": "secret", "from": "K"}}}),
    ("mcp.http", r.mcp.http("https://a.com", headers={"X-A": r.secret.template("${K}")}),
     {"kind": "mcp", "transport": "http", "url": "https://a.com",
      "headers": {"X-A": {"kind": "secret-template", "template": "${K}"}}}),
    ("plugin.local", r.plugin.local("/p", only=["skills"], build=["npm ci", "npm run build"]),
     {"kind": "plugin", "source": "local", "path": "/p", "only": ["skills"],
      "build": ["npm ci", "npm run build"]}),
    ("plugin.git", r.plugin.git("github:a/b", ref="x", build={"run": "make", "cwd": "sub"}),
     {"kind": "plugin", "source": "git", "repo": "github:a/b", "ref": "x",
      "build": {"run": "make", "cwd": "sub"}}),
    ("plugin.npm", r.plugin.npm("a@1", path="p"),
     {"kind": "plugin", "source": "npm", "spec": "a@1", "path": "p"}),
    ("plugin.marketplace", r.plugin.marketplace("lint@github:a/b", ref="x"),
     {"kind": "plugin", "source": "marketplace", "name": "lint",
      "marketplace": {"source": "git", "repo": "github:a/b", "ref": "x"}}),
    ("plugin.marketplace npm", r.plugin.marketplace("lint@npm:@a/b@2"),
     {"kind": "plugin", "source": "marketplace", "name": "lint",
      "marketplace": {"source": "npm", "spec": "@a/b@2"}}),
    ("claude_code", r.claude_code(model="claude-sonnet-5", effort="high", start_timeout=120),
     {"kind": "claude-code", "model": "claude-sonnet-5", "effort": "high", "startTimeout": "2m"}),
    ("cursor", r.cursor(model="composer", params={"max_tokens": "5"}),
     {"kind": "cursor", "model": "composer", "params": {"max_tokens": "5"}}),
    ("acp", r.acp(["goose", "acp"], model="m", env={"a_b": "c"}),
     {"kind": "acp", "command": ["goose", "acp"], "model": "m", "env": {"a_b": "c"}}),
    ("grok_build", r.grok_build("grok-4"), {"kind": "grok-build", "model": "grok-4"}),
    ("fake_harness", r.fake_harness(
        script=[[{"exec": "ls"}, {"write": {"my_file.py": "x"}}, {"mcp": "docs/find"}]],
        tools=[{"tool": "Read", "input": {"read_file": "a"}, "output": {"exit_code": 0}}],
        with_skill={"files": {"delay_ms": "x"}}, delay_ms=5, flake_rate=0.5, served_model="m",
        start_hangs=True, start_timeout=1, files={"a_b": "c"}),
     {"kind": "fake",
      "script": [[{"exec": "ls"}, {"write": {"my_file.py": "x"}}, {"mcp": "docs/find"}]],
      "tools": [{"tool": "Read", "input": {"read_file": "a"}, "output": {"exit_code": 0}}],
      "withSkill": {"files": {"delay_ms": "x"}}, "delayMs": 5, "flakeRate": 0.5,
      "servedModel": "m", "startHangs": True, "startTimeout": "1s", "files": {"a_b": "c"}}),
    ("fake_judge", r.fake_judge(score=0.9), {"kind": "fake-judge", "score": 0.9}),
]  # fmt: skip


@pytest.mark.parametrize(("what", "written", "wire"), WIRE, ids=[name for name, _, _ in WIRE])
def test_each_option_is_its_wire_data(what: str, written: Any, wire: Any) -> None:
    assert to_wire(written) == wire
    assert json.loads(json.dumps(to_wire(written))) == wire


def test_an_environment_is_its_chain_and_a_copy_of_each_spec() -> None:
    spec = {"env": {"A": "1"}, "mcp": {"my_docs": r.mcp.stdio("x")}, "setup": [{"run": "x",
            "timeout": 180}]}  # fmt: skip
    base = r.define_environment("base", spec)
    child = base.extend("child", {"rules": "Be brief."})
    spec["env"]["A"] = "changed"
    layers = [
        {
            "name": "base",
            "spec": {
                "env": {"A": "1"},
                "mcp": {
                    "my_docs": {
                        "kind": "mcp", "transport": "stdio", "command": "x", "args": [], "env": {},
                    }
                },
                "setup": [{"run": "x", "timeout": "3m"}],
            },
        },
        {"name": "child", "spec": {"rules": "Be brief."}},
    ]  # fmt: skip
    assert to_wire(base) == {"kind": "environment", "name": "base", "layers": layers[:1]}
    assert to_wire(child) == {"kind": "environment", "name": "child", "layers": layers}
    assert repr(child) == "Environment('child')"


REFUSED: dict[str, tuple[Any, str]] = {
    "an environment's spec": (
        lambda: r.define_environment("x", None),
        'define_environment takes a name and a dict, e.g. define_environment("with-skill", '
        '{"rules": "Be brief."}) (got \'x\', None)',
    ),
    "hosts": (
        lambda: r.secret("A", hosts="a.com"),
        "secret(hosts=…) takes a list, e.g. ['a.com'] (got 'a.com')",
    ),
    "only": (
        lambda: r.skill.local("/x", only="a"),
        "skill.local(only=…) takes a list, e.g. ['a'] (got 'a')",
    ),
    "score": (
        lambda: r.fake_judge(score=2),
        "fake_judge(score=…) takes a number from 0 to 1 (got 2)",
    ),
    "marketplace": (
        lambda: r.plugin.marketplace("lint"),
        "plugin.marketplace takes 'name@source', e.g. "
        "plugin.marketplace('lint@github:acme/agent-plugins') (got 'lint')",
    ),
    "marketplace ref": (
        lambda: r.plugin.marketplace("lint@npm:a", ref="x"),
        "plugin.marketplace('lint@npm:a'): ref picks a commit of a git marketplace; pin an npm "
        "marketplace in its spec, e.g. npm:@acme/plugins@2.0.0",
    ),
    "path": (lambda: r.file(""), "a path is text that isn't empty (got '')"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_wrong_argument_is_refused(what: str) -> None:
    make, message = REFUSED[what]
    with pytest.raises((TypeError, ValueError)) as caught:
        make()
    assert str(caught.value) == message


def test_a_descriptor_shows_what_it_is_and_can_t_be_edited() -> None:
    made = r.skill.git("github:a/b")
    assert repr(made) == "Skill(source='git', placement='harness', repo='github:a/b')"
    to_wire(made)["repo"] = "changed"
    assert to_wire(made)["repo"] == "github:a/b"


# ── paths ────────────────────────────────────────────────────────────────────────────────────


def test_a_relative_path_is_told_from_the_eval_file_s_folder(tmp_path: Any) -> None:
    (tmp_path / "evals").mkdir()
    (tmp_path / "shared").mkdir()
    source = "from reeval import file\nmade = file('data/x.txt')"
    written: dict[str, Any] = {}
    for folder in ("evals", "shared"):
        path = tmp_path / folder / "x.py"
        path.write_text(source)
        token = eval_folder.set(tmp_path / "evals")
        scope: dict[str, Any] = {}
        exec(compile(source, str(path), "exec"), scope)
        eval_folder.reset(token)
        written[folder] = to_wire(scope["made"])["path"]
    assert written == {"evals": "data/x.txt", "shared": "../shared/data/x.txt"}


def test_a_relative_path_outside_a_load_is_made_absolute() -> None:
    from pathlib import Path

    assert to_wire(r.file("x.txt"))["path"] == str(Path(__file__).parent / "x.txt")


# ── durations and keys ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (90, "90s"),
        (300, "5m"),
        (3600, "1h"),
        (0.25, "250ms"),
        (1.5, "1500ms"),
        (0, "0ms"),
        (timedelta(hours=2), "2h"),
        (0.0001, "0.1ms"),
        (-5, "-5s"),
    ],
)
def test_durations_are_text_in_the_largest_whole_unit(value: Any, text: str) -> None:
    assert duration_text(value, "timeout") == text


@given(st.integers(1, 10**9))
def test_a_duration_s_text_says_its_milliseconds(ms: int) -> None:
    text = duration_text(timedelta(milliseconds=ms), "timeout")
    unit = text.lstrip("0123456789")
    size = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}[unit]
    assert int(text.removesuffix(unit)) * size == ms


scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.text())
data = st.one_of(scalars, st.lists(scalars), st.dictionaries(st.text(), scalars))
user_keys = st.dictionaries(st.one_of(st.text(), st.sampled_from(["min_lift", "timeout"])), data)


@given(st.sampled_from(["input", "output", "providerOptions", "provider_options"]), user_keys)
def test_what_is_the_user_s_own_is_kept_whole(key: str, value: dict[str, Any]) -> None:
    (kept,) = options_to_wire({key: value}).values()
    assert kept == value


@given(st.sampled_from(["env", "files", "headers", "params", "write", "mcp"]), user_keys)
def test_the_keys_of_a_map_of_the_user_s_are_kept(key: str, value: dict[str, Any]) -> None:
    plain = dict.fromkeys(value, "x")
    assert options_to_wire({key: plain}) == {key: plain}


@given(st.dictionaries(st.text().filter(lambda k: k not in {"timeout", "start_timeout"}), data))
def test_mapping_twice_changes_nothing_more(options: dict[str, Any]) -> None:
    try:
        once = options_to_wire(options)
    except TypeError:
        return  # a duration somewhere inside that is text
    assert options_to_wire({k: v for k, v in once.items() if "imeout" not in k}) == {
        k: v for k, v in once.items() if "imeout" not in k
    }
