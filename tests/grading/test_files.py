"""`toHaveFile` and `toHaveChanged`."""

from __future__ import annotations

import pytest

from reeval.config.errors import UsageError
from reeval.grading import files
from reeval.protocol import messages as m

C = m.AttemptSubject()


def regexp(source: str) -> dict:
    return {"regexp": source}


# ── toHaveFile ───────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def workspace(tmp_path):
    (tmp_path / "greet.py").write_text("def greet(name):\n    return f'Hello, {name}!'\n")
    (tmp_path / "empty").write_text("")
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\0\xff" + bytes(100))
    (tmp_path / "long.txt").write_text("".join(f"line {n}\n" for n in range(100)))
    return tmp_path


FOUND = [
    ("greet.py",),
    ("greet.py", "def greet"),
    ("greet.py", regexp(r"Hello, \{\w+\}")),
    ("empty",),
    ("empty", ""),
    ("logo.png", "PNG\0"),
    ("logo.png", regexp("PNG")),
]


@pytest.mark.parametrize("args", FOUND)
def test_it_has_the_file(checking, workspace, args):
    assert checking(C, "toHaveFile", *args).status == "pass"
    assert checking(C, "toHaveFile", *args, negated=True).status == "fail"


def test_a_turn_checks_the_workspace_as_it_is_now(checking, workspace, turn):
    assert checking(m.TurnSubject(0), "toHaveFile", "greet.py", turns=[turn()]).status == "pass"


MISSING = [
    (("nope.py",), "expected the workspace to have nope.py"),
    (("nope.py", "x"), 'expected nope.py to contain "x", but there is no such file'),
    (("nope.py", regexp("x")), "expected nope.py to match /x/, but there is no such file"),
    (
        ("greet.py", "def bye"),
        'expected greet.py to contain "def bye"\nreceived (46 bytes):\n'
        "  def greet(name):\n      return f'Hello, {name}!'",
    ),
    (("empty", "x"), 'expected empty to contain "x", it is empty'),
    (("logo.png", "x"), 'expected logo.png to contain "x", it is binary (106 bytes)'),
    (
        ("long.txt", regexp("line x")),
        "expected long.txt to match /line x/\nreceived (790 bytes):\n"
        + "".join(f"  line {n}\n" for n in range(10))
        + "  …",
    ),
]


@pytest.mark.parametrize(("args", "message"), MISSING)
def test_it_lacks_the_file_with_this_sentence(checking, workspace, args, message):
    outcome = checking(C, "toHaveFile", *args)
    assert (outcome.status, outcome.message) == ("fail", message)
    assert checking(C, "toHaveFile", *args, negated=True).status == "pass"


def test_negated_it_shows_what_the_file_held(checking, workspace):
    assert checking(C, "toHaveFile", "greet.py", negated=True).message == (
        "expected the workspace not to have greet.py"
    )
    outcome = checking(C, "toHaveFile", "empty", "", negated=True)
    assert outcome.message == 'expected empty not to contain "", it is empty'


def test_a_file_too_large_to_search_is_no_answer(checking, workspace, monkeypatch):
    monkeypatch.setattr(files, "PATTERN_BYTES", 789)
    for negated in (False, True):
        outcome = checking(C, "toHaveFile", "long.txt", regexp("line 5"), negated=negated)
        assert (outcome.status, outcome.message) == (
            "error",
            "toHaveFile can't search long.txt for a pattern: it has 790 bytes, the limit is 789; "
            "look for a plain string instead",
        )
    assert checking(C, "toHaveFile", "long.txt", "line 5").status == "pass"


def test_it_reads_the_workspace_only(checking):
    outcome = checking(m.ValueSubject("x"), "toHaveFile", "a")
    assert (outcome.status, outcome.message) == (
        "error",
        "toHaveFile reads the workspace: expect(c) or expect(turn)",
    )


FILE_MISTAKES = [
    ((), "toHaveFile takes a path and, if it matters, a pattern of its contents, got 0 arguments"),
    ((regexp("x"),), 'toHaveFile takes a path, got {"regexp": "x"}'),
    (("nope", 5), "toHaveFile's pattern takes a string or a pattern, got 5"),
]


