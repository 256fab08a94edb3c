"""The line of each key, in every way TOML can write one."""

from __future__ import annotations

import string
from typing import Any

import pytest
import tomli
from hypothesis import given, settings
from hypothesis import strategies as st

from reeval.config.lines import KeyPath, key_lines

DOCUMENT = '''\
# a comment with = and [brackets]
a = 1
b.c = "x # not a comment" # one
"quoted key" = 'literal \\'
'd.e' = """
multi = "line"
\\""" still
"""
f = [
  1,
  # between
  [2, 3], { g = 4 },
]
h = '\'\'
x = 1
'\'\'

[table]
k = {
  one = 1, # TOML 1.1: an inline table over lines
  two.three = [
    "]",
  ],
}

[table.sub."dotted.key"]
z = true

[[array]]
n = 1
[array.inner]
m = 1
[[array]]
n = 2
[[array.deep]]
p = 1
[[array.deep]]
p = 2
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("a",), 2),
        (("b",), 3),
        (("b", "c"), 3),
        (("quoted key",), 4),
        (("d.e",), 5),
        (("f",), 9),
        (("f", 0), 10),
        (("f", 1), 12),
        (("f", 1, 1), 12),
        (("f", 2, "g"), 12),
        (("h",), 14),
        (("table",), 18),
        (("table", "k", "one"), 20),
        (("table", "k", "two", "three", 0), 22),
        (("table", "sub", "dotted.key"), 26),
        (("table", "sub", "dotted.key", "z"), 27),
        (("array",), 29),
        (("array", 0, "n"), 30),
        (("array", 0, "inner", "m"), 32),
        (("array", 1), 33),
        (("array", 1, "n"), 34),
        (("array", 1, "deep", 0, "p"), 36),
        (("array", 1, "deep", 1, "p"), 38),
    ],
)
def test_the_line_of_a_key(path: KeyPath, line: int) -> None:
    tomli.loads(DOCUMENT)
    assert key_lines(DOCUMENT).get(path) == line


def test_windows_line_ends_count_as_one() -> None:
    assert key_lines("a = 1\r\nb = 2\r\n")[("b",)] == 2


def test_escapes_in_a_quoted_key() -> None:
    assert ("caf\u00e9\t",) in key_lines('"caf\\u00e9\\t" = 1')


_KEYS = st.text(string.ascii_letters + '."\\# =[]', min_size=1, max_size=6)
_LEAVES = st.one_of(st.integers(), st.booleans(), st.text(max_size=8))
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.dictionaries(_KEYS, _VALUES, max_size=4))
def test_every_key_that_the_parser_reads_has_its_line(document: dict[str, Any]) -> None:
    text = "".join(f"\n{_quoted(key)} = {_toml(value)}\n" for key, value in document.items())
    assert tomli.loads(text) == document
    lines = key_lines(text)
    written = text.split("\n")
    for key in document:
        assert written[lines[(key,)] - 1].startswith(_quoted(key))
    assert set(_paths(document, ())) <= set(lines)


def _paths(value: Any, path: KeyPath) -> list[KeyPath]:
    items = enumerate(value) if isinstance(value, list) else getattr(value, "items", list)()
    return [found for key, item in items for found in [(*path, key), *_paths(item, (*path, key))]]


def _quoted(text: str) -> str:
    escaped = "".join(
        f"\\U{ord(char):08x}" if char not in string.ascii_letters else char for char in text
    )
    return f'"{escaped}"'


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        return "[" + ", \n".join(map(_toml, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",\n ".join(f"{_quoted(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    return str(value)
