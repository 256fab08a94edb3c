"""Runs are found by the beginning of their name, and read whole, in part, or while they run."""

import json
import re
import subprocess
import sys
from datetime import timedelta

import pytest

from reeval.config.errors import UsageError
from reeval.record.fold import fold
from reeval.record.reader import (
    durations,
    find_run,
    list_runs,
    load,
    passed,
    read_head,
    read_heads,
)
from reeval.record.stored import stored

MINUTE = timedelta(minutes=1)


@pytest.fixture
def a_run(runs, planned, cell, attempt):
    """Writes a finished run, so many minutes after the first, and returns its name."""

    def write(minutes=0, **fields):
        from_start = runs.start + minutes * MINUTE
        c = cell()
        e = planned("greets", [c])
        opened = runs.open(e, at=from_start)
        runs.journal(opened, *runs.ended(attempt(e, c, 1, **fields)), runs.end())
        fold(opened.journal.path)
        opened.journal.close()
        return opened.run_id

    return write


def test_the_latest_run_is_found_without_a_name(runs, a_run):
    a_run()
    last = a_run(5)
    assert find_run(runs.root).run_id == last
    assert len(list_runs(runs.root)) == 2


def test_a_run_is_found_by_the_beginning_of_its_name(runs, a_run):
    first = a_run()
    a_run(5)
    assert find_run(runs.root, first[:14]).run_id == first


def test_a_whole_name_is_found_though_another_begins_with_it(runs, a_run):
    first, second = a_run(), a_run()
    assert second == f"{first}-2"
    assert find_run(runs.root, first).run_id == first


@pytest.mark.parametrize(
    ("prefix", "message"),
    [
        ("2026", "2026 is the beginning of 2 runs: 20261130T174547Z_nogit_jane, 20261130T174047Z_"),
        ("20261130T174048Z", "no run begins with 20261130T174048Z: did you mean 20261130T174"),
        ("jane", "no run begins with jane: did you mean 20261130T174547Z_nogit_jane?"),
    ],
)  # fmt: skip
def test_a_name_that_does_not_decide_says_which_there_are(runs, a_run, prefix, message):
    a_run()
    a_run(5)
    with pytest.raises(UsageError, match=re.escape(message)):
        find_run(runs.root, prefix)


def test_no_run_at_all_says_how_to_start_one(tmp_path):
    with pytest.raises(UsageError, match="there are no runs yet: start one with `reeval run`"):
        find_run(tmp_path)


def test_runs_of_the_history_are_found_too(runs, a_run):
    name = a_run()
    history = runs.root / "evals" / "history"
    history.mkdir(parents=True)
    (runs.folder / f"{name}.json").rename(history / f"{name}.json")
    assert list_runs(runs.root) == []
    found = find_run(runs.root, history="evals/history")
    assert found.folder == history / name
    assert load(found)["runId"] == name


def test_the_head_is_the_record_without_its_evals(runs, a_run):
    a_run()
    run = find_run(runs.root)
    record = load(run)
    del record["evals"]
    assert read_head(run) == record


def test_a_head_is_read_without_reading_what_follows(runs, a_run):
    a_run()
    run = find_run(runs.root)
    head = read_head(run)
    text = run.path.read_bytes()
    run.path.write_bytes(text[: text.index(b'"evals":[') + 9] + b"not JSON at all")
    assert read_head(run) == head


def test_a_record_that_was_laid_out_anew_still_has_its_head(runs, a_run):
    a_run()
    run = find_run(runs.root)
    head = read_head(run)
    run.path.write_text(json.dumps(load(run), indent=2))
    assert read_head(run) == head


