"""The wire's camelCase keys and a file's snake_case ones are read by one description."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reeval.config.errors import UsageError
from reeval.config.fields import Duration, Text, Whole
from reeval.config.shapes import Key, MapOf, Table, snake_case
from reeval.config.source import At, Source

TABLE = Table(
    {
        "max_concurrent": Key(Whole()),
        "start_timeout": Key(Duration()),
        "headers": Key(MapOf(Text(), "headers")),
    }
)
FILE, WIRE = At(Source(base=Path("/"))), At(Source(base=Path("/"), wire=True))


def test_known_keys_are_renamed_and_the_users_own_are_not() -> None:
    value = {"maxConcurrent": 2, "startTimeout": 1500, "headers": {"xApiKey": "a"}}
    expected = {"max_concurrent": 2, "start_timeout": 1.5, "headers": {"xApiKey": "a"}}
    assert TABLE.parse(value, WIRE) == expected


def test_a_file_takes_snake_case_alone() -> None:
    with pytest.raises(
        UsageError, match='unknown key "maxConcurrent"; did you mean "max_concurrent"'
    ):
        TABLE.parse({"maxConcurrent": 2}, FILE)


@settings(deadline=None)
@given(st.lists(st.from_regex(r"[a-z][a-z0-9]*", fullmatch=True), min_size=1, max_size=3))
def test_camel_case_comes_back_as_it_was(words: list[str]) -> None:
    snake = "_".join(words)
    camel = words[0] + "".join(word.capitalize() for word in words[1:])
    assert snake_case(camel) == snake
    assert snake_case(snake) == snake
