"""One eval's options: what each level adds to, replaces or may not narrow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as checked
from hypothesis import strategies as st

from reeval.config.cascade import laid_over, resolve_options
from reeval.config.errors import UsageError
from reeval.config.limits import narrowed
from reeval.config.load import load_settings
from reeval.config.model import (
    Compare,
    EnvironmentSpec,
    EvalOptions,
    FakeJudge,
    HarnessSpec,
    JudgeSpec,
    Limit,
    Profile,
    Settings,
)
from reeval.config.options import Layer

CONFIG = """
harness = ["fake", "claude"]
runs = 3
env = { A = "config", B = "config" }
tags = ["all"]
judge = { model = "a/b", threshold = 0.5, state = { diff = true, output = false } }
[harnesses.claude]
kind = "claude-code"
model = "sonnet"
[environments.base]
env = { E = "1" }
[environments.open]
egress = "allow-all"
[profiles.pr]
defaults = { runs = 1, env = { B = "profile", C = "profile" }, tags = ["pr"] }
limit = { runs = 2, compare = { max_variants = 1 }, harness = ["claude"] }
[profiles.nothing]
limit = { harness = ["codex"] }
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "reeval.toml").write_text(CONFIG)
    return load_settings(tmp_path, {})


def group(**options: Any) -> Layer:
    return Layer('group("net")', options, "evals/a.eval.py")


def evaluation(**options: Any) -> Layer:
    return Layer('evaluate("greets")', options, "evals/a.eval.py")


def ids(options: EvalOptions) -> list[str]:
    return [harness.id for harness in options.harness]


# ── what each level does ─────────────────────────────────────────────────────────────────────


def test_the_nearest_level_wins_and_is_named_as_the_source(settings: Settings) -> None:
    layers = [group(timeout="5m"), evaluation(timeout="90s", revision="v2")]
    options = resolve_options(settings, settings.profiles["pr"], layers, {"timeout": 30})
    assert (options.runs, options.timeout, options.revision, options.gate) == (1, 30.0, "v2", "all")
    named = {
        key: options.sources[key] for key in ("harness", "runs", "timeout", "revision", "gate")
    }
    assert named == {
        "harness": "profile pr limit",
        "runs": "profile pr",
        "timeout": "--timeout",
        "revision": 'evaluate("greets")',
        "gate": "default",
    }


def test_variables_merge_by_name_and_tags_add_up(settings: Settings) -> None:
    layers = [
        group(env={"C": "group"}, tags=["net"]),
        evaluation(env={"D": "eval"}, tags=["all", "x"]),
    ]
    options = resolve_options(settings, settings.profiles["pr"], layers)
    assert options.env == {"A": "config", "B": "profile", "C": "group", "D": "eval"}
    assert options.tags == ("all", "pr", "net", "x")
    assert options.sources["env.B"] == "profile pr"
    assert options.sources["tags"] == 'reeval.toml, profile pr, group("net"), evaluate("greets")'


def test_the_judge_merges_field_by_field_and_its_state_key_by_key(settings: Settings) -> None:
    fake = {"kind": "fake-judge", "score": 0.9}
    options = resolve_options(
        settings, None, [evaluation(judge={"model": fake, "state": {"output": True}})]
    )
    assert options.judge == JudgeSpec(
        model=FakeJudge(0.9), threshold=0.5, state={"diff": True, "output": True}
    )


def test_numbers_of_a_duration_are_milliseconds_on_the_wire(settings: Settings) -> None:
    assert resolve_options(settings, None, [evaluation(timeout=1500)]).timeout == 1.5


def test_the_wires_spelling_and_python_s_are_the_same_key(settings: Settings) -> None:
    judge = {"providerOptions": {"acme": {"keepsItsCase": 1}}, "max_concurrent": 2}
    options = resolve_options(settings, None, [evaluation(judge=judge, gate={"passRate": 0.5})])
    assert options.judge.provider_options == {"acme": {"keepsItsCase": 1}}
    assert (options.judge.max_concurrent, options.gate) == (2, 0.5)


def test_an_empty_list_of_questions_asks_none(settings: Settings) -> None:
    asked = [group(questions=["Short?", {"question": "Better?", "across": "harness"}])]
    assert resolve_options(settings, None, asked).questions == (
        {"question": "Short?"},
        {"question": "Better?", "across": ("harness",)},
    )
    assert resolve_options(settings, None, [*asked, evaluation(questions=[])]).questions == ()


