"""A dead run becomes a record at the next start; a live one is left alone."""

import asyncio
import json
import os
import time

from reeval.record.artifacts import AttemptFolder
from reeval.record.fold import fold
from reeval.record.journal import is_live
from reeval.record.reader import find_run, load
from reeval.record.recover import recover


def test_a_live_run_is_left_alone(runs, planned, cell):
    opened = runs.open(planned("greets", [cell()]))
    assert recover(runs.root) == []
    assert is_live(opened.journal.path)
    opened.journal.close()


def test_a_project_without_runs_has_nothing_to_recover(tmp_path):
    assert recover(tmp_path) == []


def test_a_run_that_ended_but_was_not_folded_keeps_its_status(runs, planned, cell, attempt, valid):
    c = cell()
    e = planned("greets", [c])
    opened = runs.open(e)
    runs.journal(opened, *runs.ended(attempt(e, c, 1)), runs.end())
    opened.journal.close()
    (found,) = recover(runs.root)
    assert valid(load(find_run(runs.root)))["status"] == "complete"
    assert found.notes == ()


def test_a_journal_beside_its_record_just_goes(runs, planned, cell):
    opened = runs.open(planned("greets", [cell()]))
    runs.journal(opened, runs.end())
    journal = opened.journal.path.read_bytes()
    fold(opened.journal.path)
    opened.journal.close()
    opened.journal.path.write_bytes(journal)
    assert recover(runs.root) == []
    assert [path.suffix for path in runs.folder.iterdir() if path.is_file()] == [".json"]


def test_files_that_are_gone_or_changed_lose_their_refs_and_are_named(
    runs, planned, cell, attempt, valid
):
    c = cell()
    e = planned("greets", [c])
    opened = runs.open(e)
    folder = AttemptFolder(opened.folder, e.slug, "c", 1, runs.masker)
    refs = {name: folder.write(name, b"x") for name in ("a.log", "b.patch", "c.jsonl")}
    log = folder.write("checks/1.log", b"output")
    done = attempt(
        e, c, 1,
        files={"setupLog": refs["a.log"], "diff": refs["b.patch"], "transcript": refs["c.jsonl"]},
        checks=[{"command": "true", "exitCode": 0, "durationMs": 1, "log": log}],
    )  # fmt: skip
    runs.journal(opened, *runs.ended(done))
    opened.journal.close()
    os.unlink(f"{folder.path}/a.log")
    with open(f"{folder.path}/b.patch", "w") as file:
        file.write("y")
    os.unlink(f"{folder.path}/checks/1.log")
    (found,) = recover(runs.root)
    (kept,) = valid(load(find_run(runs.root)))["evals"][0]["attempts"]
    assert kept["files"] == {"transcript": refs["c.jsonl"]}
    assert kept["checks"] == [{"command": "true", "exitCode": 0, "durationMs": 1}]
    base = f"{e.slug}/c-1"
    assert found.notes == tuple(
        f"{base}/{name} is missing or was changed: its ref was removed"
        for name in ("a.log", "b.patch", "checks/1.log")
    )


def test_a_journal_that_says_nothing_is_set_aside_once(runs):
    runs.folder.mkdir(parents=True)
    (runs.folder / "x.journal").write_bytes(b"nonsense")
    (found,) = recover(runs.root)
    assert (found.record, found.summary) == (None, None)
    assert "set aside as x.damaged" in found.notes[0]
    assert recover(runs.root) == []
    assert (runs.folder / "x.damaged").read_bytes() == b"nonsense"


def test_a_journal_that_cannot_be_folded_stays_and_is_reported(runs, planned, cell):
    opened = runs.open(planned("greets", [cell()]))
    opened.journal.close()
    # A folder in the record's way stands for any failure to write it.
    draft = runs.folder / f".{opened.run_id}.json.tmp"
    draft.mkdir()
    (found,) = recover(runs.root)
    assert found.record is None
    assert "its journal stays" in found.notes[0]
    assert opened.journal.path.exists()


def test_half_written_files_of_a_killed_process_go_once_they_are_old(runs):
    runs.folder.mkdir(parents=True)
    old, new = runs.folder / ".old.json.tmp", runs.folder / ".new.json.tmp"
    old.write_bytes(b"")
    new.write_bytes(b"")
    os.utime(old, (time.time() - 3600,) * 2)
    recover(runs.root)
    assert (old.exists(), new.exists()) == (False, True)


def test_a_dead_runs_end_is_its_last_write(runs, planned, cell, attempt, valid):
    c = cell()
    e = planned("greets", [c])
    opened = runs.open(e)
    runs.journal(opened, *runs.ended(attempt(e, c, 1)))
    opened.journal.close()
    last = runs_start = 1796060447.25  # the run's start
    os.utime(opened.journal.path, (last + 90, runs_start + 90))
    recover(runs.root)
    record = valid(load(find_run(runs.root)))
    assert (record["endedAt"], record["durationMs"]) == ("2026-11-30T17:42:17.250Z", 90_000)


def test_recovering_while_another_run_works_takes_only_the_dead_one(
    runs, planned, cell, attempt, valid
):
    c = cell()
    e = planned("greets", [c])
    dead, alive = runs.open(e), runs.open(e)
    assert alive.run_id == f"{dead.run_id}-2"
    dead.journal.close()
    (found,) = recover(runs.root)
    assert found.run_id == dead.run_id

    async def still_works():
        await alive.journal.append(runs.ended(attempt(e, c, 1))[0])

    asyncio.run(still_works())
    result = fold(alive.journal.path)
    alive.journal.close()
    assert valid(json.loads(result.record.read_bytes()))["summary"]["pass"] == 1


def test_a_folder_with_the_records_name_does_not_cost_the_journal(runs, planned, cell):
    opened = runs.open(planned("greets", [cell()]))
    opened.journal.close()
    (runs.folder / f"{opened.run_id}.json").mkdir()
    (found,) = recover(runs.root)
    assert found.record is None
    assert "its journal stays" in found.notes[0]
    assert opened.journal.path.exists()
