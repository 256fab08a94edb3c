"""A command line selects what it names, and never silently nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reeval.config.errors import UsageError
from reeval.plan.declarations import DeclaredEval
from reeval.plan.select import TagFilter, files_to_load, read_selectors, read_tags, select

FILES = ("evals/hello.eval.py", "evals/net/http.eval.py", "evals/net/tcp.eval.py")
EVALS = (
    DeclaredEval(FILES[0], (), "greets"),
    DeclaredEval(FILES[1], ("proxy",), "blocks"),
    DeclaredEval(FILES[1], ("proxy", "tls"), "Greets"),
    DeclaredEval(FILES[2], (), "connects"),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for file in FILES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    (tmp_path / "evals" / "helper.py").touch()
    return tmp_path


def selected(root: Path, *texts: str, cwd: str = ".") -> list[str]:
    selectors = read_selectors(texts, FILES, root, root / cwd)
    return [e.id for e in select(selectors, EVALS)]


@pytest.mark.parametrize(
    ("texts", "places"),
    [
        ((), [0, 1, 2, 3]),
        (("evals/hello.eval.py",), [0]),
        (("./evals/hello.eval.py",), [0]),
        (("evals/net",), [1, 2, 3]),
        (("evals/net/",), [1, 2, 3]),
        ((".",), [0, 1, 2, 3]),
        (("greet",), [0, 2]),
        (("GREETS",), [0, 2]),
        (("proxy › tls",), [2]),
        (("tcp",), [3]),
        (("evals/net/http.eval.py::proxy",), [1, 2]),
        (("evals/net/http.eval.py::proxy › blocks",), [1]),
        (("evals/net/http.eval.py::proxy›tls›Greets",), [2]),
        (("evals/hello.eval.py", "connects", "hello"), [0, 3]),
        (("evals/net/http.eval.py › proxy › blocks",), [1]),
    ],
)
def test_what_a_selection_means(root: Path, texts: tuple[str, ...], places: list[int]) -> None:
    assert selected(root, *texts) == [EVALS[place].id for place in places]


def test_paths_begin_where_the_person_stands(root: Path) -> None:
    assert selected(root, "http.eval.py", cwd="evals/net") == [EVALS[1].id, EVALS[2].id]
    assert selected(root, ".", cwd="evals/net") == [e.id for e in EVALS[1:]]
    assert selected(root, "evals/hello.eval.py", cwd="evals/net") == [EVALS[0].id]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("greeets", "'greeets' is in no eval's name or path (did you mean 'greets'?)"),
        ("conects", "'conects' is in no eval's name or path (did you mean 'connects'?)"),
        ("zzz", "'zzz' is in no eval's name or path"),
        (
            "evals/hello.eval.py::greet",
            "evals/hello.eval.py::greet selects no eval (did you mean 'greets'?)",
        ),
        (
            "evals/helo.eval.py::greets",
            "evals/helo.eval.py::greets: evals/helo.eval.py is not an eval file of this project "
            "(did you mean 'evals/hello.eval.py'?)",
        ),
        (
            "evals/helper.py",
            "evals/helper.py is not an eval file of this project: `evals` in the config decides "
            "which are",
        ),
    ],
)
def test_a_selection_of_nothing_is_an_error_with_the_nearest(
    root: Path, text: str, message: str
) -> None:
    with pytest.raises(UsageError) as error:
        selected(root, text)
    assert str(error.value) == message
    with pytest.raises(UsageError):
        selected(root, "greets", text)


def test_a_file_that_did_not_load_may_be_selected(root: Path) -> None:
    selectors = read_selectors(["evals/hello.eval.py"], FILES, root, root)
    assert select(selectors, EVALS[1:], failed=[FILES[0]]) == ()
    by_name = read_selectors(["zzz"], FILES, root, root)
    with pytest.raises(UsageError, match=r"; evals/hello\.eval\.py did not load$"):
        select(by_name, EVALS[1:], failed=[FILES[0]])
    with pytest.raises(UsageError, match=r"; a, b, c and 2 more did not load$"):
        select(by_name, EVALS[1:], failed=["e", "d", "c", "b", "a"])


def test_an_empty_name_selects_nothing(root: Path) -> None:
    with pytest.raises(UsageError, match="the name of an eval is empty"):
        read_selectors([""], FILES, root, root)


def test_only_files_that_may_hold_a_selected_eval_are_loaded(root: Path) -> None:
    def loaded(*texts: str) -> tuple[str, ...]:
        return files_to_load(read_selectors(texts, FILES, root, root), FILES)

    assert loaded() == FILES
    assert loaded("evals/net") == FILES[1:]
    assert loaded("evals/hello.eval.py::greets") == FILES[:1]
    assert loaded("evals/net", "greets") == FILES


@given(st.lists(st.sampled_from(["greets", "evals/net", "proxy", "evals/hello.eval.py", "tcp"])))
def test_a_selection_is_the_union_of_its_words_in_the_plans_order(texts: list[str]) -> None:
    # The folders needn't be there for names; paths are matched where they exist, so make none.
    selectors = [s for text in texts for s in read_selectors([text], FILES, Path("/"), Path("/"))]
    got = select(selectors, EVALS)
    alone = {e.id for s in selectors for e in select([s], EVALS)}
    assert [e.id for e in got] == [e.id for e in EVALS if not selectors or e.id in alone]


# ── tags ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("given_tags", "passes", "fails"),
    [
        ([], [{"a"}, set()], []),
        (["a"], [{"a"}, {"a", "b"}], [{"b"}, set()]),
        (["a", "b"], [{"a"}, {"b"}], [{"c"}]),
        (["!slow"], [set(), {"a"}], [{"slow"}, {"a", "slow"}]),
        (["not slow"], [set()], [{"slow"}]),
        (["a", "!slow"], [{"a"}], [{"a", "slow"}, set()]),
        (["nothing"], [{"nothing"}], [{"hing"}]),
    ],
)
def test_tags(given_tags: list[str], passes: list[set[str]], fails: list[set[str]]) -> None:
    tags = read_tags(given_tags)
    assert [t for t in passes if not tags.passes(t)] == []
    assert [t for t in fails if tags.passes(t)] == []


def test_a_wanted_tag_that_no_eval_has_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"the tag 'netwrk' \(did you mean 'network'\?"):
        read_tags(["netwrk"]).check(["network", "slow"])
    read_tags(["!gone", "slow"]).check(["slow"])
    with pytest.raises(UsageError, match="names no tag"):
        read_tags(["!"])


@given(st.sets(st.text(max_size=3)), st.sets(st.text(max_size=3)), st.sets(st.text(max_size=3)))
def test_an_excluded_tag_always_wins(own: set[str], wanted: set[str], unwanted: set[str]) -> None:
    passes = TagFilter(frozenset(wanted), frozenset(unwanted)).passes(own)
    assert passes == (not own & unwanted and (not wanted or bool(own & wanted)))