@pytest.mark.parametrize(
    ("harness", "expected"),
    [
        ("codex:gpt-5", ["codex:gpt-5"]),
        ({"kind": "fake", "id": "mine"}, ["mine"]),
        ([{"kind": "pi", "model": "m", "effort": "low"}, "fake"], ["pi:m[effort=low]", "fake"]),
        ({"add": "pi"}, ["fake", "claude-code:sonnet", "pi"]),
        ({"add": ["fake", {"kind": "pi"}]}, ["fake", "claude-code:sonnet", "pi"]),
        ({"only": "claude"}, ["claude-code:sonnet"]),
        ({"only": ["claude-code:sonnet", "fake"]}, ["fake", "claude-code:sonnet"]),
    ],
)
def test_harness_replaces_or_edits_the_inherited_ones(
    settings: Settings, harness: Any, expected: list[str]
) -> None:
    assert ids(resolve_options(settings, None, [evaluation(harness=harness)])) == expected


def test_edits_of_several_levels_follow_each_other(settings: Settings) -> None:
    layers = [group(harness={"add": "pi"}), evaluation(harness={"only": ["pi", "fake"]})]
    assert ids(resolve_options(settings, None, layers)) == ["fake", "pi"]


# ── environments and machines ────────────────────────────────────────────────────────────────


def _environment(name: str, *layers: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "kind": "environment",
        "name": name,
        "layers": [
            {"name": name if n == len(layers) - 1 else f"l{n}", "spec": spec}
            for n, spec in enumerate(layers)
        ],
    }


def test_an_environment_that_extends_merges_by_name_and_says_what_it_replaced(
    settings: Settings,
) -> None:
    inline = {
        "kind": "skill",
        "source": "inline",
        "name": "greet",
        "description": "d",
        "placement": "harness",
    }
    wire = _environment(
        "child",
        {
            "env": {"A": "1", "B": "1"},
            "files": {"x": "1"},
            "setup": ["first"],
            "rules": "old",
            "skills": [{**inline, "content": "old"}],
            "mcp": {"docs": {"kind": "mcp", "transport": "stdio", "command": "a", "args": []}},
        },
        {
            "env": {"B": "2"},
            "setup": [{"run": "second", "timeout": 2000}],
            "rules": {"kind": "file", "path": "RULES.md"},
            "skills": [{**inline, "content": "new"}],
            "mcp": {
                "docs": {
                    "kind": "mcp",
                    "transport": "http",
                    "url": "https://x.example",
                    "headers": {},
                }
            },
        },
    )
    environment = resolve_options(settings, None, [evaluation(environment=wire)]).environment
    assert environment is not None
    assert (environment.name, environment.parent) == ("child", "l0")
    assert environment.overrides == ("env.B", "rules", "skills.greet", "mcp.docs")
    assert environment.env == {"A": "1", "B": "2"}
    assert [(step.run, step.timeout) for step in environment.setup] == [
        ("first", 300),
        ("second", 2),
    ]
    assert [skill.fields["content"] for skill in environment.skills] == ["new"]
    assert str(environment.rules.path).endswith("/evals/RULES.md")  # type: ignore[union-attr]  # it is the host file given above


def test_compare_names_environments_and_harnesses(settings: Settings) -> None:
    compare = {
        "variants": ["base", _environment("mine", {"rules": "x"})],
        "baseline": "open",
        "harness": ["claude", {"kind": "fake"}],
        "minLift": -0.5,
    }
    found = resolve_options(settings, None, [evaluation(compare=compare)]).compare
    assert found is not None
    assert [item.name for item in found.variants] == ["base", "mine"]
    assert found.baseline == settings.environments["open"]
    assert (found.harness, found.min_lift) == (("claude-code:sonnet", "fake"), -0.5)


FAKE_BOX = {"kind": "fake"}

