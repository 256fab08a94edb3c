"""A run copied to the history is all there, or not at all."""

import shutil
import subprocess

import pytest

from reeval.config.errors import UsageError
from reeval.record.artifacts import AttemptFolder
from reeval.record.fold import fold
from reeval.record.history import is_recorded, record_run
from reeval.record.reader import find_run, load


@pytest.fixture
def finished(runs, planned, cell, attempt):
    c = cell()
    e = planned("greets", [c])
    opened = runs.open(e)
    ref = AttemptFolder(opened.folder, e.slug, "c", 1, runs.masker).write(
        "diff.patch", b"x" * 50_000
    )
    runs.journal(opened, *runs.ended(attempt(e, c, 1, files={"diff": ref})), runs.end())
    fold(opened.journal.path)
    opened.journal.close()
    return find_run(runs.root)


@pytest.mark.parametrize(
    ("mode", "environ", "expected"),
    [
        ("manual", {"CI": "1"}, False),
        ("ci", {"CI": "1"}, True),
        ("ci", {}, False),
        ("always", {}, True),
    ],
)
def test_the_mode_says_which_runs_are_copied(mode, environ, expected):
    assert is_recorded(mode, environ) is expected


def test_record_and_files_are_copied(runs, finished):
    record = record_run(runs.root, finished, "evals/history")
    assert record.read_bytes() == finished.path.read_bytes()
    copied = find_run(runs.root, finished.run_id, "evals/history")
    ref = load(copied)["evals"][0]["attempts"][0]["files"]["diff"]
    assert (record.with_suffix("") / ref["path"]).read_bytes() == b"x" * 50_000


def test_copying_again_changes_nothing(runs, finished):
    record = record_run(runs.root, finished, "h")
    record.write_text("reviewed")
    assert record_run(runs.root, finished, "h") == record
    assert record.read_text() == "reviewed"


def test_a_run_without_files_is_copied(runs, finished):
    shutil.rmtree(finished.folder)
    record = record_run(runs.root, finished, "h")
    assert [path.name for path in record.parent.iterdir()] == [record.name]


def test_a_live_run_is_not_copied(runs, planned, cell):
    opened = runs.open(planned("greets", [cell()]))
    with pytest.raises(UsageError, match="still runs"):
        record_run(runs.root, find_run(runs.root), "h")
    opened.journal.close()
    with pytest.raises(UsageError, match="`reeval recover`"):
        record_run(runs.root, find_run(runs.root), "h")
    assert not (runs.root / "h").exists()


def test_a_full_disk_leaves_nothing_of_the_run_there(runs, finished):
    history = runs.root / "h"
    history.mkdir()
    subprocess.run(("mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", history), check=True)
    try:
        with pytest.raises(UsageError, match="No space left on device"):
            record_run(runs.root, finished, "h")
        assert list(history.iterdir()) == []
    finally:
        subprocess.run(("umount", history), check=True)
