"""A project on disk becomes a plan: selection, options, cells, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reeval.config.errors import UsageError
from reeval.plan.make import NOT_ONLY

FAKE = "{'harness': fake_harness()}"


@pytest.fixture
def three(project: Any) -> Any:
    """Three evals on the fake harness, two of them tagged."""
    project.write("reeval.toml", 'harness = "fake"\n')
    project.write(
        "evals/a.eval.py",
        "evaluate('greets', {'tags': ['fast'], 'runs': 3}, BODY)\nevaluate('parts', BODY)",
    )
    project.write("evals/net/b.eval.py", "evaluate('connects', {'tags': ['net', 'fast']}, BODY)")
    return project


def names(plan: Any) -> list[str]:
    return [e.name for e in plan.evals if e.skip is None]


def refusal(project: Any, *selectors: str, **request: Any) -> str:
    with pytest.raises(UsageError) as error:
        project.plan(*selectors, **request)
    return str(error.value)


def test_a_project_of_one_file_needs_no_config(project: Any) -> None:
    project.write("evals/hello.eval.py", f"evaluate('hello', {FAKE}, BODY)")
    plan = project.plan()
    (planned,) = plan.evals
    assert (planned.id, planned.file, planned.group) == (
        "evals/hello.eval.py › hello", "evals/hello.eval.py", (),
    )  # fmt: skip
    assert [c.key for c in planned.cells] == ["fake/-/fake"]
    assert (plan.attempts, plan.cells, plan.profile, plan.failures) == (1, 1, None, ())


def test_everything_is_planned_without_a_selection(three: Any) -> None:
    plan = three.plan()
    assert names(plan) == ["greets", "parts", "connects"]
    assert (plan.attempts, plan.cells) == (5, 3)
    assert len({e.slug for e in plan.evals}) == 3


@pytest.mark.parametrize(
    ("selectors", "request_", "chosen"),
    [
        (("greet",), {}, ["greets"]),
        (("evals/net",), {}, ["connects"]),
        (("evals/a.eval.py::parts", "connects"), {}, ["parts", "connects"]),
        ((), {"tags": ("fast",)}, ["greets", "connects"]),
        ((), {"tags": ("fast", "!net")}, ["greets"]),
        ((), {"harness": ("fake",)}, ["greets", "parts", "connects"]),
    ],
)
def test_a_selection_narrows_the_plan(
    three: Any, selectors: tuple[str, ...], request_: dict[str, Any], chosen: list[str]
) -> None:
    assert names(three.plan(*selectors, **request_)) == chosen


@pytest.mark.parametrize(
    ("selectors", "request_", "message"),
    [
        (("gretes",), {}, "'gretes' is in no eval's name or path (did you mean 'greets'?)"),
        ((), {"tags": ("fats",)}, "no eval has the tag 'fats' (did you mean 'fast'?)"),
        (("parts",), {"tags": ("!parts", "fast")}, "no eval has the tag 'fast'"),
        ((), {"tags": ("net", "!fast")}, "no eval has the tags asked for: net, !fast"),
        ((), {"harness": ("fkae",)}, "--harness: no eval runs on fkae (did you mean 'fake'?)"),
    ],
)
def test_a_selection_of_nothing_is_refused(
    three: Any, selectors: tuple[str, ...], request_: dict[str, Any], message: str
) -> None:
    assert refusal(three, *selectors, **request_) == message


def test_a_project_without_evals_is_refused(project: Any) -> None:
    expected = f"{project.root} has no eval file (evals/**/*.eval.py): `reeval init` writes one"
    assert refusal(project) == expected
    project.write("evals/empty.eval.py", "")
    assert refusal(project) == "the eval files declare no eval: write one with @evaluate(…)"


def test_a_broken_file_is_a_failure_beside_the_other_evals(three: Any) -> None:
    three.write("evals/broken.eval.py", "1 +")
    plan = three.plan()
    assert names(plan) == ["greets", "parts", "connects"]
    assert [f.file for f in plan.failures] == ["evals/broken.eval.py"]
    alone = three.plan("evals/broken.eval.py")
    assert (alone.evals, len(alone.failures)) == ((), 1)
    assert names(three.plan("evals/net")) == ["connects"]
    assert three.plan("evals/net").failures == ()


def test_only_skips_the_others_and_says_so(three: Any) -> None:
    three.write("evals/c.eval.py", "evaluate.only('mine', BODY)\nevaluate.skip('off', BODY)")
    plan = three.plan()
    assert {e.name: e.skip for e in plan.evals} == {
        "greets": NOT_ONLY, "parts": NOT_ONLY, "connects": NOT_ONLY, "mine": None, "off": "skip",
    }  # fmt: skip
    assert plan.warnings == (
        "1 eval is marked .only (evals/c.eval.py › mine), so 3 others don't run",
    )
    assert plan.attempts == 1
    assert names(three.plan("greets")) == ["greets"]


def test_a_todo_is_listed_and_needs_no_harness(project: Any) -> None:
    inner = "group('g', {'tags': ['t']}, lambda: todo('later'))"
    project.write("evals/a.eval.py", f"evaluate('x', {FAKE}, BODY)\n{inner}")
    todo = project.plan().evals[1]
    assert (todo.id, todo.skip, todo.todo, todo.cells, todo.options.tags) == (
        "evals/a.eval.py › g › later", "todo", True, (), ("t",),
    )  # fmt: skip


def test_a_command_line_replaces_what_files_say(three: Any) -> None:
    three.write("reeval.toml", 'harness = "fake"\n[environments.base]\nrules = "be kind"\n')
    (planned,) = three.plan("greets", runs=7, environment="base", timeout="90s").evals
    assert (planned.options.runs, planned.options.timeout) == (7, 90.0)
    assert [(c.key, c.runs) for c in planned.cells] == [("fake/base/fake", 7)]


def test_a_profile_is_chosen_named_and_limits(three: Any) -> None:
    three.write("reeval.toml", 'harness = "fake"\n[profiles.pr]\nlimit = { runs = 1 }\n')
    plan = three.plan(profile="pr")
    assert plan.attempts == 3
    assert plan.profile == {
        "name": "pr", "reason": "--profile", "defaults": {}, "limit": {"runs": 1},
    }  # fmt: skip
    assert "unknown profile" in refusal(three, profile="rp")


def test_a_plan_above_the_budget_is_refused_unless_it_is_only_listed(three: Any) -> None:
    three.write("reeval.toml", 'harness = "fake"\n[budget]\nattempts = 4\n')
    over = "the plan has 5 attempts and the budget allows 4"
    assert over in refusal(three)
    (warning,) = three.plan(to_run=False).warnings
    assert warning.startswith(over)
    assert three.plan(to_run=False).attempts == 5
    assert three.plan("parts").attempts == 1


def test_what_this_version_lacks_is_refused_unless_it_is_only_listed(project: Any) -> None:
    project.write("reeval.toml", 'harness = "codex"\n')
    project.write("evals/a.eval.py", f"evaluate('x', BODY)\nevaluate('y', {FAKE}, BODY)")
    assert "the codex harness is not in this version yet" in refusal(project)
    listed = project.plan(to_run=False)
    assert [c.key for c in listed.evals[0].cells] == ["codex/-/docker"]
    assert names(project.plan(harness=("fake",))) == ["y"]


def test_only_changed_plans_what_did_not_pass_as_it_is(three: Any) -> None:
    passed = {e.id: e.fingerprint for e in three.plan().evals}
    nothing = three.plan(only_changed=passed)
    assert nothing.evals == ()
    assert nothing.warnings == (
        "nothing to run: each eval passed the last time and is as it was then",
    )
    assert three.plan(only_changed={}).attempts == three.plan().attempts
    path = three.root / "evals/a.eval.py"
    path.write_text(path.read_text().replace("'runs': 3", "'timeout': 5"))
    assert names(three.plan(only_changed=passed)) == ["greets"]


def test_an_option_that_is_wrong_is_refused_with_its_place(three: Any) -> None:
    three.write("evals/bad.eval.py", "evaluate('x', {'runs': 0}, BODY)")
    message = refusal(three)
    assert message.startswith("evals/bad.eval.py: ")
    assert "runs" in message
    assert names(three.plan("evals/net")) == ["connects"]


def test_two_cells_of_one_name_name_their_eval(project: Any) -> None:
    environments = "define_environment('v', {}), define_environment('v', {'rules': 'x'})"
    options = f"dict(harness=fake_harness(), compare=dict(variants=[{environments}]))"
    project.write("evals/a.eval.py", f"evaluate('x', {options}, BODY)")
    assert refusal(project).startswith('evals/a.eval.py: evaluate("x")')


def test_secrets_are_read_and_an_unset_one_does_not_stop_the_plan(project: Any) -> None:
    project.write(".env", "TOKEN=from-file\n")
    env = "{'env': {'A': secret('TOKEN'), 'B': secret('GONE')}, 'harness': fake_harness()}"
    project.write("evals/a.eval.py", f"evaluate('x', {env}, BODY)")
    plan = project.plan()
    assert plan.secrets == {"TOKEN": "from-file"}
    assert "from-file" not in repr(plan)


def test_cases_share_their_options(project: Any) -> None:
    project.write(
        "evals/a.eval.py",
        "evaluate_each([{'n': i} for i in range(50)], 'case $n', {'harness': fake_harness()})"
        "(lambda c, case: None)",
    )
    plan = project.plan()
    assert len({id(e.options) for e in plan.evals}) == 1
    assert len({e.fingerprint for e in plan.evals}) == 50
    assert len({c.fingerprint for e in plan.evals for c in e.cells}) == 50
    assert [e.family.case for e in plan.evals] == list(range(50))
    assert len(repr(plan)) < 2000


def test_a_body_that_only_moved_keeps_its_fingerprint(three: Any) -> None:
    before = [e.fingerprint for e in three.plan("evals/a.eval.py").evals]
    path: Path = three.root / "evals/a.eval.py"
    path.write_text("# moved down\n" + path.read_text())
    assert [e.fingerprint for e in three.plan("evals/a.eval.py").evals] == before
