"""A secret's value is in nothing that is written, and each side of the sandbox gets its own."""

import base64
import io
import urllib.parse

from reeval.report.reporter import ReportOptions, make_reporter

SECRET = "s3cr3t/value+with=chars"
AGENT = "agent-token-0123456789"


def test_no_form_of_a_secret_is_written_or_told(project) -> None:
    project.environ |= {"HOST_SECRET": SECRET, "AGENT_TOKEN": AGENT}
    project.write(
        "reeval.toml",
        """
        [environments.e.env]
        CHECK = { secret = "HOST_SECRET", to = "checks" }
        AGENT_TOKEN = { secret = "AGENT_TOKEN" }
        PLAIN = "plain"
        """,
    )
    encoded = base64.b64encode(f"x{SECRET}".encode()).decode()
    project.evals(
        f"""
        import os
        TELL = {{"exec": "echo $AGENT_TOKEN; echo got $CHECK"}}
        SCRIPT = [[TELL, {{"write": {{"f": {AGENT!r}}}}}]]

        @evaluate("e", {{"harness": fake_harness(script=SCRIPT), "environment": "e"}})
        def e(c):
            turn = c.send("use {SECRET}")
            assert "{AGENT}" in turn.transcript[1]["output"]
            assert "got \\n" in turn.transcript[1]["output"]
            print(os.environ["HOST_SECRET"], {encoded!r}, {urllib.parse.quote(SECRET, safe="")!r})
            assert c.exec("echo $CHECK").stdout.strip() == os.environ["HOST_SECRET"]
            assert c.exec("echo $CHECK | base64").ok
            expect(SECRET_TEXT := os.environ["HOST_SECRET"]).to_be("something else")
        """
    )
    stdout = io.StringIO()
    reporter = make_reporter(ReportOptions(json=True), stdout, {})
    ran = project.run(on_event=reporter.on_event)
    attempt = ran.attempt("e")
    assert attempt["outcome"] == "fail"
    assert attempt["env"] == {
        "vars": ["PLAIN"],
        "secrets": ["CHECK", "AGENT_TOKEN"],
        "brokered": [],
    }
    told = stdout.getvalue()
    written = b"".join(p.read_bytes() for p in ran.result.record.parent.rglob("*") if p.is_file())
    for form in (SECRET, AGENT, encoded[4:-4], urllib.parse.quote(SECRET, safe="")):
        assert form.encode() not in written
        assert form not in told
    assert b"[secret HOST_SECRET]" in written


def test_an_unset_secret_is_an_infra_error_that_names_it_and_an_optional_one_is_left_out(
    project,
) -> None:
    project.write(
        "reeval.toml",
        """
        [environments.e.env]
        NEEDED = { secret = "NOT_SET_ANYWHERE" }
        MAYBE = { secret = "NOT_SET_EITHER", optional = true }
        """,
    )
    project.evals(
        """
        @evaluate("e", {"harness": FAKE, "environment": "e"})
        def e(c):
            c.send("hi")
        """
    )
    error = project.run().attempt("e")["error"]
    assert error["kind"] == "infra"
    assert error["message"] == (
        "secret NEEDED (from NOT_SET_ANYWHERE) isn't set: set it in the environment or in .env, "
        "or mark it optional"
    )