REFUSED = [
    ({"runz": 3}, 'unknown key "runz"; did you mean "runs"?'),
    ({"runs": "three"}, 'runs takes a whole number from 1 (got "three")'),
    (
        {"timeout": 0},
        'timeout takes a duration such as "90s" or "15m", or a number of seconds (got 0)',
    ),
    ({"environment": "bsae"}, 'environment: unknown environment "bsae"; did you mean "base"?'),
    ({"harness": "cluade"}, 'harness: unknown harness "cluade"; did you mean "claude"?'),
    (
        {"harness": {"only": "claud"}},
        'harness.only: unknown harness among the inherited ones "claud"; did you mean "claude"?',
    ),
    (
        {"harness": [{"kind": "pi", "maxConcurrent": 1}, "pi"]},
        'harness has two harnesses with the id "pi": give one an id',
    ),
    ({"env": 3}, "env takes a dict of variables (got 3)"),
    (
        {"compare": {"variants": []}},
        "compare.variants takes at least 1 of environments (got an empty list)",
    ),
    (
        {"compare": {"variants": ["base"], "minLift": 2}},
        "compare.min_lift takes a number from -1 to 1 (got 2)",
    ),
    (
        {"compare": {"variants": ["base"], "baseline": "open"}, "environment": "base"},
        "compare.baseline and environment are both the control: leave one out",
    ),
    (
        {"judge": {"gateway": "drect"}},
        'judge.gateway: unknown gateway "drect"; did you mean "direct"?',
    ),
    ({"pin": ["timeout"]}, 'pin[0] takes "runs", "compare" or "harness" (got "timeout")'),
    (
        {"sandbox": FAKE_BOX},
        "claude-code:sonnet can't run in the fake sandbox, which is this machine: only the fake "
        "harness may; give it docker()",
    ),
    (
        {"harness": "fake", "egress": "deny-all"},
        "egress: the fake sandbox can't hold deny-all: it has this machine's network",
    ),
    (
        {"harness": "fake", "environment": _environment("e", {"egress": {"allow": []}})},
        "egress: the fake sandbox can't hold an allow list: it has this machine's network",
    ),
]


