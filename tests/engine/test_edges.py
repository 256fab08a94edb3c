"""What happens at the edges of an attempt: stopped early, stopped late, cut off in the middle."""

import os
import signal
import threading

from reeval.engine.events import AttemptStarted, CheckEnded, TurnStarted


def interrupt_on(kind: type, name: str = ""):
    def press(event) -> None:
        if isinstance(event, kind) and name in event.attempt:
            os.kill(os.getpid(), signal.SIGINT)

    return press


def test_ctrl_c_does_not_wait_for_a_file_that_is_still_loading(project) -> None:
    project.write("loads", "")
    project.evals(
        """
        import os, time
        if os.path.exists("loaded once"):
            time.sleep(10)
            open("waited for", "w").close()
        open("loaded once", "w").close()

        @evaluate("e", {"harness": FAKE})
        def e(c):
            c.send("hi")
        """
    )
    ran = project.run(on_event=interrupt_on(AttemptStarted))
    assert ran.result.exit_code == 130
    assert ran.attempt("e")["error"]["kind"] == "aborted"
    assert not (project.root / "waited for").exists()


def test_what_ended_before_ctrl_c_keeps_its_outcome(project) -> None:
    project.evals(
        """
        @evaluate("e", {"harness": FAKE})
        def e(c):
            c.exec("trap '' TERM; sleep 300", background=True)
            c.send("hi")
        """
    )

    def press(event) -> None:
        if type(event).__name__ == "Phase" and event.message == "harness session closed":
            os.kill(os.getpid(), signal.SIGINT)

    assert project.run(on_event=press).attempt("e")["outcome"] == "pass"


def test_a_turn_left_open_by_its_body_is_an_aborted_turn(project) -> None:
    project.evals(
        """
        import threading, time

        @evaluate("e", {"harness": fake_harness(delay_ms=5000)})
        def e(c):
            threading.Thread(target=lambda: c.send("hi"), daemon=True).start()
            time.sleep(0.5)
        """
    )
    assert [turn["status"] for turn in project.run().attempt("e")["turns"]] == ["aborted"]


def test_what_a_stopped_turn_changed_is_in_the_record(project) -> None:
    project.evals(
        """
        SCRIPT = [[{"write": {"made.txt": "half\\n"}}, {"exec": "sleep 300"}]]

        @evaluate("e", {"harness": fake_harness(script=SCRIPT), "timeout": 1})
        def e(c):
            c.send("hi")
        """
    )
    ran = project.run()
    attempt = ran.attempt("e")
    assert attempt["error"]["kind"] == "timeout"
    assert attempt["changedFiles"] == [{"path": "made.txt", "status": "added"}]
    assert (
        "+half"
        in (ran.result.record.with_suffix("") / attempt["files"]["diff"]["path"]).read_text()
    )


def test_a_command_stopped_with_its_attempt_keeps_what_it_said(project) -> None:
    project.evals(
        """
        @evaluate("e", {"harness": FAKE, "timeout": 1})
        def e(c):
            c.exec("echo waiting for the server; sleep 300")
        """
    )
    ran = project.run()
    [check] = ran.attempt("e")["checks"]
    assert check["exitCode"] == 137
    log = (ran.result.record.with_suffix("") / check["log"]["path"]).read_text()
    assert "waiting for the server\n" in log
    assert "stopped with its attempt" in log


def test_a_pattern_only_the_runner_can_match_does_not_run_the_command_again(project) -> None:
    project.evals(
        """
        import re

        @evaluate("e", {"harness": FAKE})
        def e(c):
            poll = expect.poll(lambda: c.exec("echo x >> runs; cat runs; date +%N"))
            poll.to_contain(re.compile("x"))
            assert c.read_file("runs").count("x") == 1
        """
    )
    ran = project.run()
    assert ran.attempt("e")["error"] is None
    assert len(ran.of(CheckEnded)) == 1


def test_an_answer_that_is_no_json_is_told_and_does_not_hang(project) -> None:
    project.evals(
        """
        @evaluate("e", {"harness": FAKE, "timeout": 60})
        def e(c):
            c.send("hi")
            expect({"deep": [1, {"a": float("inf")}]}).to_be({"deep": [1, {"a": float("inf")}]})
        """
    )
    assert project.run().attempt("e")["outcome"] in ("pass", "fail")


def test_a_report_that_breaks_is_told_and_costs_nothing(project) -> None:
    project.evals(
        """
        @evaluate("e", {"harness": FAKE})
        def e(c):
            c.send("hi")
        """
    )

    def broken(event) -> None:
        if isinstance(event, TurnStarted):
            raise RuntimeError("no such colour")

    ran = project.run(on_event=broken)
    assert ran.attempt("e")["outcome"] == "pass"
    assert ran.result.notes == ("a report stopped: RuntimeError: no such colour",)


def test_a_killed_runs_started_attempts_are_aborted_and_secrets_in_names_stay_hidden(
    project,
) -> None:
    project.environ["WORD"] = "postgres-password"
    project.write("reeval.toml", '[environments.e.env]\nW = { secret = "WORD" }\n')
    project.evals(
        """
        @evaluate("uses postgres-password", {"harness": FAKE, "environment": "e"})
        def e(c):
            c.send("hi")
            import os, signal, time
            time.sleep(0.2)
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(5)
        """
    )
    child = os.fork()
    if child == 0:
        threading.Thread(target=lambda: None).start()
        project.run()
        os._exit(0)
    os.waitpid(child, 0)
    runs = project.root / ".reeval" / "runs"
    assert b"postgres-password" not in next(runs.glob("*.journal")).read_bytes()

    from reeval.record.reader import find_run, load
    from reeval.record.recover import recover

    [recovered] = recover(project.root)
    assert recovered.record is not None
    record = load(find_run(project.root))
    [attempt] = record["evals"][0]["attempts"]
    assert (attempt["outcome"], attempt["error"]["kind"]) == ("infra_error", "aborted")
