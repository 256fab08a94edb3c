"""Which kinds of agent this version drives."""

from __future__ import annotations

import pytest

from reeval.config.errors import UsageError
from reeval.harness.registry import harness_for


def test_the_fake_harness_is_there():
    assert harness_for("fake").kind == "fake"


REFUSED = [
    (
        "claude-code",
        "the claude-code harness is not in this version yet: this version runs the fake "
        "harness, fake_harness(…)",
    ),
    ("claud-code", "there is no harness of kind 'claud-code', did you mean 'claude-code'?"),
    ("zzz", "there is no harness of kind 'zzz'"),
]


@pytest.mark.parametrize(("kind", "message"), REFUSED)
def test_other_kinds_are_refused_in_a_sentence(kind, message):
    with pytest.raises(UsageError) as error:
        harness_for(kind)
    assert str(error.value) == message