@pytest.mark.parametrize(("args", "message"), FILE_MISTAKES)
def test_an_argument_that_cannot_be_is_a_usage_error(checking, args, message):
    with pytest.raises(UsageError) as error:
        checking(C, "toHaveFile", *args)
    assert str(error.value) == message


# ── toHaveChanged ────────────────────────────────────────────────────────────────────────────

CHANGED = {"src/a.py": "modified", "src/deep/b.py": "added", "README.md": "deleted"}
LIST = "changed: src/a.py (modified), src/deep/b.py (added), README.md (deleted)"

ONLY_THESE = [
    (),
    ("**",),
    (["src/**", "README.md"],),
    (["src/**", "README.md", "docs/**"],),
    ([regexp(r"\.py$"), "*.md"],),
    (["./src/a.py", "src/*/b.py", "README.md"],),
]


@pytest.mark.parametrize("args", ONLY_THESE)
def test_only_what_the_paths_name_changed(checking, turn, args):
    turns = [turn(files=CHANGED)]
    assert checking(C, "toHaveChanged", *args, turns=turns).status == "pass"
    assert checking(C, "toHaveChanged", *args, turns=turns, negated=True).status == "fail"


NONE_OF_THESE = [("docs/**",), (["src/*.md", regexp("^a")],), ("src/b.py",), ("readme.md",)]


@pytest.mark.parametrize("args", NONE_OF_THESE)
def test_nothing_the_paths_name_changed(checking, turn, args):
    turns = [turn(files=CHANGED)]
    assert checking(C, "toHaveChanged", *args, turns=turns).status == "fail"
    assert checking(C, "toHaveChanged", *args, turns=turns, negated=True).status == "pass"


IN_BETWEEN = [("src/**",), ("src/a.py",), (["src/**", "*.md", "src/missing.py"],)]


@pytest.mark.parametrize("args", IN_BETWEEN)
def test_when_other_paths_changed_or_one_did_not_it_fails_both_ways(checking, turn, args):
    turns = [turn(files=CHANGED)]
    assert checking(C, "toHaveChanged", *args, turns=turns).status == "fail"
    assert checking(C, "toHaveChanged", *args, turns=turns, negated=True).status == "fail"


SENTENCES = [
    (
        CHANGED,
        ("docs/**",),
        False,
        f'expected the workspace to have changed only "docs/**", {LIST}',
    ),
    (
        CHANGED,
        (["src/**", regexp("x")],),
        True,
        f'expected the workspace not to have changed "src/**", /x/, {LIST}',
    ),
    (CHANGED, (), True, f"expected the workspace not to have changed, {LIST}"),
    ({}, (), False, "expected the workspace to have changed, nothing changed"),
    ({}, ("a",), False, 'expected the workspace to have changed only "a", nothing changed'),
    (
        {f"f{n}": "added" for n in range(1012)},
        ("x",),
        False,
        'expected the workspace to have changed only "x", changed: '
        + ", ".join(f"f{n} (added)" for n in range(10))
        + " and 1,002 more",
    ),
]


@pytest.mark.parametrize(("changed", "args", "negated", "message"), SENTENCES)
def test_the_sentence_lists_what_changed(checking, turn, changed, args, negated, message):
    outcome = checking(C, "toHaveChanged", *args, turns=[turn(files=changed)], negated=negated)
    assert (outcome.status, outcome.message) == ("fail", message)


def test_the_attempt_is_its_latest_turn(checking, turn):
    turns = [turn(files={"a": "added"}), turn(files={"b": "added"}, index=1)]
    assert checking(C, "toHaveChanged", "b", turns=turns).status == "pass"
    assert checking(m.TurnSubject(0), "toHaveChanged", "a", turns=turns).status == "pass"


NO_TURN = [
    (C, "toHaveChanged has no turn to read: call c.send() first"),
    (m.TurnSubject(3), "toHaveChanged can't read turn 4: it has not ended"),
    (
        m.ValueSubject(1),
        "toHaveChanged reads what an agent did: expect(turn), or expect(c) for its latest turn",
    ),
]


@pytest.mark.parametrize(("subject", "message"), NO_TURN)
@pytest.mark.parametrize("negated", [False, True])
def test_without_a_turn_there_is_no_answer(checking, subject, message, negated):
    outcome = checking(subject, "toHaveChanged", negated=negated)
    assert (outcome.status, outcome.message) == ("error", message)
