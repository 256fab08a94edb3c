"""Where secrets' values come from."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reeval.config.errors import UsageError
from reeval.config.model import (
    Compare,
    EnvironmentSpec,
    EvalOptions,
    GitWorkspace,
    McpServer,
    Secret,
    SecretTemplate,
)
from reeval.config.secrets import (
    host_variables,
    parse_env_file,
    secret_values,
    secrets_of,
)

FILE = Path(".env")

TEXT = r"""
# a comment
PLAIN=value with spaces   # and a comment
export EXPORTED = yes
EMPTY=
HASH=a#b
SINGLE='literal \n $HOME # not a comment'   # a comment
DOUBLE="two\nlines and \"quotes\" \\ and \x"
PEM="-----BEGIN-----
abc
-----END-----"
   INDENTED=1
LAST=last"""


def test_every_way_to_write_a_line() -> None:
    assert parse_env_file(TEXT, FILE) == {
        "PLAIN": "value with spaces",
        "EXPORTED": "yes",
        "EMPTY": "",
        "HASH": "a#b",
        "SINGLE": r"literal \n $HOME # not a comment",
        "DOUBLE": 'two\nlines and "quotes" \\ and \\x',
        "PEM": "-----BEGIN-----\nabc\n-----END-----",
        "INDENTED": "1",
        "LAST": "last",
    }


def test_windows_line_ends() -> None:
    assert parse_env_file("A=1\r\nB='2'\r\n", FILE) == {"A": "1", "B": "2"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A=1\nhunter2hunter2\n", ".env:2: this line is not NAME=value"),
        ("A=1\n\n2B=x\n", ".env:3: this line is not NAME=value"),
        ('A=1\nB="hunter2\nC=1\n', ".env:2: the quote of B is not closed"),
        ("A='x' hunter2\n", ".env:1: there is text after the quoted value of A"),
    ],
)
def test_a_wrong_line_is_named_without_its_value(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_env_file(text, FILE)
    assert str(caught.value) == message


@settings(deadline=None)
@given(st.dictionaries(st.from_regex(r"[A-Z]{1,3}", fullmatch=True), st.text(max_size=20)))
def test_what_is_quoted_comes_back(values: dict[str, str]) -> None:
    values = {name: value.replace("\r", "") for name, value in values.items()}
    quoted = {
        name: value.replace("\\", "\\\\").replace('"', '\\"') for name, value in values.items()
    }
    text = "".join(f'{name}="{value}"\n' for name, value in quoted.items())
    assert parse_env_file(text, FILE) == values


def test_the_hosts_environment_comes_before_the_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=file\nB=file\n")
    found = host_variables(tmp_path, {"A": "host"})
    assert found == {"A": "host", "B": "file"}
    assert host_variables(tmp_path / "nowhere", {"A": "host"}) == {"A": "host"}


def test_what_is_unset_and_needed_is_listed_once() -> None:
    specs = [
        Secret("A"),
        Secret("GONE"),
        Secret("GONE"),
        Secret("MAYBE", optional=True),
        SecretTemplate("Bearer ${T} for ${A}"),
        Secret("EMPTY"),
    ]
    found = secret_values(specs, {"A": "1", "EMPTY": ""})
    assert found.values == {"A": "1"}
    assert found.unset == ("GONE", "T", "EMPTY")


def test_values_stay_out_of_a_repr() -> None:
    assert "hunter2" not in repr(secret_values([Secret("A")], {"A": "hunter2"}))


def test_every_place_of_an_evals_options_that_names_a_secret() -> None:
    server = McpServer(
        "http", url="https://x.example", headers={"a": SecretTemplate("${H}"), "b": Secret("I")}
    )
    options = EvalOptions(
        env={"A": Secret("A"), "PLAIN": "x"},
        environment=EnvironmentSpec(
            "e", env={"B": Secret("B")}, workspace=GitWorkspace("r", token="W")
        ),
        compare=Compare(
            (EnvironmentSpec("v", mcp={"m": server}),), EnvironmentSpec("b", env={"C": Secret("C")})
        ),
    )
    names = [s.from_ if isinstance(s, Secret) else s.template for s in secrets_of(options)]
    assert names == ["A", "B", "W", "C", "${H}", "I"]
