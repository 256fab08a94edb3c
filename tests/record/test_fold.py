"""A journal becomes a record that fits the schema, whose sums are a plain recount's."""

import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reeval.record.fold import fold
from reeval.record.index import NoRun
from reeval.record.reader import find_run
from reeval.record.stored import stored
from reeval.stats.proportions import newcombe_difference


def folded(runs, opened, valid, **options):
    result = fold(opened.journal.path, **options)
    opened.journal.close()
    return result, valid(json.loads(result.record.read_bytes()))


def test_a_run_of_one_attempt_is_a_whole_record(runs, planned, cell, attempt, assertion, valid):
    c = cell()
    e = planned("greets", [c])
    opened = runs.open(e)
    done = attempt(e, c, 1, assertions=[assertion("says hello")], turns=[])
    runs.journal(opened, runs.started(done), *runs.ended(done), runs.end())
    result, record = folded(runs, opened, valid)
    assert (result.run_id, result.status, result.exit_code) == (opened.run_id, "complete", 0)
    assert result.record == runs.folder / f"{opened.run_id}.json"
    entry = record["evals"][0]
    assert entry["attempts"] == [done]
    assert (entry["outcome"], entry["passRate"], entry["revision"]) == ("pass", 1.0, 3)
    assert entry["cells"][0]["checks"] == [
        {"label": "says hello", "pass": 1, "fail": 0, "error": 0, "notRun": 0}
    ]
    assert record["summary"] == {
        "evals": 1, "attempts": 1,
        "pass": 1, "fail": 0, "notGated": 0, "infraError": 0, "skipped": 0,
    }  # fmt: skip
    assert (record["startedAt"], record["durationMs"]) == ("2026-11-30T17:40:47.250Z", 60_000)
    assert record["stack"]["runtime"]["name"] == "python"
    assert "node" not in record["stack"]
    assert not opened.journal.path.exists()


def test_the_head_and_its_summary_come_before_the_evals(runs, planned, cell, valid):
    opened = runs.open(planned("greets", [cell()]))
    runs.journal(opened, runs.end())
    result, record = folded(runs, opened, valid)
    text = result.record.read_text()
    assert list(record)[-1] == "evals"
    assert text.index('"summary":') < text.index('\n"evals":[')


def test_what_is_folded_can_be_read_without_holding_it(runs, planned, cell, attempt, valid):
    first, last = cell(runs=3), cell()
    e, f = planned("first", [first]), planned("last", [last])
    opened = runs.open(e, planned("idea", skip="todo", todo=True), f)
    ended = [*(attempt(e, first, n, answers=[]) for n in (1, 2, 3)), attempt(f, last, 1)]
    runs.journal(opened, *runs.ended(*ended), runs.end())
    _, record = folded(runs, opened, valid)
    lazy = stored(find_run(runs.root))["evals"]
    assert not isinstance(lazy, list)
    assert [{**entry, "attempts": list(entry["attempts"])} for entry in lazy] == record["evals"]


def test_attempts_stand_by_cell_then_n_however_they_ended(runs, planned, cell, attempt, valid):
    first, second = cell("one", runs=2), cell("two", runs=2)
    e = planned("greets", [first, second])
    opened = runs.open(e)
    order = [(second, 2), (first, 2), (second, 1), (first, 1)]
    runs.journal(opened, *runs.ended(*(attempt(e, c, n) for c, n in order)), runs.end())
    _, record = folded(runs, opened, valid)
    assert [a["id"] for a in record["evals"][0]["attempts"]] == [
        "fake/one/fake#1", "fake/one/fake#2", "fake/two/fake#1", "fake/two/fake#2",
    ]  # fmt: skip


def test_an_attempts_bytes_are_copied_as_they_were_journaled(runs, planned, cell, attempt, valid):
    c = cell()
    e = planned("greets", [c])
    opened = runs.open(e)
    odd = attempt(e, c, 1, imageId='a"b\\c\nü\u2028 🎉 {"kind":"end"} }\x00')
    runs.journal(opened, *runs.ended(odd), runs.end())
    _, record = folded(runs, opened, valid)
    assert record["evals"][0]["attempts"] == [odd]


