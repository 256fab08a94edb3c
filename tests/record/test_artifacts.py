"""An attempt's files are masked, hashed as they lie on disk, and dropped whole."""

import hashlib

import pytest

from reeval.masking.masker import Masker
from reeval.record.artifacts import AttemptFolder, keeps_artifacts


@pytest.mark.parametrize(
    ("level", "kept"),
    [
        ("all", ["pass", "fail", "infra_error", "skipped"]),
        ("failures", ["fail", "infra_error"]),
        ("none", []),
    ],
)
def test_the_level_says_whose_files_are_kept(level, kept):
    outcomes = ["pass", "fail", "infra_error", "skipped"]
    assert [outcome for outcome in outcomes if keeps_artifacts(level, outcome)] == kept


def test_a_ref_names_the_file_from_the_runs_folder_and_its_bytes(tmp_path):
    folder = AttemptFolder(tmp_path, "eval", "cell", 2, Masker({}))
    ref = folder.write("checks/1.log", b"output")
    assert ref == {
        "path": "eval/cell-2/checks/1.log",
        "sha256": hashlib.sha256(b"output").hexdigest(),
        "bytes": 6,
    }
    assert (tmp_path / ref["path"]).read_bytes() == b"output"


def test_secrets_are_masked_in_contents_and_names(tmp_path):
    secret = "hunter2-hunter2"
    folder = AttemptFolder(tmp_path, "eval", "cell", 1, Masker({"KEY": secret}))
    ref = folder.write(f"{secret}.log", f"got {secret}\n".encode())
    data = (tmp_path / ref["path"]).read_bytes()
    assert secret not in ref["path"]
    assert data == b"got [secret KEY]\n"
    assert ref["sha256"] == hashlib.sha256(data).hexdigest()
    assert ref["bytes"] == len(data)


def test_a_folder_whose_name_held_a_secret_is_dropped_as_it_was_written(tmp_path):
    masker = Masker({"KEY": "hunter2-hunter2"})
    folder = AttemptFolder(tmp_path, "greets-hunter2-hunter2-12ab", "cell", 1, masker)
    ref = folder.write("a.log", b"x")
    assert ref["path"] == "greets-[secret KEY]-12ab/cell-1/a.log"
    assert folder.path == f"{tmp_path}/greets-[secret KEY]-12ab/cell-1"
    folder.discard()
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_nothing_is_made_before_the_first_write_and_nothing_is_left_after_discard(tmp_path):
    folder = AttemptFolder(tmp_path, "eval", "cell", 1, Masker({}))
    folder.discard()
    assert list(tmp_path.iterdir()) == []
    folder.write("a/b", b"")
    other = AttemptFolder(tmp_path, "eval", "cell", 11, Masker({}))
    other.write("kept", b"")
    folder.discard()
    assert [p.name for p in (tmp_path / "eval").iterdir()] == ["cell-11"]


def test_a_link_in_a_files_place_is_not_followed(tmp_path):
    target = tmp_path / "precious"
    target.write_text("mine")
    folder = AttemptFolder(tmp_path, "eval", "cell", 1, Masker({}))
    folder.write("a", b"")
    (tmp_path / "eval" / "cell-1" / "b").symlink_to(target)
    with pytest.raises(OSError, match="symbolic links"):
        folder.write("b", b"overwritten")
    assert target.read_text() == "mine"
