"""A tool call to a stdio MCP server: what comes back, and what is said when nothing does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reeval.harness.mcp_client import McpAnswer, call_tool

SERVER = str(Path(__file__).parent / "mcp_server.py")


def ask(in_sandbox, argv: tuple[str, ...], tool: str = "read") -> McpAnswer:
    return in_sandbox(lambda sandbox: call_tool(sandbox, argv, {"NOTE": "hi"}, tool))


def test_a_tools_text_comes_back(in_sandbox):
    assert ask(in_sandbox, (sys.executable, SERVER)) == McpAnswer(True, "hi")


def test_a_result_without_text_comes_back_as_json(in_sandbox):
    assert ask(in_sandbox, (sys.executable, SERVER), "data") == McpAnswer(True, '{"n": 1}')


FAILURES = [
    (
        ("sh", "-c", "echo no config >&2; exit 4"),
        "the MCP server did not answer: exit code 4: no config",
    ),
    (("true",), "the MCP server did not answer: exit code 0"),
    (("sh", "-c", "cat"), "the MCP server did not answer: exit code 0"),
    (
        ("sh", "-c", """echo '{"id":1,"error":{"code":1,"message":"old protocol"}}'"""),
        "old protocol",
    ),
    (("sh", "-c", """echo '{"id":2,"error":"odd"}'"""), '"odd"'),
]


@pytest.mark.parametrize(("argv", "text"), FAILURES)
def test_a_server_that_does_not_answer_says_why(in_sandbox, argv, text):
    assert ask(in_sandbox, argv) == McpAnswer(False, text)


def test_a_server_that_is_not_there_is_not_ok(in_sandbox):
    assert not ask(in_sandbox, ("no-such-mcp-server",)).ok
