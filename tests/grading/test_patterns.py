"""What a matcher tests strings with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reeval.grading.patterns import Patterns, described, is_pattern

PATHS = [
    ("a.py", "a.py", True),
    ("./a.py", "a.py", True),
    ("a.py", "./a.py", True),
    ("a.py", "src/a.py", False),
    ("a.py", "aXpy", False),
    ("*.py", "a.py", True),
    ("*.py", "src/a.py", False),
    ("src/*", "src/a/b", False),
    ("src/**", "src/a/b", True),
    ("**/*.py", "a.py", True),
    ("**/*.py", "a/b/c.py", True),
    ("src/**/t.py", "src/t.py", True),
    ("src/**/t.py", "src/a/b/t.py", True),
    ("src/**/t.py", "srcs/t.py", False),
    ("a?.py", "ab.py", True),
    ("a?b", "a/b", False),
    ("[ab].py", "b.py", True),
    ("[!ab].py", "b.py", False),
    ("a[!x]b", "a/b", False),
    ("[id].tsx", "[id].tsx", True),
    ("a[", "a[", True),
    ("*\n*", "a\nb", True),
]


@pytest.mark.parametrize(("wanted", "path", "fits"), PATHS)
def test_a_path_is_exact_or_a_glob(wanted, path, fits):
    assert Patterns().path(wanted, "x")(path) is fits


@given(st.text(), st.text())
def test_every_path_fits_itself_and_globs_never_raise(wanted, path):
    test = Patterns().path(wanted, "x")
    assert test(wanted)
    assert test(path) in (True, False)


REGEXPS = [
    ({"regexp": "b+"}, "abbc", True),
    ({"regexp": "^b"}, "a\nb", False),
    ({"regexp": "^b", "flags": "m"}, "a\nb", True),
    ({"regexp": "B", "flags": "gi"}, "abc", True),
    ({"regexp": "a.c", "flags": "s"}, "a\nc", True),
    ({"regexp": r"(?<year>\d{4})-(?<!x)1", "flags": "u"}, "2026-1", True),
    ({"regexp": r"^\w+$"}, "né", False),
]


@pytest.mark.parametrize(("pattern", "text", "found"), REGEXPS)
def test_a_regular_expression_is_searched(pattern, text, found):
    assert Patterns().contained(pattern, "x")(text) is found
    assert Patterns().exact(pattern, "x")(text) is found


def test_a_string_is_contained_or_exact():
    assert Patterns().contained("b", "x")("abc")
    assert not Patterns().exact("b", "x")("abc")
    assert Patterns().exact("b", "x")("b")


def test_each_untested_string_is_kept_once_in_order():
    patterns = Patterns()
    test = patterns.contained({"matchedBy": "p", "answers": {"yes": True, "no": False}}, "x")
    assert [test(text) for text in ("b", "yes", "a", "b", "no")] == [
        False,
        True,
        False,
        False,
        False,
    ]
    assert patterns.untested == {"p": ["b", "a"]}


def test_what_is_a_pattern():
    assert is_pattern({"regexp": "x"})
    assert is_pattern({"matchedBy": "x", "answers": {}})
    for value in (
        {"regexp": 5},
        {"regexp": "x", "other": 1},
        {"matchedBy": "x", "y": 1},
        "x",
        None,
    ):
        assert not is_pattern(value)


def test_a_pattern_is_shown_as_it_was_written():
    assert described({"regexp": "a", "flags": "i"}) == "/a/i"
    assert described({"matchedBy": "re.compile('a')", "answers": {"b": True}}) == "re.compile('a')"
    assert described("a") == '"a"'