def test_a_lone_surrogate_becomes_a_replacement_character(runs, planned, cell, attempt, valid):
    c = cell()
    e = planned("greets", [c])
    opened = runs.open(e)
    runs.journal(opened, *runs.ended(attempt(e, c, 1, imageId="a\ud800b\U0001f389")), runs.end())
    result, record = folded(runs, opened, valid)
    assert record["evals"][0]["attempts"][0]["imageId"] == "a\ufffdb\U0001f389"
    result.record.read_bytes().decode("utf-8", "strict")


@pytest.mark.parametrize(
    ("status", "stopped", "message", "code"),
    [
        ("budget", "budget", "never started: the budget for the run was used up", 3),
        ("complete", "bail", "never started: the run stopped after a failure", 3),
        ("interrupted", "interrupt", "never started: the run was interrupted", 130),
    ],
)
def test_attempts_left_unstarted_are_skipped_and_say_why(
    runs, planned, cell, attempt, valid, *, status, stopped, message, code
):
    c = cell(runs=3)
    e = planned("greets", [c])
    opened = runs.open(e)
    runs.journal(opened, *runs.ended(attempt(e, c, 1)), runs.end(status, stopped))
    result, record = folded(runs, opened, valid)
    left = record["evals"][0]["attempts"][1:]
    assert [(a["outcome"], a["seq"], a["startedAt"]) for a in left] == [("skipped", None, None)] * 2
    assert [a["error"] for a in left] == [{"kind": "aborted", "message": message}] * 2
    assert record["summary"]["skipped"] == 2
    assert (record["status"], result.exit_code) == (status, code)


def test_a_skipped_eval_and_a_todo_leave_the_exit_code_alone(runs, planned, cell, attempt, valid):
    c = cell()
    e = planned("greets", [c])
    opened = runs.open(
        e, planned("later", [cell(runs=2)], skip="slow"), planned("idea", skip="todo", todo=True)
    )
    runs.journal(opened, *runs.ended(attempt(e, c, 1)), runs.end())
    result, record = folded(runs, opened, valid)
    assert result.exit_code == 0
    assert [x["outcome"] for x in record["evals"]] == ["pass", "skipped", "skipped"]
    assert [x["todo"] for x in record["evals"]] == [False, False, True]
    assert [a["error"] for a in record["evals"][1]["attempts"]] == [None, None]
    assert record["summary"]["skipped"] == 2
    assert record["plan"]["attempts"] == 1


def test_an_attempt_a_dead_run_left_is_aborted(runs, planned, cell, attempt, valid):
    c = cell(runs=3)
    e = planned("greets", [c])
    opened = runs.open(e)
    runs.journal(
        opened,
        *[runs.started(attempt(e, c, n)) for n in (1, 2)],
        *runs.ended(attempt(e, c, 1)),
    )
    result, record = folded(runs, opened, valid)
    _, running, waiting = record["evals"][0]["attempts"]
    assert (running["outcome"], running["error"]["kind"], running["seq"]) == (
        "infra_error",
        "aborted",
        2,
    )
    assert (waiting["outcome"], waiting["seq"]) == ("skipped", None)
    assert (record["status"], result.exit_code) == ("interrupted", 130)
    counts = record["evals"][0]["cells"][0]
    assert (counts["pass"], counts["infraError"], counts["skipped"]) == (1, 1, 1)


def test_an_error_outside_any_attempt_fails_the_run(runs, planned, cell, attempt, valid):
    c = cell()
    e = planned("greets", [c])
    opened = runs.open(e)
    runs.journal(
        opened,
        runs.error("evals/b.eval.py did not load"),
        *runs.ended(attempt(e, c, 1)),
        runs.end(),
    )
    result, record = folded(runs, opened, valid)
    assert record["errors"] == ["evals/b.eval.py did not load"]
    assert result.exit_code == 1


