"""What `reeval`, `reeval.aio` and `reeval_python` offer, and that looking costs nothing."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import reeval
import reeval_python


@pytest.mark.parametrize("name", reeval.__all__)
def test_each_name_is_the_same_object_from_both_packages(name: str) -> None:
    assert getattr(reeval, name) is getattr(reeval_python, name)


def test_both_packages_offer_the_same_names() -> None:
    assert reeval.__all__ == reeval_python.__all__


@pytest.mark.parametrize(
    "module",
    ["aio", "context", "declare", "environment", "errors", "expect", "options", "types"],
)
def test_each_submodule_of_the_alias_offers_what_it_says(module: str) -> None:
    loaded = importlib.import_module(f"reeval_python.{module}")
    for name in loaded.__all__:
        assert hasattr(loaded, name)


def test_importing_the_alias_s_expect_module_keeps_the_function() -> None:
    importlib.import_module("reeval_python.expect")
    from reeval_python import expect

    assert expect is reeval.expect


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'reeval' has no attribute 'evalute'"):
        reeval.evalute  # noqa: B018


def test_importing_reeval_loads_nothing_else() -> None:
    program = (
        "import sys; before = set(sys.modules); import reeval; "
        "print(sorted(m for m in set(sys.modules) - before if not m.startswith('_')))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "['reeval']\n"
