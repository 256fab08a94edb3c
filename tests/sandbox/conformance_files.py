"""Conformance of every sandbox: files, paths that escape, listing and fetching."""

from __future__ import annotations

import asyncio

import pytest
from opening import Opener, run, using

from reeval.sandbox.base import READ_LIMIT, WRITE_LIMIT, Command, PathError, TooLarge


class FilesConformance:
    """What a sandbox does with files."""

    # ── files ────────────────────────────────────────────────────────────────────────────────

    def test_what_is_written_is_read_back(self, opened: Opener) -> None:
        contents = bytes(range(256)) * 10

        async def body() -> None:
            async with using(opened) as sandbox:
                await sandbox.write_file("deep/er/file.bin", contents)
                assert await sandbox.read_file("deep/er/file.bin") == contents
                await sandbox.write_file("deep/er/file.bin", b"")
                assert await sandbox.read_file("./deep//er/file.bin") == b""

        run(body())

    def test_a_large_file_is_written_and_read_whole(self, opened: Opener) -> None:
        contents = b"0123456789abcdef" * 300_000

        async def body() -> None:
            async with using(opened) as sandbox:
                await sandbox.write_file("large", contents)
                assert await sandbox.read_file("large") == contents

        run(body())

    def test_a_file_over_the_limit_is_refused_unread(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                await sandbox.run(Command(f"truncate -s 1G big.bin; truncate -s {READ_LIMIT} most"))
                with pytest.raises(TooLarge) as caught:
                    await sandbox.read_file("big.bin")
                assert str(caught.value) == (
                    "'big.bin' has 1 GiB and read_file reads up to 16 MiB: "
                    "read a part of it with c.exec('head -c …')"
                )
                assert await sandbox.read_file("most") == bytes(READ_LIMIT)
                assert set(await sandbox.fetch([b"big.bin", b"most"])) == {b"most"}

        run(body())

    def test_contents_over_the_limit_are_not_written(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                with pytest.raises(TooLarge, match=r"64\.0 MiB.* up to 64 MiB"):
                    await sandbox.write_file("big.bin", bytes(WRITE_LIMIT + 1))
                assert await sandbox.list_files() == []

        run(body())

    def test_what_is_not_there_reads_as_none(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                assert await sandbox.read_file("nothing") is None
                assert await sandbox.read_file("no/folder/either") is None
                await sandbox.write_file("folder/file", b"x")
                assert await sandbox.read_file("folder") is None
                assert await sandbox.read_file("folder/file/below") is None

        run(body())

    def test_a_home_path_is_in_the_home(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                await sandbox.write_file("~/.config/tool", b"x")
                done = await sandbox.run(Command('cat "$HOME/.config/tool"; echo "$HOME"'))
                assert done.stdout == f"x{sandbox.home}\n"
                assert await sandbox.read_file("~/.config/tool") == b"x"
                assert await sandbox.list_files() == []

        run(body())

    @pytest.mark.parametrize(
        "path",
        [
            "/etc/hostname",
            "../up",
            "a/../../up",
            "~/../up",
            "nul\0",
            "",
            ".",
            "a/..",
            "\ud800",
            "a/" * 3000 + "b",
            "n" * 256,
        ],
        ids=lambda path: path[:12],
    )
    def test_a_path_that_is_none_of_its_own_is_refused(self, opened: Opener, path: str) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                with pytest.raises(PathError):
                    await sandbox.write_file(path, b"x")

        run(body())

    @pytest.mark.parametrize("target", ["/etc", "../..", "~outside"])
    def test_a_symlink_that_leads_out_is_refused(self, opened: Opener, target: str) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                outside = f"{sandbox.home}" if target == "~outside" else target
                await sandbox.run(Command(("ln", "-s", outside, "way")))
                with pytest.raises(PathError):
                    await sandbox.read_file("way/passwd")
                with pytest.raises(PathError):
                    await sandbox.write_file("way/new", b"x")
                assert (await sandbox.run(Command("ls -A way/new"))).exit_code != 0

        run(body())

    def test_a_symlink_that_stays_inside_is_followed(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                await sandbox.run(Command("mkdir real; ln -s real way; echo one > real/file"))
                assert await sandbox.read_file("way/file") == b"one\n"
                await sandbox.write_file("way/two", b"two")
                assert await sandbox.read_file("real/two") == b"two"

        run(body())

    def test_a_pipe_in_the_workspace_does_not_hang_a_read(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                await sandbox.run(Command("mkfifo pipe"))
                assert await asyncio.wait_for(sandbox.read_file("pipe"), 10) is None

        run(body())

    # ── listing and fetching ─────────────────────────────────────────────────────────────────

    def test_an_unused_workspace_lists_as_empty(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                assert await sandbox.list_files() == []

        run(body())

    def test_a_listing_names_files_and_links_sorted_without_git(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                await sandbox.run(
                    Command(
                        "mkdir -p .git sub/.git empty a; touch .git/x sub/.git/y sub/f a/b a.c;"
                        "ln -s a/b link; chmod +x sub/f; printf x > 'new\nline';"
                        r"printf y > $(printf 'latin\351')"
                    )
                )
                found = {entry.path: entry for entry in await sandbox.list_files()}
                names = [b"a.c", b"a/b", b"latin\xe9", b"link", b"new\nline", b"sub/f"]
                assert list(found) == names
                assert (found[b"link"].kind, found[b"link"].link) == ("link", b"a/b")
                assert found[b"new\nline"].size == 1
                assert found[b"sub/f"].mode & 0o100
                assert not found[b"a/b"].mode & 0o100

        run(body())

    @pytest.mark.parametrize("files", [1, 500])
    def test_paths_longer_than_the_system_takes_are_listed_and_read(
        self, opened: Opener, files: int
    ) -> None:
        deep = b"d/" * 2000 + b"deep"
        program = (
            "import os\nfor i in range(2000): os.mkdir('d'); os.chdir('d')\n"
            "open('deep','w').write('x')"
        )

        async def body() -> None:
            async with using(opened) as sandbox:
                await sandbox.run(Command(f"for i in $(seq {files}); do : > f$i; done"))
                await sandbox.run(Command(("python3", "-c", program)))
                for _ in range(2):
                    paths = [entry.path for entry in await sandbox.list_files()]
                    assert len(paths) == files + 1
                    assert deep in paths
                    await sandbox.run(Command("sleep 0.05; touch f1"))
                assert await sandbox.fetch([deep]) == {deep: b"x"}

        run(body())

    def test_an_entry_changes_when_its_file_does_and_only_then(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                await sandbox.run(Command("for i in $(seq 1000); do echo $i > f$i; done"))
                before = await sandbox.list_files()
                assert await sandbox.list_files() == before
                await sandbox.run(Command("sleep 0.05; echo changed > f7; rm f8; echo new > g"))
                after = await sandbox.list_files()
                assert {e.path for e in set(after) ^ set(before)} == {b"f7", b"f8", b"g"}
                assert [e.path for e in after] == sorted(e.path for e in after)

        run(body())

    def test_a_moved_folder_is_listed_where_it_is(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                await sandbox.run(
                    Command(
                        "mkdir -p a/in b/in; for i in $(seq 400); do echo $i > a/in/$i;"
                        "echo b$i > b/in/$i; done"
                    )
                )
                before = {e.path: e.inode for e in await sandbox.list_files()}
                await sandbox.run(Command("sleep 0.05; mv a c; mv b a; mv c b; mkdir d; mv a/in d"))
                after = {e.path: e.inode for e in await sandbox.list_files()}
                moved = {p.replace(b"a/", b"b/"): i for p, i in before.items() if p[:2] == b"a/"}
                moved |= {p.replace(b"b/", b"d/"): i for p, i in before.items() if p[:2] == b"b/"}
                assert after == moved

        run(body())

    def test_fetch_gives_contents_and_leaves_out_what_is_gone(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                await sandbox.run(
                    Command(r"mkdir d; printf 'a\000b' > d/nul; : > empty; ln -s d/nul link")
                )
                wanted = [b"d/nul", b"empty", b"link", b"gone", b"no/folder"]
                assert await sandbox.fetch(wanted) == {b"d/nul": b"a\0b", b"empty": b""}

        run(body())

    def test_many_files_are_fetched_at_once(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                await sandbox.run(Command("for i in $(seq 200); do echo $i > f$i; done"))
                found = await sandbox.fetch([b"f%d" % i for i in range(1, 202)])
                assert found == {b"f%d" % i: b"%d\n" % i for i in range(1, 201)}

        run(body())

    def test_digest_is_the_sha256_of_what_is_there(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                await sandbox.write_file("f", b"abc")
                found = await sandbox.digest([b"f", b"gone"])
                assert found == {
                    b"f": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
                }

        run(body())