def test_a_variant_is_measured_against_its_control(runs, planned, cell, attempt, assertion, valid):
    control = cell("base", gate="none", runs=4)
    variant = cell("skill", role="variant", runs=4)
    e = planned("greets", [control, variant], min_lift=-0.5)
    opened = runs.open(e)
    ended = [
        attempt(e, control, n, outcome="fail", assertions=[assertion("works", "fail")])
        for n in range(1, 5)
    ] + [
        attempt(e, variant, n, assertions=[assertion("runs"), assertion("works")])
        for n in range(1, 5)
    ]
    runs.journal(opened, *runs.ended(*ended), runs.end())
    result, record = folded(runs, opened, valid)
    before, after = record["evals"][0]["cells"]
    interval = newcombe_difference(4, 4, 0, 4)
    assert "lift" not in before
    assert after["lift"] == {
        "vs": control.key,
        "control": {"pass": 0, "counted": 4},
        "variant": {"pass": 4, "counted": 4},
        "points": 1.0,
        "interval": {
            "lo": interval.lo,
            "hi": interval.hi,
            "level": 0.95,
            "method": "newcombe-wilson",
        },
        "withinNoise": False,
        "minLift": -0.5,
    }
    assert after["checks"] == [
        {
            "label": "works", "pass": 4, "fail": 0, "error": 0, "notRun": 0,
            "control": {"pass": 0, "fail": 4, "error": 0, "notRun": 0}, "verdict": "discriminates",
        },
        {
            "label": "runs", "pass": 4, "fail": 0, "error": 0, "notRun": 0,
            "control": {"pass": 0, "fail": 0, "error": 0, "notRun": 4},
        },
    ]  # fmt: skip
    assert (before["outcome"], after["outcome"], record["evals"][0]["outcome"]) == (
        "fail",
        "pass",
        "pass",
    )
    assert record["summary"]["notGated"] == 4
    assert result.exit_code == 0


def test_a_lift_below_its_minimum_fails_the_cell_and_the_run(runs, planned, cell, attempt, valid):
    control, variant = cell("base", gate="none"), cell("skill", role="variant")
    e = planned("greets", [control, variant], min_lift=0.2)
    opened = runs.open(e)
    runs.journal(opened, *runs.ended(attempt(e, control, 1), attempt(e, variant, 1)), runs.end())
    result, record = folded(runs, opened, valid)
    lift = record["evals"][0]["cells"][1]["lift"]
    assert lift["withinNoise"] is True
    assert lift["interval"]["lo"] < 0.2
    assert record["evals"][0]["outcome"] == "fail"
    assert result.exit_code == 1


def test_the_stack_and_cost_are_the_union_and_sum_of_the_attempts(
    runs, planned, cell, attempt, valid
):
    c = cell(runs=3)
    e = planned("greets", [c])
    opened = runs.open(e)
    usage = {"input": 10, "output": 5, "cacheRead": 3, "cacheWrite": 2, "reasoning": None}
    turn = {
        "prompt": "hi", "status": "completed", "startedAt": "2026-11-30T17:40:48.000Z",
        "durationMs": 3,
        "text": "hello", "usage": usage, "unreported": [], "error": None,
    }  # fmt: skip
    ended = [
        attempt(e, c, 1, usage=usage, turns=[turn | {"model": "luna[effort=medium]"}]),
        attempt(e, c, 2, usage=usage | {"reasoning": 4},
                turns=[turn | {"model": "luna[fast=true,effort=low]"}],
                context=[{"path": "b", "sha256": HASH}, {"path": "a", "sha256": HASH}]),
        attempt(e, c, 3, turns=[turn | {"model": None}], context=[{"path": "a", "sha256": HASH}]),
    ]  # fmt: skip
    runs.journal(opened, *runs.ended(*ended), runs.end())
    _, record = folded(runs, opened, valid)
    assert record["cost"] == {
        "inputTokens": 30,
        "outputTokens": 10,
        "usage": {"input": 20, "output": 10, "cacheRead": 6, "cacheWrite": 4, "reasoning": 4},
        "source": "reported",
    }
    (harness,) = record["stack"]["harnesses"]
    assert harness["resolvedModels"] == ["luna[effort=medium]", "luna[fast=true,effort=low]"]
    assert harness["resolvedEffort"] == ["low", "medium"]
    assert [file["path"] for file in record["stack"]["context"]] == ["a", "b"]


HASH = "a" * 64


def test_a_journal_without_its_first_line_is_no_run(tmp_path):
    path = tmp_path / "x.journal"
    path.write_bytes(b"")
    with pytest.raises(NoRun):
        fold(path)
    assert path.exists()


