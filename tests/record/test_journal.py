"""The journal keeps what it said it kept: through a full disk, a kill, and a torn last line."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest

from reeval.config.errors import UsageError
from reeval.record.entries import Damage, Entry, error_entry, line, read
from reeval.record.fold import fold
from reeval.record.journal import Journal, JournalError, is_live
from reeval.record.reader import find_run, load
from reeval.record.recover import recover


def messages(path):
    return [e.value for e in read(path) if isinstance(e, Entry) and e.kind == "error"]


@pytest.fixture
def journal(tmp_path):
    journal = Journal.create(tmp_path, "run", [error_entry("plan")])
    yield journal
    journal.close()


def test_an_entry_is_on_disk_once_its_future_resolves(journal):
    async def go():
        for n in range(20):
            await journal.append(error_entry(f"e{n}"))
            assert messages(journal.path)[-1] == f"e{n}"

    asyncio.run(go())


def test_entries_keep_their_order_and_many_are_synced_as_one(journal, monkeypatch):
    syncs = []
    monkeypatch.setattr("reeval.record.journal._sync", lambda handle: syncs.append(handle))

    async def go():
        futures = []
        for n in range(500):
            journal.post(error_entry(f"p{n}"))
            futures.append(journal.append(error_entry(f"a{n}")))
        await asyncio.gather(*futures)

    asyncio.run(go())
    assert messages(journal.path) == ["plan", *(f"{k}{n}" for n in range(500) for k in "pa")]
    assert len(syncs) < 500


def test_a_posted_entry_is_written_by_the_time_the_journal_is_closed(journal):
    async def go():
        journal.post(error_entry("posted"))

    asyncio.run(go())
    journal.close()
    assert messages(journal.path) == ["plan", "posted"]


def test_closing_ends_the_writer_and_can_be_repeated(tmp_path):
    before = threading.active_count()
    journal = Journal.create(tmp_path, "run", [])

    async def go():
        await journal.append(error_entry("x"))

    asyncio.run(go())
    journal.close()
    journal.close()
    assert threading.active_count() == before


def test_a_caller_that_stopped_waiting_costs_the_others_nothing(journal):
    async def go():
        gone, kept = journal.append(error_entry("gone")), journal.append(error_entry("kept"))
        gone.cancel()
        await kept

    asyncio.run(go())
    assert messages(journal.path) == ["plan", "gone", "kept"]


def test_the_lock_says_whether_the_run_is_alive(tmp_path):
    journal = Journal.create(tmp_path, "run", [])
    assert is_live(journal.path)
    journal.close()
    assert not is_live(journal.path)


def test_a_second_journal_of_the_same_run_is_refused_while_one_is_being_made(tmp_path):
    (tmp_path / ".run.journal.tmp").write_bytes(b"")
    with pytest.raises(UsageError, match="File exists"):
        Journal.create(tmp_path, "run", [])


def test_a_folder_that_is_gone_is_a_mistake_a_person_can_fix(tmp_path):
    with pytest.raises(UsageError, match="can't be written here"):
        Journal.create(tmp_path / "missing", "run", [])


# ── reading what is damaged ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("cut", [1, 5, 9, 12, 20])
def test_a_torn_last_line_is_cut_and_said(tmp_path, cut):
    whole, torn = line(error_entry("whole")), line(error_entry("a torn one"))
    path = tmp_path / "j"
    path.write_bytes(whole + torn[:-cut])
    *kept, damage = read(path)
    assert [e.value for e in kept] == ["whole"]
    assert damage == Damage(len(whole), len(torn) - cut)


def test_a_line_altered_on_disk_is_left_out_and_the_rest_is_read(tmp_path):
    lines = [line(error_entry(text)) for text in ("one", "two", "three")]
    lines[1] = lines[1].replace(b"two", b"twO")
    path = tmp_path / "j"
    path.write_bytes(b"".join(lines))
    first, damage, last = read(path)
    assert (first.value, last.value) == ("one", "three")
    assert damage == Damage(len(lines[0]), len(lines[1]))


@pytest.mark.parametrize(
    "garbage", [b"\n", b"\0" * 4096, b"xyz\n", b"00000000 \n", b"00000000 {}\n"]
)
def test_garbage_is_damage_and_never_an_exception(tmp_path, garbage):
    path = tmp_path / "j"
    path.write_bytes(line(error_entry("ok")) + garbage)
    first, *rest = read(path)
    assert first.value == "ok"
    assert all(isinstance(d, Damage) for d in rest)
    assert sum(d.length for d in rest) == len(garbage)


def test_the_record_of_a_damaged_journal_says_what_was_left_out(
    runs, planned, cell, attempt, valid
):
    c = cell(runs=2)
    e = planned("greets", [c])
    opened = runs.open(e)
    runs.journal(opened, *runs.ended(attempt(e, c, 1), attempt(e, c, 2)))
    opened.journal.close()
    with opened.journal.path.open("r+b") as file:
        file.truncate(os.path.getsize(file.name) - 10)
    (found,) = recover(runs.root)
    assert found.summary["pass"] == 1
    assert found.summary["skipped"] == 1
    assert "damaged bytes" in found.notes[0]
    valid(load(find_run(runs.root)))


# ── a full disk ──────────────────────────────────────────────────────────────────────────────


@contextmanager
def small_disk(path, size="2m"):
    path.mkdir()
    subprocess.run(("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path), check=True)
    try:
        yield path
    finally:
        subprocess.run(("umount", "--lazy", path), check=True)


def test_on_a_full_disk_what_had_finished_reads_back(runs, planned, cell, attempt):
    c = cell(runs=5000)
    e = planned("greets", [c])
    with small_disk(runs.root / ".reeval"):
        opened = runs.open(e)
        kept, failures = fill(opened, runs, [attempt(e, c, n) for n in range(1, 5001)])
        assert 100 < len(kept) < 5000
        assert "No space left on device" in str(failures[0])
        assert "free space" in str(failures[0])
        with pytest.raises(OSError, match="No space left"):
            fold(opened.journal.path)
        opened.journal.close()
        record = load(find_run(runs.root))
        passed = [a["n"] for a in record["evals"][0]["attempts"] if a["outcome"] == "pass"]
        assert set(kept) <= set(passed)
        assert opened.journal.path.exists()
        assert list(opened.journal.path.parent.glob(".*.tmp")) == []


def fill(opened, runs, attempts):
    """Journals in bursts until the disk is full: which attempts were kept, why others weren't."""
    kept, failures = [], []

    async def go():
        for start in range(0, len(attempts), 100):
            burst = attempts[start : start + 100]
            futures = [opened.journal.append(entry) for entry in runs.ended(*burst)]
            results = await asyncio.gather(*futures, return_exceptions=True)
            for attempt, result in zip(burst, results, strict=True):
                if result is None:
                    kept.append(attempt["n"])
                else:
                    failures.append(result)
            if failures:
                break

    asyncio.run(go())
    assert all(isinstance(failure, JournalError) for failure in failures)
    return kept, failures