@pytest.mark.parametrize(("options", "message"), REFUSED, ids=[str(row[0])[:50] for row in REFUSED])
def test_a_mistake_names_the_file_the_eval_and_the_key(
    settings: Settings, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        resolve_options(settings, None, [evaluation(**options)])
    assert str(caught.value) == f'evals/a.eval.py: evaluate("greets"): {message}'


def test_no_harness_is_an_error_that_says_what_to_write(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        resolve_options(Settings(tmp_path), None, [evaluation()])
    assert str(caught.value) == (
        'evals/a.eval.py: evaluate("greets"): no harness is set: write harness = "fake" or a real '
        'agent such as "claude-code:claude-sonnet-5" in reeval.toml, or pass {"harness": …} in '
        "the eval"
    )


def test_an_environment_of_an_eval_file_cant_be_named_on_the_command_line(
    settings: Settings,
) -> None:
    with pytest.raises(UsageError, match=r"only those of reeval\.toml can be named here"):
        resolve_options(settings, None, [evaluation()], {"environment": "zzz"})


LAYERED = {"kind": "environment", "name": "v", "layers": [{"name": "v", "spec": {"rulez": 3}}]}


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"gate": "most"}, 'gate takes "all" or {"pass_rate": 0.8} (got "most")'),
        ({"egress": "none"}, '"deny-all" or {"allow": ["api.example.com"]} (got "none")'),
        ({"env": {"A": 3}}, 'env.A takes text or secret("NAME") (got 3)'),
        ({"environment": LAYERED}, 'unknown key "environment.rulez"; did you mean "rules"?'),
    ],
)
def test_a_mistake_in_an_eval_file_is_answered_in_its_own_language(
    settings: Settings, option: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        resolve_options(settings, None, [evaluation(**option)])
    assert caught.value.message.endswith(message)


def test_a_wrong_value_on_the_command_line_names_its_option(settings: Settings) -> None:
    with pytest.raises(UsageError, match=r"^--runs: runs takes a whole number from 1 \(got 0\)$"):
        resolve_options(settings, None, [evaluation()], {"runs": 0})


# ── a profile's limit ────────────────────────────────────────────────────────────────────────


def test_a_limit_narrows_what_the_eval_asks_for(settings: Settings) -> None:
    asks = evaluation(runs=9, compare={"variants": ["base", "open"]})
    options = resolve_options(settings, settings.profiles["pr"], [asks])
    assert (options.runs, ids(options)) == (2, ["claude-code:sonnet"])
    assert options.compare is not None
    assert [item.name for item in options.compare.variants] == ["base"]
    assert options.sources["runs"] == "profile pr limit"
    assert options.limited == ("runs 9 → 2", "variants 2 → 1", "without fake")


def test_a_pin_keeps_what_a_limit_would_narrow(settings: Settings) -> None:
    asks = evaluation(
        runs=9, compare={"variants": ["base", "open"]}, pin=["runs", "compare", "harness"]
    )
    options = resolve_options(settings, settings.profiles["pr"], [asks])
    assert (options.runs, len(options.harness)) == (9, 2)
    assert options.compare is not None
    assert len(options.compare.variants) == 2


def test_a_limit_may_leave_no_harness(settings: Settings) -> None:
    assert resolve_options(settings, settings.profiles["nothing"], [evaluation()]).harness == ()


# ── the laws of the cascade ──────────────────────────────────────────────────────────────────

_WORD = st.sampled_from(["a", "b", "c", "d"])
_STATE = st.dictionaries(st.sampled_from(["diff", "output", "task"]), st.booleans(), max_size=3)
_LAYERS = st.fixed_dictionaries(
    {},
    optional={
        "env": st.dictionaries(_WORD, st.text(max_size=3), max_size=3),
        "tags": st.lists(_WORD, max_size=3, unique=True).map(tuple),
        "judge": st.fixed_dictionaries(
            {}, optional={"threshold": st.floats(0, 1), "model": _WORD, "state": _STATE}
        ),
        "capture": st.dictionaries(_WORD, st.integers(), max_size=2),
        "runs": st.integers(1, 9),
        "questions": st.lists(_WORD, max_size=2).map(tuple),
    },
)


@checked(deadline=None)
@given(_LAYERS, _LAYERS, _LAYERS)
def test_it_does_not_matter_which_layers_are_laid_first(a: Any, b: Any, c: Any) -> None:
    assert laid_over(laid_over(a, b), c) == laid_over(a, laid_over(b, c))


@checked(deadline=None)
@given(_LAYERS)
def test_a_layer_over_itself_or_over_nothing_changes_nothing(layer: Any) -> None:
    assert laid_over(layer, layer) == laid_over({}, layer) == laid_over(layer, {}) == layer


@checked(deadline=None)
@given(_LAYERS, _LAYERS)
def test_the_later_layer_wins_and_nothing_inherited_by_name_is_lost(below: Any, above: Any) -> None:
    both = laid_over(below, above)
    assert set(both) == set(below) | set(above)
    for key, value in above.items():
        if key in ("runs", "questions"):
            assert both[key] == value
        elif key == "tags":
            assert set(both[key]) == set(value) | set(below.get(key, ()))
        else:
            assert {name: both[key][name] for name in value if name != "state"} == {
                name: item for name, item in value.items() if name != "state"
            }
            assert set(both[key]) == set(value) | set(below.get(key, {}))


_HARNESSES = [HarnessSpec("fake", "fake"), HarnessSpec("codex", "codex"), HarnessSpec("pi", "pi:m")]
_OPTIONS = st.builds(
    EvalOptions,
    harness=st.lists(st.sampled_from(_HARNESSES), unique_by=id).map(tuple),
    runs=st.integers(1, 9),
    compare=st.none()
    | st.builds(
        Compare,
        variants=st.lists(st.sampled_from("abc").map(EnvironmentSpec), min_size=1).map(tuple),
    ),
    pin=st.lists(st.sampled_from(["runs", "compare", "harness"]), unique=True).map(tuple),
)
_LIMITS = st.builds(
    Limit,
    runs=st.none() | st.integers(1, 9),
    max_variants=st.none() | st.integers(0, 3),
    compare=st.booleans(),
    harness=st.none() | st.lists(st.sampled_from(["fake", "codex", "pi"])).map(tuple),
)


def _variants(options: EvalOptions) -> tuple[EnvironmentSpec, ...]:
    return () if options.compare is None else options.compare.variants


@checked(deadline=None)
@given(_OPTIONS, _LIMITS)
def test_a_limit_never_widens_and_a_pin_always_wins(options: EvalOptions, limit: Limit) -> None:
    settings = Settings(Path("/project"))
    profile = Profile("p", {}, {}, limit)
    after = narrowed(options, profile, settings)
    assert after.runs <= options.runs
    assert _variants(after) == _variants(options)[: len(_variants(after))]
    assert [h for h in options.harness if h in after.harness] == list(after.harness)
    for key in options.pin:
        assert getattr(after, key) == getattr(options, key)
    assert narrowed(after, profile, settings) == after


def test_what_a_group_the_eval_or_the_command_line_sets_is_the_evals_own(
    settings: Settings,
) -> None:
    """Whatever they are called: a group may have the name of a config file."""
    profile = settings.profiles["pr"]
    layers = [
        Layer("reeval.toml", {"egress": "allow-all"}, "evals/a.eval.py"),
        Layer("profile pr", {"timeout": 5}, "evals/a.eval.py"),
    ]
    options = resolve_options(settings, profile, layers, {"runs": 2})
    assert options.own == {"egress", "timeout", "runs"}
    assert resolve_options(settings, profile, []).own == frozenset()