def test_an_attempt_that_is_not_in_the_plan_is_not_counted(runs, planned, cell, attempt, valid):
    c = cell()
    e = planned("greets", [c])
    opened = runs.open(e)
    stray = [attempt(e, c, 2), attempt(e, cell("else"), 1), attempt(planned("no"), c, 1)]
    runs.journal(opened, *runs.ended(attempt(e, c, 1), attempt(e, c, 1), *stray), runs.end())
    _, record = folded(runs, opened, valid)
    assert record["summary"]["attempts"] == 1


# ── any run at all ───────────────────────────────────────────────────────────────────────────

OUTCOMES = st.sampled_from(["pass", "fail", "infra_error", "started", "nothing"])
STATUSES = st.sampled_from(["pass", "fail", "error"])
CHECKS = st.lists(st.tuples(st.sampled_from("abc"), STATUSES), max_size=3, unique_by=lambda c: c[0])
GATES = st.sampled_from(["all", "none", 0.5, 1.0])


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_every_sum_in_a_record_is_a_plain_recount(
    runs, planned, cell, attempt, assertion, valid, data, seed
):
    evals, entries = [], []
    for i in range(data.draw(st.integers(1, 3))):
        roles = ["control", *["variant"] * data.draw(st.integers(0, 2))]
        cells = [
            cell(f"e{k}", role=role, gate=data.draw(GATES), runs=data.draw(st.integers(1, 4)))
            for k, role in enumerate(roles)
        ]
        e = planned(f"eval{i}", cells, min_lift=data.draw(st.sampled_from([None, -0.9, 0.1])))
        evals.append(e)
        for c in cells:
            for n in range(1, c.runs + 1):
                outcome = data.draw(OUTCOMES)
                checks = [assertion(label, status) for label, status in data.draw(CHECKS)]
                extra = {"assertions": checks} if checks else {}
                if outcome != "nothing":
                    entries.append(runs.started(attempt(e, c, n)))
                if outcome not in ("nothing", "started"):
                    entries.extend(runs.ended(attempt(e, c, n, outcome=outcome, **extra)))
    opened = runs.open(*evals)
    entries = list(entries)
    random.Random(seed).shuffle(entries)
    # A start journaled after its end would leave the attempt running; the engine never does that.
    entries.sort(key=lambda entry: b'"kind":"ended"' in entry)
    runs.journal(opened, *entries, runs.end())
    result, record = folded(runs, opened, valid)
    recount(record, result)


def recount(record, result):
    gates_failed = False
    total = {"pass": 0, "fail": 0, "infra_error": 0, "skipped": 0}
    not_gated = 0
    for entry in record["evals"]:
        assert len({a["key"] for a in entry["attempts"]}) == len(entry["attempts"])
        for c in entry["cells"]:
            mine = [a for a in entry["attempts"] if a["cell"] == c["key"]]
            assert [a["n"] for a in mine] == list(range(1, c["runs"] + 1))
            by = {o: sum(a["outcome"] == o for a in mine) for o in total}
            assert by == {
                "pass": c["pass"], "fail": c["fail"],
                "infra_error": c["infraError"], "skipped": c["skipped"],
            }  # fmt: skip
            for outcome, count in by.items():
                total[outcome] += count
            counted = by["pass"] + by["fail"]
            assert c["passRate"] == (by["pass"] / counted if counted else None)
            if c["gate"] == "none":
                not_gated += by["fail"]
            else:
                gates_failed |= c["outcome"] == "fail"
            for tally in c.get("checks", []):
                seen = [
                    x["status"]
                    for a in mine
                    if a["outcome"] in ("pass", "fail")
                    for x in a.get("assertions", [])
                    if x["label"] == tally["label"]
                ]
                assert [seen.count(s) for s in ("pass", "fail", "error")] == [
                    tally["pass"], tally["fail"], tally["error"],
                ]  # fmt: skip
                assert tally["notRun"] == counted - len(seen)
        labels = {x["label"] for a in entry["attempts"] for x in a.get("assertions", [])}
        for c in entry["cells"]:
            assert {t["label"] for t in c.get("checks", [])} == labels
    s = record["summary"]
    assert s["attempts"] == sum(total.values())
    assert (s["pass"], s["fail"], s["infraError"], s["skipped"], s["notGated"]) == (
        total["pass"], total["fail"], total["infra_error"], total["skipped"], not_gated,
    )  # fmt: skip
    lost = s["infraError"] or s["skipped"]
    assert result.exit_code == (1 if gates_failed else 3 if lost else 0)
