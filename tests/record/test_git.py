"""What a run executed at is what git says, whatever shape the repository is in."""

import hashlib
import os
import subprocess
import time

import pytest

from reeval.record.git import (
    PATCH_LIMIT,
    _Git,
    _GitFailed,
    read_worktree,
    user_name,
    without_credentials,
)


def read(repository, root=None, history="evals/history", **options):
    return read_worktree(root or repository.path, history, os.environ, **options)


def test_a_clean_repository_is_its_commit(repository):
    worktree = read(repository)
    assert worktree.patch is None
    assert worktree.why_no_patch is None
    assert worktree.info == {
        "sha": repository.git("rev-parse", "HEAD"),
        "branch": "main",
        "dirty": False,
        "diffHash": None,
        "worktreePatch": None,
        "worktreePatchNote": None,
        "commitTime": repository.git("log", "-1", "--format=%cI"),
        "shallow": False,
        "remote": None,
    }


def test_the_patch_turns_the_commit_into_the_workspace_byte_for_byte(repository, tmp_path):
    repository.write("gone.txt", b"x")
    repository.write("run.sh", b"echo hi\n")
    repository.git("add", ".")
    repository.git("commit", "--quiet", "--message=second")
    repository.write("kept.txt", b"one\n two\r\nthree")
    repository.write("new/ü \n.bin", bytes(range(256)))
    repository.write("empty", b"")
    repository.write("staged.txt", b"staged\n")
    repository.git("add", "staged.txt")
    (repository.path / "gone.txt").unlink()
    (repository.path / "run.sh").chmod(0o755)
    (repository.path / "link").symlink_to("kept.txt")
    worktree = read(repository)
    copy = tmp_path / "copy"
    subprocess.run(("git", "clone", "--quiet", repository.path, copy), check=True)
    subprocess.run(("git", "apply", "-"), cwd=copy, input=worktree.patch, check=True)
    assert tree(copy) == tree(repository.path)
    assert worktree.info["dirty"] is True
    assert worktree.info["diffHash"] == hashlib.sha256(worktree.patch).hexdigest()


def tree(folder):
    found = {}
    for path in folder.rglob("*"):
        if ".git" in path.relative_to(folder).parts or path.is_dir():
            continue
        contents = os.readlink(path) if path.is_symlink() else path.read_bytes()
        found[str(path.relative_to(folder))] = (contents, path.lstat().st_mode)
    return found


def test_the_same_changes_have_the_same_hash_and_others_another(repository):
    repository.write("a", b"1\n")
    first = read(repository).info["diffHash"]
    os.utime(repository.path / "a")
    assert read(repository).info["diffHash"] == first
    repository.write("a", b"2\n")
    assert read(repository).info["diffHash"] != first


def test_reading_leaves_the_persons_index_alone(repository):
    repository.write("new.txt", b"new\n")
    before = repository.git("status", "--porcelain"), repository.git("ls-files", "--stage")
    read(repository)
    after = repository.git("status", "--porcelain"), repository.git("ls-files", "--stage")
    assert after == before


@pytest.mark.parametrize("inside", ["", "packages/app"])
def test_runs_and_history_are_no_changes(repository, inside):
    base = f"{inside}/" if inside else ""
    repository.write(f"{base}.reeval/runs/x.json", b"{}")
    repository.write(f"{base}evals/history/x.json", b"{}")
    root = repository.path / inside
    assert read(repository, root).info["dirty"] is False
    repository.write(f"{base}evals/a.eval.py", b"")
    worktree = read(repository, root)
    assert worktree.info["dirty"] is True
    assert b"history" not in worktree.patch
    assert b".reeval" not in worktree.patch


def test_a_change_elsewhere_in_the_repository_counts(repository):
    (repository.path / "packages").mkdir()
    repository.write("kept.txt", b"changed\n")
    assert read(repository, repository.path / "packages").info["dirty"] is True


def test_ignored_files_are_no_changes(repository):
    repository.write(".gitignore", b"*.log\n")
    repository.git("add", ".")
    repository.git("commit", "--quiet", "--message=ignore")
    repository.write("x.log", b"x")
    assert read(repository).info["dirty"] is False


@pytest.mark.parametrize("inside", ["", "packages/app"])
def test_the_patch_is_made_where_our_folder_is_ignored(repository, inside):
    base = f"{inside}/" if inside else ""
    repository.write(".gitignore", b".reeval/\n")
    repository.git("add", ".")
    repository.git("commit", "--quiet", "--message=ignore")
    repository.write(f"{base}.reeval/runs/x.json", b"{}")
    repository.write("kept.txt", b"changed\n")
    repository.write(f"{base}:(top)*.py", b"new\n")
    worktree = read(repository, repository.path / inside)
    assert worktree.why_no_patch is None
    assert b"+changed" in worktree.patch
    assert b"+new" in worktree.patch
    assert b"runs/x.json" not in worktree.patch


def test_a_renamed_file_is_not_taken_for_a_new_one(repository):
    repository.git("mv", "kept.txt", "?? moved.txt")
    repository.write("new.txt", b"new\n")
    worktree = read(repository)
    assert worktree.why_no_patch is None
    assert b"+new" in worktree.patch
    assert b"b/?? moved.txt" in worktree.patch


