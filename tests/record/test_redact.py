"""No secret reaches the record, and no secret can break it."""

import copy
import json

import pytest

from reeval.masking.masker import Masker
from reeval.record.fold import fold
from reeval.record.redact import redact

SECRET = "correct-horse-battery"


def test_without_secrets_nothing_is_copied():
    value = {"a": ["b"]}
    assert redact(value, Masker({})) is value


@pytest.mark.parametrize(
    "value",
    ["pass", "fail", "completed", "modified", "assertion", "control", "variant", "proxy", "all",
     "local", "reeval-run", "complete", "skipped", "python", "12", "toBe", "reported"],
)  # fmt: skip
def test_a_secret_that_is_one_of_the_records_own_words_leaves_a_record(
    runs, planned, cell, attempt, assertion, *, valid, value
):
    runs.masker = Masker({"ODD": value})
    c, v = cell("base"), cell("skill", role="variant")
    e = planned("greets", [c, v])
    opened = runs.open(e)
    done = attempt(
        e, c, 1,
        assertions=[assertion("x")],
        changedFiles=[{"path": "a", "status": "modified"}],
        error={"kind": "assertion", "message": f"saw {value} here"},
        outcome="fail",
    )  # fmt: skip
    runs.journal(opened, *runs.ended(redact(done, runs.masker)), runs.end())
    result = fold(opened.journal.path)
    opened.journal.close()
    record = valid(json.loads(result.record.read_bytes()))
    (kept, _) = record["evals"][0]["attempts"]
    assert kept["error"]["message"] == "saw [secret ODD] here"
    assert kept["durationMs"] == 12
    assert record["summary"]["fail"] == 1


def test_a_secret_is_masked_wherever_the_record_takes_text(runs, planned, cell, attempt, valid):
    runs.masker = Masker({"KEY": SECRET})
    c = cell(SECRET)
    e = planned(f"greets {SECRET}", [c])
    opened = runs.open(e, profile={"name": "pr", "reason": SECRET, "defaults": {}, "limit": {}})
    done = attempt(e, c, 1, imageId=SECRET, env={"vars": [SECRET], "secrets": [], "brokered": []})
    before = copy.deepcopy(done)
    runs.journal(opened, *runs.ended(redact(done, runs.masker)), runs.end())
    result = fold(opened.journal.path)
    opened.journal.close()
    data = result.record.read_bytes()
    assert SECRET.encode() not in data
    assert valid(json.loads(data))["summary"]["pass"] == 1
    assert done == before
