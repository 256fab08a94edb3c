"""Conformance of every sandbox: commands, timeouts, what runs in the background, the end."""

from __future__ import annotations

import asyncio

import pytest
from opening import Opener, alive, run, until, using

from reeval.sandbox.base import Command, PathError, Sandbox


class CommandsConformance:
    """What a sandbox does with commands."""

    # ── commands ─────────────────────────────────────────────────────────────────────────────

    def test_a_command_runs_in_the_workspace_or_below(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                await sandbox.write_file("sub/file", b"here")
                assert (await sandbox.run(Command("pwd"))).stdout == f"{sandbox.workspace}\n"
                assert (await sandbox.run(Command("cat file", cwd="sub"))).stdout == "here"
                with pytest.raises(PathError):
                    await sandbox.run(Command("pwd", cwd="../.."))

        run(body())

    def test_exit_codes_are_the_shells(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                assert (await sandbox.run(Command("exit 3"))).exit_code == 3
                assert (await sandbox.run(Command("kill -TERM $$"))).exit_code == 128 + 15
                assert (await sandbox.run(Command("no-such-program"))).exit_code == 127
                missing = await sandbox.run(Command(("no-such-program", "x")))
                assert missing.exit_code == 127
                assert "no-such-program" in missing.stderr
                await sandbox.write_file("plain", b"not a program")
                assert (await sandbox.run(Command(("./plain",)))).exit_code == 126

        run(body())

    def test_an_argv_is_not_read_by_a_shell(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                done = await sandbox.run(Command(("printf", "%s|", "$HOME", "a b", "-x", "")))
                assert done.stdout == "$HOME|a b|-x||"

        run(body())

    def test_variables_are_the_sandboxs_with_the_commands_over_them(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened, {"ONE": "1", "TWO": "2"}) as sandbox:
                shown = Command('echo "$ONE $TWO $THREE"', env={"TWO": "zwei", "THREE": "3"})
                assert (await sandbox.run(shown)).stdout == "1 zwei 3\n"
                assert (await sandbox.run(Command('echo "$TWO$THREE"'))).stdout == "2\n"

        run(body())

    def test_stdin_is_what_was_given_and_then_ends(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                assert (await sandbox.run(Command("cat; echo end"))).stdout == "end\n"
                large = b"line\n" * 100_000
                done = await sandbox.run(Command("wc -c; echo end", stdin=large))
                assert done.stdout.split() == ["500000", "end"]
                unread = await sandbox.run(Command("exec true", stdin=large))
                assert unread.exit_code == 0

        run(body())

    def test_a_command_ends_when_it_does_even_if_a_child_holds_its_output(
        self, opened: Opener
    ) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                done = await asyncio.wait_for(sandbox.run(Command("sleep 60 & echo ok $!")), 30)
                word, pid = done.stdout.split()
                assert word == "ok"
                assert await alive(sandbox, pid)

        run(body())

    def test_a_child_that_writes_on_after_its_command_is_not_killed_by_it(
        self, opened: Opener
    ) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                await sandbox.run(
                    Command("(while :; do seq 1000; [ -e stop ] && exec touch stopped; done) &")
                )
                await sandbox.write_file("stop", b"")
                done = await sandbox.run(
                    Command(
                        "for i in $(seq 300); do [ -e stopped ] && exit; sleep 0.1; done; exit 1"
                    )
                )
                assert done.exit_code == 0

        run(body())

    def test_output_is_complete_when_a_command_ends(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                done = await sandbox.run(Command("seq 200000; seq 50000 >&2"))
                assert done.stdout == "".join(f"{i}\n" for i in range(1, 200_001))
                assert done.stderr == "".join(f"{i}\n" for i in range(1, 50_001))

        run(body())

    def test_output_over_the_limit_keeps_head_and_tail_and_says_what_is_missing(
        self, opened: Opener
    ) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                done = await sandbox.run(
                    Command("printf first; head -c 100000000 /dev/zero; printf last", limit=1000)
                )
                left_out = 100_000_009 - 1000
                assert done.stdout.startswith("first\0")
                assert done.stdout.endswith("\0last")
                assert f"\n… {left_out} bytes left out …\n" in done.stdout
                assert len(done.stdout) < 1100

        run(body())

    def test_output_that_is_not_utf8_is_decoded_with_replacement(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                done = await sandbox.run(Command(r"printf 'a\377b\303\251'"))
                assert done.stdout == "a\ufffdbé"

        run(body())

    def test_output_is_seen_as_it_comes(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                seen: list[tuple[str, bytes]] = []
                command = Command("echo out; echo err >&2; while [ ! -e go ]; do sleep 0.02; done")
                running = asyncio.create_task(
                    sandbox.run(command, lambda stream, chunk: seen.append((stream, chunk)))
                )
                while len(seen) < 2:
                    await asyncio.sleep(0.01)
                    assert not running.done()
                await sandbox.write_file("go", b"")
                await running
                assert sorted(seen) == [("stderr", b"err\n"), ("stdout", b"out\n")]

        run(body())

    # ── timeouts and cancelling ──────────────────────────────────────────────────────────────

    LEAVES_CHILDREN = (
        "sleep 300 & echo $! >> pids; setsid sleep 300 & echo $! >> pids;"
        "(setsid sh -c 'echo $$ >> pids; exec sleep 300' &); "
        "while [ $(wc -l < pids) -lt 3 ]; do sleep 0.02; done; touch ready; wait"
    )

    async def _pids(self, sandbox: Sandbox) -> list[str]:
        """The children of `LEAVES_CHILDREN`, once all are there."""

        async def ready() -> bool:
            return await sandbox.read_file("ready") is not None

        await until(ready)
        pids = ((await sandbox.read_file("pids")) or b"").decode().split()
        assert len(pids) == 3
        assert all([await alive(sandbox, pid) for pid in pids])
        return pids

    def test_a_timed_out_command_is_ended_with_all_it_started(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                running = asyncio.create_task(
                    sandbox.run(Command(self.LEAVES_CHILDREN + "; echo never", timeout=2.0))
                )
                pids = await self._pids(sandbox)
                done = await running
                assert (done.timed_out, done.exit_code, done.stdout) == (True, 137, "")
                assert not any([await alive(sandbox, pid) for pid in pids])

        run(body())

    def test_a_cancelled_command_is_ended_with_all_it_started(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                running = asyncio.create_task(sandbox.run(Command(self.LEAVES_CHILDREN)))
                pids = await self._pids(sandbox)
                running.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await running
                assert not any([await alive(sandbox, pid) for pid in pids])

        run(body())

    def test_a_timed_out_command_leaves_its_neighbours_alone(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                neighbour = await sandbox.spawn(Command("setsid sleep 300 & echo $!; wait"))

                async def started() -> bool:
                    return bool(neighbour.output()[0])

                await until(started)
                assert (await sandbox.run(Command("sleep 300", timeout=0.1))).timed_out
                assert await alive(sandbox, neighbour.output()[0].strip())

        run(body())

    def test_a_command_in_time_did_not_time_out(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                done = await sandbox.run(Command("echo ok", timeout=60))
                assert (done.timed_out, done.exit_code, done.stdout) == (False, 0, "ok\n")

        run(body())

    # ── background ───────────────────────────────────────────────────────────────────────────

    def test_a_background_command_runs_on_until_it_is_killed(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                background = await sandbox.spawn(Command(self.LEAVES_CHILDREN + "; echo never"))
                pids = await self._pids(sandbox)
                await background.kill()
                assert not any([await alive(sandbox, pid) for pid in pids])
                assert background.output() == ("", "")
                await background.kill()

        run(body())

    def test_background_output_can_be_read_while_it_runs_and_after(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                background = await sandbox.spawn(Command("echo out; echo err >&2; sleep 300"))

                async def written() -> bool:
                    return background.output() == ("out\n", "err\n")

                await until(written)
                await background.kill()
                assert background.output() == ("out\n", "err\n")

        run(body())

    def test_background_commands_have_ids_of_their_own(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                handles = [await sandbox.spawn(Command("sleep 300")) for _ in range(3)]
                assert len({handle.id for handle in handles}) == 3

        run(body())

    def test_free_ports_are_free_and_differ(self, opened: Opener) -> None:
        listen = "import socket, sys; s = socket.socket(); s.bind(('127.0.0.1', int(sys.argv[1])))"

        async def body() -> None:
            async with using(opened) as sandbox:
                ports = [await sandbox.free_port() for _ in range(5)]
                assert len(set(ports)) == 5
                for port in ports:
                    done = await sandbox.run(Command(("python3", "-c", listen, str(port))))
                    assert done.exit_code == 0, done.stderr

        run(body())

    # ── many at once, and the end ────────────────────────────────────────────────────────────

    def test_calls_may_overlap(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                done = await asyncio.gather(*(sandbox.run(Command(f"echo {i}")) for i in range(20)))
                assert [d.stdout for d in done] == [f"{i}\n" for i in range(20)]

        run(body())

    def test_close_may_be_called_twice_and_before_use(self, opened: Opener) -> None:
        async def body() -> None:
            async with using(opened) as sandbox:
                await sandbox.close()
                await sandbox.close()

        run(body())