def test_a_repository_inside_that_has_no_commit_costs_no_patch(repository):
    repository.write("sub/a.txt", b"a\n")
    subprocess.run(("git", "init", "--quiet", repository.path / "sub"), check=True)
    repository.write("new.txt", b"new\n")
    worktree = read(repository)
    assert worktree.why_no_patch is None
    assert b"+new" in worktree.patch


def test_what_git_says_of_a_failure_is_said_whole(repository):
    git = _Git(repository.path, os.environ, time.monotonic() + 10)
    repository.write(".gitignore", b"*.log\n")
    repository.write("x.log", b"")
    with pytest.raises(_GitFailed, match=r"^The following paths .*files: x\.log$"):
        git.output("add", "x.log")


def test_a_detached_head_is_on_no_branch(repository):
    repository.git("checkout", "--quiet", "--detach")
    assert read(repository).info["branch"] is None


def test_a_shallow_clone_says_so(repository, tmp_path):
    copy = tmp_path / "copy"
    source = f"file://{repository.path}"
    repository.write("kept.txt", b"4\n")
    repository.git("commit", "--quiet", "--all", "--message=second")
    subprocess.run(("git", "clone", "--quiet", "--depth=1", source, copy), check=True)
    worktree = read_worktree(copy, "h", os.environ)
    assert worktree.info["shallow"] is True
    assert worktree.info["remote"] == source


def test_a_variable_of_a_git_hook_does_not_point_elsewhere(repository, tmp_path):
    environ = {**os.environ, "GIT_DIR": str(tmp_path), "GIT_INDEX_FILE": str(tmp_path / "index")}
    worktree = read_worktree(repository.path, "h", environ)
    assert worktree.info["sha"] == repository.git("rev-parse", "HEAD")


def test_settings_of_the_person_do_not_change_the_patch(repository):
    repository.write("kept.txt", b"one\n2\nthree\n")
    plain = read(repository).patch
    for setting in ("diff.noprefix", "diff.mnemonicPrefix", "color.ui"):
        repository.git("config", setting, "always" if setting == "color.ui" else "true")
    repository.git("config", "diff.external", "false")
    assert read(repository).patch == plain


def test_no_commit_no_repository_and_no_git_are_none(repository, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    assert read_worktree(empty, "h", os.environ) is None
    subprocess.run(("git", "init", "--quiet", empty), check=True)
    assert read_worktree(empty, "h", os.environ) is None
    assert read_worktree(repository.path, "h", {"PATH": str(empty)}) is None
    assert user_name(repository.path, {"PATH": str(empty)}) is None


def test_changes_too_large_to_keep_are_hashed_all_the_same(repository):
    repository.write("big.bin", os.urandom(PATCH_LIMIT + 1000))
    worktree = read(repository)
    assert worktree.patch is None
    assert worktree.why_no_patch == "the changes are larger than 5 MiB"
    assert len(worktree.info["diffHash"]) == 64


def test_a_git_that_hangs_is_not_waited_for(repository, tmp_path):
    shim = tmp_path / "bin"
    shim.mkdir()
    real = subprocess.run(("which", "git"), capture_output=True, text=True, check=True)
    script = (
        f'#!/bin/sh\ncase "$*" in *status*) exec sleep 60;; esac\nexec {real.stdout.strip()} "$@"\n'
    )
    (shim / "git").write_text(script)
    (shim / "git").chmod(0o755)
    environ = {**os.environ, "PATH": f"{shim}:{os.environ['PATH']}"}
    worktree = read_worktree(repository.path, "h", environ, timeout=1.0)
    assert worktree.info["dirty"] is True
    assert worktree.why_no_patch == "git took too long to list the changes"


def test_a_ctrl_c_in_the_terminal_does_not_reach_git(repository, tmp_path):
    shim = tmp_path / "bin"
    shim.mkdir()
    real = subprocess.run(("which", "git"), capture_output=True, text=True, check=True)
    sessions = tmp_path / "sessions"
    (shim / "git").write_text(
        f'#!/bin/sh\nps -o sid= -p $$ >> {sessions}\nexec {real.stdout.strip()} "$@"\n'
    )
    (shim / "git").chmod(0o755)
    repository.write("kept.txt", b"changed\n")
    environ = {**os.environ, "PATH": f"{shim}:{os.environ['PATH']}"}
    assert read_worktree(repository.path, "h", environ).patch is not None
    found = sessions.read_text().split()
    assert len(found) >= 5, "every call was seen, the one that makes the patch too"
    assert str(os.getsid(0)) not in found


def test_the_committers_name_is_read(repository):
    assert user_name(repository.path, os.environ) == "Jane Döe"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://user:pass@git.example/a.git", "https://git.example/a.git"),
        ("https://token@git.example:8443/a.git?key=1#x", "https://git.example:8443/a.git"),
        ("ssh://git:pass@git.example/a", "ssh://git@git.example/a"),
        ("ssh://git.example/a", "ssh://git.example/a"),
        ("git@git.example:acme/a.git", "git@git.example:acme/a.git"),
        ("../elsewhere", "../elsewhere"),
        ("https://git.example/a.git", "https://git.example/a.git"),
    ],
)
def test_a_remote_is_kept_without_its_credentials(url, expected):
    assert without_credentials(url) == expected