def test_a_live_run_reads_as_a_record_of_what_has_ended(runs, planned, cell, attempt, valid):
    c = cell(runs=3)
    e = planned("greets", [c])
    opened = runs.open(e, planned("later", [cell()], skip="slow"))
    runs.journal(opened, runs.started(attempt(e, c, 2)), *runs.ended(attempt(e, c, 1)))
    run = find_run(runs.root)
    record = valid(load(run))
    assert run.live
    assert [a["n"] for a in record["evals"][0]["attempts"]] == [1]
    assert record["summary"] == {
        "evals": 2, "attempts": 2,
        "pass": 1, "fail": 0, "notGated": 0, "infraError": 0, "skipped": 1,
    }  # fmt: skip
    assert read_head(run)["summary"] == record["summary"]
    opened.journal.close()
    dead = valid(load(find_run(runs.root)))
    assert [a["outcome"] for a in dead["evals"][0]["attempts"]] == [
        "pass",
        "infra_error",
        "skipped",
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "this record is damaged"),
        (b"{", "this record is damaged"),
        (b"\xff\xfe", "this record is damaged"),
        (b"[]", "this is no record of a run"),
        (b"{}", "this is no record of a run"),
        (b'{"kind":"reeval-run","schemaVersion":2}', "schema is 2; this reeval reads 1"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_record_is_named(runs, data, message):
    runs.folder.mkdir(parents=True)
    (runs.folder / "x.json").write_bytes(data)
    run = find_run(runs.root)
    for read in (load, read_head):
        with pytest.raises(UsageError, match=re.escape(message)) as caught:
            read(run)
        assert caught.value.file == run.path


def test_durations_are_the_latest_mean_of_what_counted(runs, planned, cell, attempt, a_run):
    a_run(0, durationMs=1000)
    c, d = cell(runs=3), cell("other")
    e = planned("greets", [c, d])
    opened = runs.open(e, at=runs.start + MINUTE)
    ended = [
        attempt(e, c, 1, durationMs=10),
        attempt(e, c, 2, durationMs=30, outcome="fail"),
        attempt(e, c, 3, durationMs=9000, outcome="infra_error"),
    ]
    runs.journal(opened, *runs.ended(*ended), runs.end())
    fold(opened.journal.path)
    opened.journal.close()
    assert durations(runs.root) == {(e.id, c.key): 20.0}


def test_a_damaged_record_costs_only_its_own_durations(runs, a_run, planned, cell):
    a_run(0, durationMs=7)
    (runs.folder / "99999999T000000Z_x_y.json").write_bytes(b"{")
    assert durations(runs.root) == {(planned("greets").id, cell().key): 7.0}


def test_an_eval_that_passed_is_known_by_its_fingerprint(runs, a_run, planned):
    assert passed(runs.root) == {}
    a_run()
    assert passed(runs.root) == {planned("greets").id: "a" * 64}


@pytest.mark.parametrize("outcome", ["fail", "infra_error"])
def test_an_eval_that_did_not_pass_the_last_time_is_not_known(runs, a_run, outcome):
    a_run()
    a_run(5, outcome=outcome)
    assert passed(runs.root) == {}
    a_run(10)
    assert len(passed(runs.root)) == 1


def test_an_eval_that_the_latest_run_did_not_run_is_known_from_an_older_one(
    runs, a_run, planned, cell, attempt
):
    a_run()
    c = cell(runs=2)
    evals = [planned("other", [c]), planned("greets", [c], skip="skip")]
    opened = runs.open(*evals, at=runs.start + 5 * MINUTE)
    runs.journal(opened, *runs.ended(attempt(evals[0], c, 1)), runs.end())
    fold(opened.journal.path)
    opened.journal.close()
    assert set(passed(runs.root)) == {planned("greets").id}  # and the other was not finished


def test_reading_a_record_imports_neither_the_engine_nor_its_loop():
    code = "import sys, reeval.record.reader; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not {"asyncio", "subprocess", "requests", "rich"} & set(loaded.stdout.split())


# ── records that are damaged, or no records at all ───────────────────────────────────────────


def with_a_flipped_byte(path, text):
    """Makes the file's last `text` something that isn't JSON."""
    data = path.read_bytes()
    at = data.rindex(text)
    path.write_bytes(data[:at] + bytes([data[at] ^ 0x80]) + data[at + 1 :])


def flip_in_an_attempt(path):
    with_a_flipped_byte(path, b'"durationMs"')


def flip_in_an_eval(path):
    with_a_flipped_byte(path, b'"fingerprint"')


def rename_a_key(path):
    path.write_bytes(path.read_bytes().replace(b'"fingerprint"', b'"fingerprimt"'))


def lose_the_end(path):
    path.write_bytes(path.read_bytes()[:-40])


def become_a_folder(path):
    path.unlink()
    path.mkdir()


def become_a_list(path):
    path.write_text("[1, 2]")


def nest_deeply(path):
    path.write_text("[" * 200_000)


def become_a_link_to_nothing(path):
    path.unlink()
    path.symlink_to("nowhere")


@pytest.mark.parametrize(
    "damage",
    [
        flip_in_an_attempt, flip_in_an_eval, rename_a_key, lose_the_end, become_a_folder,
        become_a_list, nest_deeply, become_a_link_to_nothing,
    ],
)  # fmt: skip
def test_a_plan_is_made_from_the_records_that_can_be_read(runs, a_run, damage):
    a_run(durationMs=10)
    known, last = durations(runs.root), passed(runs.root)
    assert known and last
    damage(runs.folder / f"{a_run(5, durationMs=20)}.json")
    assert durations(runs.root) == (
        known if damage is not rename_a_key else dict.fromkeys(known, 20.0)
    )
    assert passed(runs.root) == last


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (flip_in_an_attempt, "this record is damaged ("),
        (flip_in_an_eval, "this record is damaged ("),
        (become_a_folder, "this record can't be read (Is a directory)"),
        (become_a_link_to_nothing, "this record can't be read (No such file or directory)"),
    ],
)
def test_a_look_at_what_is_damaged_says_which_file_it_is(runs, a_run, damage, message):
    a_run()
    run = find_run(runs.root)
    damage(run.path)
    for read in (stored, load):
        with pytest.raises(UsageError, match=re.escape(message)) as caught:
            [list(entry["attempts"]) for entry in read(run)["evals"]]
        assert caught.value.file == run.path
        with pytest.raises(UsageError, match=re.escape(message)):
            [attempt for entry in read(run)["evals"][:] for attempt in entry["attempts"][0:1]]


def test_a_listing_has_all_runs_and_a_sentence_for_each_that_cannot_be_read(runs, a_run):
    good, bad = a_run(), a_run(5)
    become_a_folder(runs.folder / f"{bad}.json")
    (runs.folder / "notes.json").write_text("{}")
    found = {run.run_id: (run.head and run.head["runId"], run.problem) for run in
             read_heads(list_runs(runs.root))}  # fmt: skip
    assert found == {
        "notes": (None, "this is no record of a run"),
        bad: (None, "this record can't be read (Is a directory)"),
        good: (good, ""),
    }
