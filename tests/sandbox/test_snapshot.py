"""The snapshot and its diffs, against a real local sandbox and real git."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from trees import Tree, read, trees, write

from reeval.config.model import SandboxSpec
from reeval.sandbox import snapshot as limits
from reeval.sandbox.base import Command
from reeval.sandbox.local import LocalSandbox
from reeval.sandbox.pack import FILE_LIMIT
from reeval.sandbox.snapshot import Snapshot, WorkspaceDiff


class WatchedSandbox(LocalSandbox):
    """Remembers what was fetched, and may do something before a fetch."""

    def __init__(self, folder: Path) -> None:
        super().__init__(SandboxSpec("fake", "fake", dir=folder), f"test-{os.getpid()}.s")
        self.fetched: list[bytes] = []
        self.before_fetch: Callable[[], Awaitable[object]] | None = None

    async def fetch(self, paths: Iterable[bytes]) -> dict[bytes, bytes]:
        wanted = list(paths)
        self.fetched += wanted
        if self.before_fetch is not None:
            await self.before_fetch()
        return await super().fetch(wanted)

    async def sh(self, command: str) -> None:
        done = await self.run(Command(command))
        assert done.exit_code == 0, done.stderr


def with_sandbox(folder: Path, body: Callable[[WatchedSandbox], Awaitable[None]]) -> None:
    async def main() -> None:
        sandbox = WatchedSandbox(folder)
        await sandbox.start({})
        try:
            await body(sandbox)
        finally:
            await sandbox.close()

    asyncio.run(main())


def statuses(diff: WorkspaceDiff) -> dict[str, str]:
    return {change.path: change.status for change in diff.files}


def check_patch(start: Tree, diff: WorkspaceDiff, end: Tree) -> None:
    """Applying the patch to the start gives the end."""
    with tempfile.TemporaryDirectory() as root:
        write(root, start)
        if diff.patch:
            subprocess.run(
                ["git", "apply", "--binary", "--whitespace=nowarn"],
                cwd=root,
                input=diff.patch.encode(),
                check=True,
                env={"PATH": os.environ["PATH"], "GIT_CEILING_DIRECTORIES": "/"},
            )
        assert read(root) == dict(end)


# ── what is a change ─────────────────────────────────────────────────────────────────────────


def test_added_modified_and_deleted_are_told_apart_since_the_start(tmp_path: Path) -> None:
    async def body(sandbox: WatchedSandbox) -> None:
        await sandbox.sh("echo 1 > kept; echo 2 > edited; mkdir d; echo 3 > d/removed")
        start = read(sandbox.workspace)
        snapshot = await Snapshot.take(sandbox)
        assert await snapshot.diff() == WorkspaceDiff()
        await sandbox.sh("echo new > edited")
        assert statuses(await snapshot.diff()) == {"edited": "modified"}
        await sandbox.sh("rm -r d; echo 4 > new")
        diff = await snapshot.diff()
        assert statuses(diff) == {"d/removed": "deleted", "edited": "modified", "new": "added"}
        check_patch(start, diff, read(sandbox.workspace))

    with_sandbox(tmp_path, body)


def test_what_is_put_back_is_no_change(tmp_path: Path) -> None:
    async def body(sandbox: WatchedSandbox) -> None:
        await sandbox.sh("echo 1 > edited; echo 2 > removed")
        snapshot = await Snapshot.take(sandbox)
        await sandbox.sh("echo x > edited; rm removed; echo y > new")
        assert len((await snapshot.diff()).files) == 3
        await sandbox.sh("echo 1 > edited; echo 2 > removed; rm new")
        assert await snapshot.diff() == WorkspaceDiff()

    with_sandbox(tmp_path, body)


def test_a_touch_is_no_change(tmp_path: Path) -> None:
    async def body(sandbox: WatchedSandbox) -> None:
        await sandbox.sh("echo 1 > file; ln -s file link")
        snapshot = await Snapshot.take(sandbox)
        await sandbox.sh("touch -d 2001-01-01 file; cp -p file f2; mv f2 file; chmod 600 file")
        assert await snapshot.diff() == WorkspaceDiff()

    with_sandbox(tmp_path, body)


def test_an_edit_that_leaves_size_and_times_alone_is_seen(tmp_path: Path) -> None:
    async def body(sandbox: WatchedSandbox) -> None:
        await sandbox.write_file("file", b"one")
        snapshot = await Snapshot.take(sandbox)
        await sandbox.write_file("file", b"two")
        await sandbox.sh("touch -d @1000000000 file")
        assert statuses(await snapshot.diff()) == {"file": "modified"}
        await sandbox.write_file("file", b"2wo")
        await sandbox.sh("touch -d @1000000000 file")
        assert "+2wo" in (await snapshot.diff()).patch

    with_sandbox(tmp_path, body)


def test_edits_in_quick_succession_are_all_seen(tmp_path: Path) -> None:
    async def body(sandbox: WatchedSandbox) -> None:
        await sandbox.write_file("file", b"000")
        snapshot = await Snapshot.take(sandbox)
        for number in range(1, 200):
            await sandbox.write_file("file", b"%03d" % number)
            assert f"+{number:03}\n" in (await snapshot.diff()).patch

    with_sandbox(tmp_path, body)


def test_modes_links_and_kinds_are_part_of_a_file(tmp_path: Path) -> None:
    async def body(sandbox: WatchedSandbox) -> None:
        await sandbox.sh(
            "for f in a b c d e; do echo $f > $f; done; ln -s a l; ln -s a m; mkdir n; echo n > n/n"
        )
        start = read(sandbox.workspace)
        snapshot = await Snapshot.take(sandbox)
        await sandbox.sh(
            "chmod +x a; rm b; ln -s a b; rm l; echo l > l; ln -sfn b m; rm c; mkdir c;"
            "echo c > c/c; rm -r n; echo n > n; rm d; mkfifo d; mkfifo new-pipe"
        )
        diff = await snapshot.diff()
        assert statuses(diff) == {
            "a": "modified", "b": "modified", "l": "modified", "m": "modified",
            "c": "deleted", "c/c": "added", "n/n": "deleted", "n": "added", "d": "deleted",
        }  # fmt: skip
        check_patch(start, diff, read(sandbox.workspace))

    with_sandbox(tmp_path, body)


def test_names_of_any_bytes_are_in_the_diff(tmp_path: Path) -> None:
    async def body(sandbox: WatchedSandbox) -> None:
        snapshot = await Snapshot.take(sandbox)
        await sandbox.sh(
            "printf 1 > 'new\nline'; printf 2 > \"$(printf 'latin\\351')\"; echo 3 > ü"
        )
        diff = await snapshot.diff()
        assert [change.path for change in diff.files] == ["latin\udce9", "new\nline", "ü"]
        diff.patch.encode()
        check_patch({}, diff, read(sandbox.workspace))

    with_sandbox(tmp_path, body)


def test_git_folders_are_no_part_of_it(tmp_path: Path) -> None:
    async def body(sandbox: WatchedSandbox) -> None:
        snapshot = await Snapshot.take(sandbox)
        await sandbox.sh("mkdir -p .git sub/.git; echo x > .git/config; echo x > sub/.git/config")
        assert await snapshot.diff() == WorkspaceDiff()

    with_sandbox(tmp_path, body)


# ── ignore rules ─────────────────────────────────────────────────────────────────────────────


def test_ignore_rules_hide_new_paths_only(tmp_path: Path) -> None:
    async def body(sandbox: WatchedSandbox) -> None:
        await sandbox.sh("echo '*.log' > .gitignore; echo 1 > old.log; echo 1 > gone.log")
        snapshot = await Snapshot.take(sandbox)
        await sandbox.sh("echo 2 > old.log; rm gone.log; echo 3 > new.log; echo 4 > new.txt")
        assert statuses(await snapshot.diff()) == {
            "old.log": "modified",
            "gone.log": "deleted",
            "new.txt": "added",
        }

    with_sandbox(tmp_path, body)


def test_a_changed_ignore_file_shows_and_counts_from_then_on(tmp_path: Path) -> None:
    async def body(sandbox: WatchedSandbox) -> None:
        snapshot = await Snapshot.take(sandbox)
        await sandbox.sh("mkdir sub; echo x > sub/a; echo x > b")
        assert statuses(await snapshot.diff()) == {"sub/a": "added", "b": "added"}
        await sandbox.sh("echo a > sub/.gitignore")
        assert statuses(await snapshot.diff()) == {"sub/.gitignore": "added", "b": "added"}
        await sandbox.sh("rm sub/.gitignore")
        assert statuses(await snapshot.diff()) == {"sub/a": "added", "b": "added"}

    with_sandbox(tmp_path, body)


# ── what write_file placed ───────────────────────────────────────────────────────────────────


def test_a_placed_file_is_left_out_until_something_changes_it(tmp_path: Path) -> None:
    async def place(sandbox: WatchedSandbox, snapshot: Snapshot, path: str, text: bytes) -> None:
        await sandbox.write_file(path, text)
        snapshot.note_written(path, text)

    async def body(sandbox: WatchedSandbox) -> None:
        await sandbox.sh("echo hidden > .gitignore; echo 1 > old; ln -s old link")
        snapshot = await Snapshot.take(sandbox)
        await place(sandbox, snapshot, "new/test.py", b"placed\n")
        await place(sandbox, snapshot, "./hidden", b"placed\n")
        await place(sandbox, snapshot, "link", b"seeded\n")
        await place(sandbox, snapshot, "~/elsewhere", b"home\n")
        assert await snapshot.diff() == WorkspaceDiff()
        await sandbox.sh("echo edit >> hidden; rm new/test.py; echo edit > old")
        diff = await snapshot.diff()
        assert statuses(diff) == {"hidden": "modified", "new/test.py": "deleted", "old": "modified"}
        assert " placed\n+edit\n" in diff.patch
        assert "-seeded\n+edit\n" in diff.patch
        await place(sandbox, snapshot, "old", b"again\n")
        assert "old" not in statuses(await snapshot.diff())

    with_sandbox(tmp_path, body)


def test_a_file_changed_before_it_was_placed_over_starts_anew(tmp_path: Path) -> None:
    async def body(sandbox: WatchedSandbox) -> None:
        await sandbox.sh("echo 1 > tool; chmod +x tool")
        snapshot = await Snapshot.take(sandbox)
        await sandbox.sh("echo 2 > tool")
        assert statuses(await snapshot.diff()) == {"tool": "modified"}
        await sandbox.write_file("tool", b"3\n")
        snapshot.note_written("tool", b"3\n")
        assert await snapshot.diff() == WorkspaceDiff()
        await sandbox.sh("chmod -x tool")
        assert statuses(await snapshot.diff()) == {"tool": "modified"}

    with_sandbox(tmp_path, body)


def test_a_file_written_into_the_home_folder_is_none_of_the_workspaces(tmp_path: Path) -> None:
    async def body(sandbox: WatchedSandbox) -> None:
        snapshot = await Snapshot.take(sandbox)
        await sandbox.write_file("~/f", b"x\n")
        snapshot.note_written("~/f", b"x\n")
        assert await snapshot.diff() == WorkspaceDiff()

    with_sandbox(tmp_path, body)


def test_a_placed_file_that_goes_before_the_next_diff_is_deleted(tmp_path: Path) -> None:
    async def body(sandbox: WatchedSandbox) -> None:
        snapshot = await Snapshot.take(sandbox)
        await sandbox.write_file("t", b"x\n")
        snapshot.note_written("t", b"x\n")
        await sandbox.sh("rm t")
        assert statuses(await snapshot.diff()) == {"t": "deleted"}

    with_sandbox(tmp_path, body)


# ── files that are large, many, or gone ──────────────────────────────────────────────────────


def test_a_large_file_is_named_and_hashed_but_not_in_the_patch(tmp_path: Path) -> None:
    size = FILE_LIMIT + 1

    async def body(sandbox: WatchedSandbox) -> None:
        await sandbox.sh(f"truncate -s {size} was kept touched; echo small > grew; echo 1 > z")
        start = read(sandbox.workspace)
        snapshot = await Snapshot.take(sandbox)
        await sandbox.sh(
            f"rm was; truncate -s {size} grew new; printf x | dd of=kept conv=notrunc status=none;"
            "touch touched; echo 2 > z"
        )
        sandbox.fetched.clear()
        diff = await snapshot.diff()
        assert statuses(diff) == {
            "was": "deleted", "grew": "modified", "new": "added", "kept": "modified",
            "z": "modified",
        }  # fmt: skip
        assert set(sandbox.fetched) <= {b"z"}
        notes = [line for line in diff.patch.splitlines() if line.startswith("#")]
        assert len(notes) == 4
        assert f"# reeval: new added, now {size} bytes with sha256" in diff.patch
        check_patch(start, diff, {**start, b"z": read(sandbox.workspace)[b"z"]})

    with_sandbox(tmp_path, body)


def test_a_patch_ends_at_its_limit_with_dependencies_given_up_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PATCH_LIMIT", 2000)

    async def body(sandbox: WatchedSandbox) -> None:
        snapshot = await Snapshot.take(sandbox)
        await sandbox.sh(
            "mkdir -p node_modules/x src; seq 100 > src/mine;"
            "for i in 1 2 3 4 5 6 7; do seq 100 > node_modules/x/$i; done"
        )
        diff = await snapshot.diff()
        assert len(diff.files) == 8
        assert "+++ b/src/mine" in diff.patch
        shown = diff.patch.count("+++ b/node_modules")
        assert shown < 7
        assert f"# reeval: {7 - shown} more changed files are not in this patch" in diff.patch
        await sandbox.sh("rm -r node_modules")
        assert "# reeval" not in (await snapshot.diff()).patch

    with_sandbox(tmp_path, body)


def test_after_one_edit_only_that_file_is_read(tmp_path: Path) -> None:
    async def body(sandbox: WatchedSandbox) -> None:
        await sandbox.sh("mkdir d; for i in $(seq 2000); do echo $i > d/$i; done; sleep 0.1; : > z")
        snapshot = await Snapshot.take(sandbox)
        assert len(sandbox.fetched) == 2001
        await sandbox.sh("sleep 0.1; echo edit > d/77")
        sandbox.fetched.clear()
        assert statuses(await snapshot.diff()) == {"d/77": "modified"}
        assert set(sandbox.fetched) <= {b"d/77", b"z"}

    with_sandbox(tmp_path, body)


def test_a_file_that_vanishes_while_it_is_read_is_gone(tmp_path: Path) -> None:
    async def body(sandbox: WatchedSandbox) -> None:
        await sandbox.sh("echo 1 > old; echo 1 > kept")
        snapshot = await Snapshot.take(sandbox)
        await sandbox.sh("echo 2 > old; echo 2 > new; echo 2 > kept")
        sandbox.before_fetch = lambda: sandbox.sh("rm -f old new")
        assert statuses(await snapshot.diff()) == {"kept": "modified", "old": "deleted"}
        sandbox.before_fetch = None
        assert statuses(await snapshot.diff()) == {"kept": "modified", "old": "deleted"}
        await sandbox.sh("echo 1 > old")
        assert statuses(await snapshot.diff()) == {"kept": "modified"}

    with_sandbox(tmp_path, body)


def test_the_start_is_not_kept_where_the_agent_works(tmp_path: Path) -> None:
    async def body(sandbox: WatchedSandbox) -> None:
        await sandbox.write_file("seeded", b"the-old-secret-text" * 100_000)
        await Snapshot.take(sandbox)
        await sandbox.write_file("seeded", b"gone")
        done = await sandbox.run(Command(f"grep -rl the-old-secret-text {tmp_path}"))
        assert done.stdout == ""

    with_sandbox(tmp_path, body)


@settings(max_examples=15, deadline=None)
@given(trees(), trees(), trees())
def test_a_patch_applied_to_the_start_gives_the_end(start: Tree, middle: Tree, end: Tree) -> None:
    async def body(sandbox: WatchedSandbox) -> None:
        await sandbox.write_file("made", b"")
        await replace(sandbox, start)
        snapshot = await Snapshot.take(sandbox)
        for now in (middle, end):
            await replace(sandbox, now)
            diff = await snapshot.diff()
            changed = {
                path.decode("utf-8", "surrogateescape")
                for path in start.keys() | now.keys()
                if start.get(path) != now.get(path)
            }
            assert {change.path for change in diff.files} == changed
            check_patch(start, diff, now)

    async def replace(sandbox: WatchedSandbox, tree: Tree) -> None:
        await sandbox.sh("rm -rf ./* ./.[!.]* ./..?*")
        write(sandbox.workspace, tree)

    with tempfile.TemporaryDirectory() as folder:
        with_sandbox(Path(folder), body)
