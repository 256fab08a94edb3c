"""A folder that can't be written is said at once, and a file appears whole or not at all."""

import subprocess

import pytest

from reeval.config.errors import UsageError
from reeval.record.places import ready_runs_folder, whole_file, write_whole


def test_the_runs_folder_is_made_and_left_empty(tmp_path):
    runs = ready_runs_folder(tmp_path)
    assert runs == tmp_path / ".reeval" / "runs"
    assert list(runs.iterdir()) == []
    assert ready_runs_folder(tmp_path) == runs


@pytest.mark.parametrize("blocker", [".reeval", ".reeval/runs"])
def test_a_file_in_the_way_is_named(tmp_path, blocker):
    path = tmp_path / blocker
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    with pytest.raises(UsageError, match="this is a file") as caught:
        ready_runs_folder(tmp_path)
    assert caught.value.file == path
    assert path.read_text() == "mine"


@pytest.mark.parametrize(
    ("options", "why"), [("ro", "Read-only file system"), ("size=4k", "No space left on device")]
)
def test_a_disk_that_takes_nothing_is_said(tmp_path, options, why):
    state = tmp_path / ".reeval"
    state.mkdir()
    subprocess.run(("mount", "-t", "tmpfs", "-o", options, "tmpfs", state), check=True)
    try:
        if options != "ro":
            (state / "runs").mkdir()
            with open(state / "full", "wb") as full, pytest.raises(OSError, match="No space"):
                full.write(bytes(1 << 20))
                full.flush()
        with pytest.raises(UsageError, match=why) as caught:
            ready_runs_folder(tmp_path)
        assert caught.value.file == state / "runs"
    finally:
        subprocess.run(("umount", state), check=True)


def test_a_file_that_fails_half_way_leaves_what_was_there(tmp_path):
    path = tmp_path / "x.json"
    write_whole(path, b"before")
    with pytest.raises(ZeroDivisionError), whole_file(path) as out:
        out.write(b"after")
        raise ZeroDivisionError
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]