def test_the_journal_goes_on_once_there_is_room_again(tmp_path):
    with small_disk(tmp_path / "disk", "256k") as disk:
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(200 * 1024))
        journal = Journal.create(disk, "run", [])

        async def go():
            with pytest.raises(JournalError):
                await journal.append(error_entry("x" * 100_000))
            ballast.unlink()
            await journal.append(error_entry("after"))

        asyncio.run(go())
        journal.close()
        assert list(map(type, read(journal.path))) == [Entry]
        assert messages(journal.path) == ["after"]


def test_a_failing_sync_is_told_to_everyone_from_then_on(journal, monkeypatch):
    def fail(_handle):
        raise OSError(5, "Input/output error")

    async def go():
        monkeypatch.setattr("reeval.record.journal._sync", fail)
        with pytest.raises(JournalError, match="Input/output error"):
            await journal.append(error_entry("lost"))
        monkeypatch.undo()
        with pytest.raises(JournalError, match="Input/output error"):
            await journal.append(error_entry("after"))

    asyncio.run(go())


# ── kill -9 ──────────────────────────────────────────────────────────────────────────────────

WRITER = """
import asyncio, importlib.util, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("making", sys.argv[1])
making = importlib.util.module_from_spec(spec)
spec.loader.exec_module(making)
runs = making.Runs(Path(sys.argv[2]))
c = making.make_cell(runs=4000)
e = making.make_eval("greets", [c])
opened = runs.open(e)

async def one(n, slots):
    async with slots:
        a = making.make_attempt(e, c, n)
        opened.journal.post(runs.started(a))
        await opened.journal.append(runs.ended(a)[0])
        print(n, flush=True)

async def main():
    slots = asyncio.Semaphore(8)
    await asyncio.gather(*[one(n, slots) for n in range(1, 4001)])

asyncio.run(main())
"""


@pytest.mark.parametrize("seed", range(3))
def test_a_kill_at_any_moment_loses_no_attempt_that_was_told(runs, seed, request):
    making = request.path.with_name("conftest.py")
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(making), str(runs.root)], stdout=subprocess.PIPE
    )
    told = [int(writer.stdout.readline())]
    (path,) = runs.folder.glob("*.journal")
    assert recover(runs.root) == []
    time.sleep(random.Random(seed).uniform(0, 0.3))
    writer.send_signal(signal.SIGKILL)
    told += [int(text) for text in writer.stdout.read().splitlines() if text.isdigit()]
    writer.wait()
    # The last line may have been torn by the kill, and then its number is a beginning of one.
    told = told[:-1] if len(told) > 1 else told
    (found,) = recover(runs.root)
    record = load(find_run(runs.root))
    assert record["status"] == "interrupted"
    passed = {a["n"] for a in record["evals"][0]["attempts"] if a["outcome"] == "pass"}
    assert set(told) <= passed
    assert found.summary == record["summary"]
    assert record["summary"]["attempts"] == 4000
    assert not path.exists()
    assert recover(runs.root) == []
