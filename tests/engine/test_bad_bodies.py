"""A body that goes wrong costs its own attempt, is told for what it is, and the others go on."""

import pytest

GOOD = """
@evaluate("good {n}", {{"harness": FAKE}})
def good_{n}(c):
    assert c.send("hi").status == "completed"
"""

BODIES = {
    "sys.exit": ("import sys; sys.exit(3)", "fail", "assertion", "called sys.exit(3)"),
    "an exception": ("{}['x']", "fail", "assertion", "KeyError: 'x' (evals/a.eval.py:"),
    "a failed assert": ("assert 1 == 2, 'no'", "fail", "assertion", "no: assert 1 == 2"),
    "os._exit": ("import os; os._exit(3)", "fail", "assertion", "the eval's process ended: exit 3"),
    "a segfault": (
        "import ctypes; ctypes.string_at(0)", "fail", "assertion",
        "the eval's process ended: signal SIGSEGV",
    ),
    "an endless loop": (
        "while True: pass", "fail", "timeout", "timed out after 1s, in the eval's own code",
    ),
    "a thread's error": (
        "import threading; t = threading.Thread(target=lambda: {}['x']); t.start(); t.join()",
        "fail", "assertion", "KeyError: 'x'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_it_costs_its_own_attempt(project, name: str) -> None:
    body, outcome, kind, message = BODIES[name]
    project.evals(
        GOOD.format(n=1)
        + f"""
@evaluate("bad", {{"harness": FAKE, "timeout": 1 if {kind == "timeout"} else 60}})
def bad(c):
    c.send("hi")
    {body}
"""
        + GOOD.format(n=2)
    )
    ran = project.run()
    bad = ran.attempt("bad")
    assert (bad["outcome"], bad["error"]["kind"]) == (outcome, kind)
    assert message in bad["error"]["message"]
    assert ran.attempt("good 1")["outcome"] == ran.attempt("good 2")["outcome"] == "pass"
    assert ran.result.exit_code == 1


def test_a_process_that_ends_is_an_error_of_the_run_and_its_neighbours_run_again(project) -> None:
    project.evals(
        """
        @evaluate("kills", {"harness": FAKE})
        def kills(c):
            c.send("hi")
            import os, time
            time.sleep(0.3)
            os._exit(9)

        @evaluate("beside", {"harness": fake_harness(delay_ms=500)})
        def beside(c):
            c.send("hi")
        """
    )
    ran = project.run(concurrency=2)
    assert ran.attempt("beside")["outcome"] == "pass"
    assert ran.attempt("kills")["outcome"] == "fail"
    assert len(ran.record["errors"]) == 1
    assert "the eval's process ended: exit 9" in ran.record["errors"][0]


def test_an_attempt_is_an_infra_error_when_the_body_hides_it(project) -> None:
    project.evals(
        """
        ENV = define_environment("broken", {"setup": ["exit 7"]})

        @evaluate("hides", {"harness": FAKE, "environment": ENV})
        def hides(c):
            try:
                c.send("hi")
            except Exception:
                pass
        """
    )
    ran = project.run()
    error = ran.attempt("hides")["error"]
    assert error == {"kind": "infra", "message": "setup step `exit 7` failed: exit 7."}
    assert ran.result.exit_code == 3


def test_a_file_that_does_not_load_fails_the_run_and_the_others_run(project) -> None:
    project.evals(GOOD.format(n=1))
    project.write("evals/b.eval.py", "import nothing_of_that_name\n")
    ran = project.run()
    assert ran.attempt("good 1")["outcome"] == "pass"
    assert ran.result.exit_code == 1
    assert "evals/b.eval.py did not load" in ran.record["errors"][0]


def test_what_a_body_prints_is_kept_with_its_attempt_up_to_a_limit(project) -> None:
    project.evals(
        """
        @evaluate("prints", {"harness": FAKE})
        def prints(c):
            print("first line")
            for _ in range(3000):
                print("x" * 1000)
        """
    )
    ran = project.run()
    folder = ran.result.record.with_suffix("")
    log = next(folder.rglob("output.log")).read_text()
    assert log.startswith("first line\n")
    assert len(log) < 1_100_000
    assert "more lines were printed and not kept" in log.splitlines()[-1]


def test_a_server_that_ended_is_told_with_its_attempt(project) -> None:
    project.evals(
        """
        import time

        @evaluate("e", {"harness": FAKE})
        def e(c):
            c.serve("echo no config >&2; exit 4")
            time.sleep(0.5)
            assert c.exec("false").ok
        """
    )
    ran = project.run()
    log = next(ran.result.record.with_suffix("").rglob("output.log")).read_text()
    assert "background command h1 ended by itself with exit 4" in log
