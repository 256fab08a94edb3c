"""The local sandbox: the conformance tests, and what is its own."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from conformance import SandboxConformance
from opening import Opener, alive, ended, left, run, until, using

from reeval.config.model import SandboxSpec
from reeval.sandbox import processes
from reeval.sandbox.base import Command, Sandbox, SandboxError
from reeval.sandbox.local import LocalSandbox


@pytest.fixture
def opened(tmp_path: Path) -> Opener:
    numbers = iter(range(1000))

    async def opener(env: Mapping[str, str]) -> Sandbox:
        sandbox = LocalSandbox(SandboxSpec("fake", "fake", dir=tmp_path), marker(next(numbers)))
        await sandbox.start(env)
        return sandbox

    return opener


def marker(number: int = 0) -> str:
    return f"test-{os.getpid()}.{number}"


class TestLocalConformance(SandboxConformance):
    pass


def test_nothing_is_inherited_but_path_and_lang(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "of the host")
    monkeypatch.setenv("LANG", "C.UTF-8")

    async def body() -> None:
        async with using(opened, {"OWN": "1"}) as sandbox:
            done = await sandbox.run(Command(("env",)))
            names = {line.split("=")[0] for line in done.stdout.splitlines()}
            assert names == {
                "PATH", "LANG", "HOME", "TMPDIR", "OWN", "REEVAL_SANDBOX", "REEVAL_COMMAND",
            }  # fmt: skip

    run(body())


def test_the_temporary_folder_is_inside(opened: Opener, tmp_path: Path) -> None:
    async def body() -> None:
        async with using(opened) as sandbox:
            done = await sandbox.run(Command("mktemp"))
            assert done.stdout.startswith(f"{tmp_path}/reeval-{marker()}-")
            assert done.stdout.split("/")[-2] == "tmp"

    run(body())


def test_the_marker_cannot_be_overridden(opened: Opener) -> None:
    async def body() -> None:
        async with using(opened, {"REEVAL_SANDBOX": "other"}) as sandbox:
            command = Command("echo $REEVAL_SANDBOX", env={"REEVAL_SANDBOX": "third"})
            assert (await sandbox.run(command)).stdout == f"{marker()}\n"

    run(body())


def test_a_marker_that_could_not_be_a_folders_name_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a/b"):
        LocalSandbox(SandboxSpec("fake", "fake"), "a/b")


def test_an_unused_sandbox_leaves_no_trace_on_disk(opened: Opener, tmp_path: Path) -> None:
    async def body() -> None:
        async with using(opened) as sandbox:
            assert await sandbox.list_files() == []
            assert await sandbox.read_file("x") is None
            assert left(tmp_path) == []

    run(body())


def test_the_folder_is_for_its_owner_alone(opened: Opener, tmp_path: Path) -> None:
    async def body() -> None:
        async with using(opened) as sandbox:
            await sandbox.write_file("x", b"")
            (folder,) = left(tmp_path)
            assert stat.S_IMODE(os.stat(tmp_path / folder).st_mode) == 0o700

    run(body())


def test_after_close_nothing_can_be_started_or_written(opened: Opener) -> None:
    async def body() -> None:
        sandbox = await opened({})
        await sandbox.close()
        with pytest.raises(SandboxError, match="closed"):
            await sandbox.run(Command("true"))
        with pytest.raises(SandboxError, match="closed"):
            await sandbox.write_file("x", b"")

    run(body())


def test_a_folder_that_cannot_be_made_is_an_infra_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    async def body() -> None:
        sandbox = LocalSandbox(SandboxSpec("fake", "fake", dir=tmp_path / "file"), marker())
        await sandbox.start({})
        with pytest.raises(SandboxError, match="file"):
            await sandbox.write_file("x", b"")
        await sandbox.close()

    run(body())


def test_a_full_disk_is_told_from_other_errors(tmp_path: Path) -> None:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(tmp_path)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("mounting a small file system needs root")

    async def body() -> None:
        sandbox = LocalSandbox(SandboxSpec("fake", "fake", dir=tmp_path), marker())
        await sandbox.start({})
        with pytest.raises(SandboxError) as caught:
            await sandbox.write_file("large", bytes(1_000_000))
        assert caught.value.cause == "enospc"
        await sandbox.close()

    try:
        run(body())
        assert left(tmp_path) == []
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


# ── the end ──────────────────────────────────────────────────────────────────────────────────


def test_close_ends_every_process_and_removes_the_folder(opened: Opener, tmp_path: Path) -> None:
    async def body() -> None:
        sandbox = await opened({})
        await sandbox.run(
            Command(
                "sleep 300 & echo $! >> pids; setsid sleep 300 & echo $! >> pids;"
                "env -i sleep 300 & echo $! >> pids; while [ $(wc -l < pids) -lt 3 ]; do :; done"
            )
        )
        background = await sandbox.spawn(Command("echo $$ >> pids; trap '' TERM INT; sleep 300"))

        async def pids() -> list[str]:
            return ((await sandbox.read_file("pids")) or b"").decode().split()

        async def all_started() -> bool:
            return len(await pids()) == 4

        await until(all_started)
        started = await pids()
        assert all([await alive(sandbox, pid) for pid in started])
        await sandbox.close()
        for pid in started:
            assert ended(pid)
        assert left(tmp_path) == []
        await background.kill()

    run(body())


@pytest.mark.parametrize("place", [".", "/"])
def test_a_process_that_emptied_its_environment_is_ended(
    opened: Opener, tmp_path: Path, place: str
) -> None:
    async def body() -> None:
        sandbox = await opened({})
        escape = f"cd {place}; env -i setsid sh -c 'echo $$; exec sleep 7799' & sleep 0.2"
        pid = (await sandbox.run(Command(escape))).stdout.strip()
        assert await alive(sandbox, pid)
        await sandbox.close()
        assert processes.facts(int(pid)) is None  # no zombie either: it had become ours

    run(body())


def test_what_escaped_without_a_trace_lives_while_it_may_be_anothers(opened: Opener) -> None:
    async def body() -> None:
        async with using(opened) as one:
            escape = "cd /; env -i setsid sh -c 'echo $$; exec sleep 7799' & sleep 0.2"
            pid = (await one.run(Command(escape))).stdout.strip()
            other = await opened({})
            await other.run(Command("true"))
            await other.close()
            assert await alive(one, pid)
        assert ended(pid)

    run(body())


def test_what_others_started_in_this_process_is_spared(opened: Opener) -> None:
    async def body() -> None:
        own = await asyncio.create_subprocess_exec("sleep", "300", start_new_session=True)
        async with using(opened) as sandbox:
            await sandbox.run(Command("setsid sleep 300 & true"))
        assert own.returncode is None
        own.kill()
        assert await own.wait() == -9

    run(body())


def test_a_process_that_is_not_below_this_one_is_not_ended_for_its_folder() -> None:
    (parent,) = [found for found in processes.others() if found.pid == os.getppid()]
    assert parent.folders
    assert not processes.of_sandbox(marker(), "/")(parent)


def test_close_leaves_other_sandboxes_processes_alone(opened: Opener) -> None:
    async def body() -> None:
        async with using(opened) as one:
            other = await opened({})
            pid = (await one.run(Command("setsid sleep 300 & echo $!"))).stdout.strip()
            await other.run(Command("setsid sleep 300 & true"))
            await other.close()
            assert await alive(one, pid)

    run(body())


def test_many_sandboxes_close_together(opened: Opener, tmp_path: Path) -> None:
    async def body() -> None:
        sandboxes = [await opened({}) for _ in range(20)]
        done = [await s.run(Command("setsid sleep 300 & echo $!")) for s in sandboxes]
        await asyncio.gather(*(s.close() for s in sandboxes))
        for completed in done:
            assert ended(completed.stdout.strip())
        assert left(tmp_path) == []

    run(body())


@pytest.mark.parametrize("files", [3, 700])
def test_close_removes_what_is_read_only_or_closed(
    opened: Opener, tmp_path: Path, files: int
) -> None:
    async def body() -> None:
        sandbox = await opened({})
        await sandbox.run(
            Command(
                f"mkdir -p a/b/c; for i in $(seq {files}); do : > a/b/$i; done; "
                "ln -s /etc a/etc; chmod 400 a/b/1; chmod 000 a/b/c a/b; chmod 500 a"
            )
        )
        await sandbox.close()
        assert left(tmp_path) == []
        assert "passwd" in left(Path("/etc"))

    run(body())


@pytest.mark.parametrize("files", [1, 700])
def test_close_removes_folders_of_any_depth(opened: Opener, tmp_path: Path, files: int) -> None:
    program = "import os\nfor i in range(4500): os.mkdir('d'); os.chdir('d')"

    async def body() -> None:
        sandbox = await opened({})
        await sandbox.run(Command(f"for i in $(seq {files}); do : > f$i; done"))
        await sandbox.run(Command(("python3", "-c", program)))
        assert len(await sandbox.list_files()) == files + 1
        await sandbox.close()

        async def removed() -> bool:
            return left(tmp_path) == []

        await until(removed)  # on a busy machine `rm` may outlive the wait for it

    run(body())


def test_close_leaves_what_is_immutable_and_does_not_raise(opened: Opener, tmp_path: Path) -> None:
    async def body() -> None:
        sandbox = await opened({})
        done = await sandbox.run(Command("echo 1 > gone; echo 1 > fixed; chattr +i fixed"))
        if done.exit_code:
            pytest.skip("immutable files need root and a file system that has them")
        await sandbox.close()

    run(body())
    (kept,) = tmp_path.glob("*/workspace/*")
    subprocess.run(["chattr", "-i", str(kept)], check=True)
    assert kept.name == "fixed"


ORPHANS = """
import asyncio, ctypes, os, sys
from pathlib import Path
from reeval.config.model import SandboxSpec
from reeval.sandbox.base import Command
from reeval.sandbox.local import LocalSandbox

ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans become ours

def zombies():
    states = (p.read_text() for p in Path("/proc").glob("[0-9]*/status"))
    return sum(f"PPid:\\t{os.getpid()}\\n" in s and "State:\\tZ" in s for s in states)

async def main():
    sandbox = LocalSandbox(SandboxSpec("fake", "fake", dir=Path(sys.argv[1])), "orphans")
    await sandbox.start({})
    await sandbox.run(Command(sys.argv[2]))
    await asyncio.sleep(0.3)
    before = zombies()
    await sandbox.close()
    print(before, zombies())

asyncio.run(main())
"""


@pytest.mark.parametrize(
    "command",
    [
        "for i in $(seq 100); do (sleep 0.01 &); done",
        "for i in $(seq 100); do (setsid sleep 300 &); done; sleep 0.1; true",
    ],
    ids=["ended by themselves", "ended by us"],
)
def test_a_hundred_orphans_leave_no_zombie(tmp_path: Path, command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ORPHANS, str(tmp_path), command],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr == ""
    before, after = map(int, done.stdout.split())
    assert before >= (100 if "0.01" in command else 1)
    assert after == 0
