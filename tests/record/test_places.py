"""A folder that can't be written is said at once, and a file appears whole or not at all."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

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


def test_a_symlink_to_nothing_is_named(tmp_path):
    (tmp_path / ".reeval").symlink_to("nowhere")
    with pytest.raises(UsageError, match="a symlink to nowhere, which is not there") as caught:
        ready_runs_folder(tmp_path)
    assert caught.value.file == tmp_path / ".reeval"


def test_a_disk_that_became_read_only_is_said(tmp_path):
    runs = ready_runs_folder(tmp_path)
    for options in (("--bind",), ("-o", "remount,ro,bind")):
        subprocess.run(("mount", *options, tmp_path, tmp_path), check=True)
    try:
        with pytest.raises(UsageError, match="Read-only file system") as caught:
            ready_runs_folder(tmp_path)
        assert caught.value.file == runs
    finally:
        subprocess.run(("umount", tmp_path), check=True)


def test_a_folder_that_may_not_be_looked_into_is_said():
    program = (
        "import sys; from pathlib import Path; from reeval.record.places import ready_runs_folder\n"
        "from reeval.config.errors import UsageError\n"
        "try: ready_runs_folder(Path(sys.argv[1]))\n"
        "except UsageError as error: print(error)"
    )
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, ".reeval").mkdir(mode=0)
        capabilities = "-dac_override,-dac_read_search"
        as_others = ("setpriv", f"--bounding-set={capabilities}") if os.getuid() == 0 else ()
        told = subprocess.run(
            (*as_others, sys.executable, "-c", program, folder), capture_output=True, text=True
        )
        assert "runs can't be written here (Permission denied)" in told.stdout, told.stderr


def test_a_file_that_fails_half_way_leaves_what_was_there(tmp_path):
    path = tmp_path / "x.json"
    write_whole(path, b"before")
    with pytest.raises(ZeroDivisionError), whole_file(path) as out:
        out.write(b"after")
        raise ZeroDivisionError
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]
