"""A run that is stopped keeps what finished, and says what became of the rest."""

import os
import signal
import threading
import time

from reeval.engine.events import Stopping, TurnStarted

SLOW = """
    @evaluate("slow", {"harness": fake_harness(delay_ms=20_000), "runs": 2})
    def slow(c):
        c.send("hi")
"""


def test_ctrl_c_stops_what_runs_and_skips_what_waits(project) -> None:
    project.evals(
        """
        @evaluate("quick", {"harness": FAKE})
        def quick(c):
            c.send("hi")
        """
        + SLOW.replace("\n    ", "\n        ")
    )

    def press(event) -> None:
        if isinstance(event, TurnStarted) and "slow" in event.attempt:
            os.kill(os.getpid(), signal.SIGINT)

    ran = project.run(concurrency=1, on_event=press)
    assert ran.record["status"] == "interrupted"
    assert ran.result.exit_code == 130
    assert ran.attempt("quick")["outcome"] == "pass"
    stopped = ran.attempt("slow", 1)
    assert (stopped["outcome"], stopped["error"]["kind"]) == ("infra_error", "aborted")
    assert [turn["status"] for turn in stopped["turns"]] == ["aborted"]
    never = ran.attempt("slow", 2)
    assert (never["outcome"], never["seq"], never["startedAt"]) == ("skipped", None, None)


def test_the_budget_stops_new_attempts_and_lets_running_ones_end(project) -> None:
    project.write("reeval.toml", '[budget]\nduration = "1s"\n')
    project.evals(
        """
        @evaluate("e", {"harness": fake_harness(delay_ms=700), "runs": 6})
        def e(c):
            c.send("hi")
        """
    )
    ran = project.run(concurrency=1)
    assert ran.record["status"] == "budget"
    assert ran.record["summary"]["pass"] >= 1
    assert ran.record["summary"]["skipped"] >= 1
    assert ran.record["summary"]["infraError"] == 0
    assert ran.result.exit_code == 3


def test_bail_stops_after_the_first_failure(project) -> None:
    project.evals(
        """
        @evaluate("e", {"harness": FAKE, "runs": 50})
        def e(c):
            c.send("hi")
            assert False
        """
    )
    ran = project.run(concurrency=1, bail=1)
    assert [e.reason for e in ran.of(Stopping)] == ["bail"]
    assert ran.record["summary"]["fail"] == 1
    assert ran.record["summary"]["skipped"] == 49
    assert ran.result.exit_code == 1


def test_a_timeout_aborts_the_turn_and_a_deaf_agent_is_left_behind(project) -> None:
    project.evals(
        """
        @evaluate("obeys", {"harness": fake_harness(delay_ms=60_000), "timeout": 0.5})
        def obeys(c):
            c.send("hi")

        DEAF = fake_harness(delay_ms=60_000, ignore_abort=True)

        @evaluate("deaf", {"harness": DEAF, "timeout": 0.5})
        def deaf(c):
            c.send("hi")
        """
    )
    ran = project.run()
    for name in ("obeys", "deaf"):
        attempt = ran.attempt(name)
        assert attempt["error"] == {
            "kind": "timeout",
            "message": "timed out after 0.5s, in turn 1",
        }
        assert [turn["status"] for turn in attempt["turns"]] == ["aborted"]


def test_setup_does_not_count_for_the_timeout(project) -> None:
    project.evals(
        """
        ENV = define_environment("slow", {"setup": ["sleep 1.5"]})

        @evaluate("e", {"harness": FAKE, "environment": ENV, "timeout": 1})
        def e(c):
            c.send("hi")
        """
    )
    assert project.run().attempt("e")["outcome"] == "pass"


def test_an_agent_that_does_not_start_is_started_once_more(project) -> None:
    project.evals(
        """
        @evaluate("once", {"harness": fake_harness(start_hangs=1, start_timeout=0.3)})
        def once(c):
            c.send("hi")

        @evaluate("never", {"harness": fake_harness(start_hangs=True, start_timeout=0.3)})
        def never(c):
            c.send("hi")
        """
    )
    ran = project.run()
    once, never = ran.attempt("once"), ran.attempt("never")
    error = "fake: session did not become ready within 0.3s"
    assert once["outcome"] == "pass"
    assert [r["error"] for r in once["startRetries"]] == [error]
    assert never["error"] == {"kind": "infra", "message": error}


def test_no_process_of_an_attempt_outlives_it(project) -> None:
    project.evals(
        """
        @evaluate("e", {"harness": FAKE})
        def e(c):
            c.exec("setsid sleep 4242 >/dev/null 2>&1 &")
            c.exec("sleep 4242", background=True)
            assert int(c.exec("pgrep -f 'sleep 424[2]' | wc -l").stdout) >= 2
        """
    )
    ran = project.run()
    assert ran.attempt("e")["error"] is None
    assert os.system("pgrep -f 'sleep 424[2]' >/dev/null") != 0


def test_a_second_signal_leaves_at_once(project) -> None:
    project.evals(
        SLOW.replace("\n    ", "\n        ").replace(
            "delay_ms=20_000", "delay_ms=20_000, ignore_abort=True"
        )
    )
    child = os.fork()
    if child == 0:

        def press(event) -> None:
            if isinstance(event, TurnStarted):
                threading.Thread(target=twice, daemon=True).start()

        def twice() -> None:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGTERM)

        project.run(on_event=press)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 130
    assert list((project.root / ".reeval" / "runs").glob("*.journal"))
