"""Slugs are safe folder names, readable, and differ when their texts do."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from reeval.plan.names import slug


def test_a_slug_is_readable() -> None:
    assert slug("evals/hello.eval.py › greets").startswith("evals-hello-eval-py-greets-")
    assert slug("Grüße an alle").startswith("grusse-an-alle-") or slug("Grüße").startswith("gru")


def test_a_text_without_letters_is_its_hash() -> None:
    assert re.fullmatch(r"[0-9a-f]{12}", slug("日本"))


@given(st.text(), st.text())
def test_slugs_are_safe_and_differ_with_their_texts(a: str, b: str) -> None:
    for text in (a, b):
        assert re.fullmatch(r"([a-z0-9-]{1,40}-)?[0-9a-f]{12}", slug(text))
        assert not slug(text).startswith("-")
    assert (slug(a) == slug(b)) == (a == b)


def test_a_lone_surrogate_has_a_slug() -> None:
    assert slug("a\udcff") != slug("a")
