"""One tool call to a stdio MCP server in the sandbox: JSON-RPC, a message a line.

All messages are sent at once, since a sandbox command gets its stdin whole. A server answers
them in order and ends when its stdin does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reeval.protocol.cuts import tail
from reeval.sandbox.base import Command, Sandbox
from reeval.version import VERSION

MCP_PROTOCOL = "2025-06-18"
TIMEOUT_S = 60.0
_INITIALIZE, _CALL = 1, 2


@dataclass(frozen=True, slots=True)
class McpAnswer:
    """What the tool answered as text; not `ok`: the server or the tool failed, and why."""

    ok: bool
    text: str


async def call_tool(
    sandbox: Sandbox, argv: tuple[str, ...], env: Mapping[str, str], tool: str
) -> McpAnswer:
    """Starts the server, calls `tool` without arguments, and ends the server.

    A server that doesn't start or answer is an answer that isn't ok. Raises `SandboxError`.
    """
    done = await sandbox.run(Command(argv, env=env, timeout=TIMEOUT_S, stdin=_conversation(tool)))
    answers = _answers(done.stdout)
    for ident in (_INITIALIZE, _CALL):
        error = answers.get(ident, {}).get("error")
        if error is not None:
            return McpAnswer(False, _error_text(error))
    result = answers.get(_CALL, {}).get("result")
    if isinstance(result, dict):
        return McpAnswer(not result.get("isError"), _result_text(result))
    ended = f"timed out after {TIMEOUT_S:g}s" if done.timed_out else f"exit code {done.exit_code}"
    said = tail(done.stderr.strip(), 500)
    return McpAnswer(
        False, f"the MCP server did not answer: {ended}" + (f": {said}" if said else "")
    )


def _conversation(tool: str) -> bytes:
    hello = {
        "protocolVersion": MCP_PROTOCOL,
        "capabilities": {},
        "clientInfo": {"name": "reeval", "version": VERSION},
    }
    messages = (
        {"id": _INITIALIZE, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": _CALL, "method": "tools/call", "params": {"name": tool, "arguments": {}}},
    )
    lines = (json.dumps({"jsonrpc": "2.0", **message}) for message in messages)
    return ("\n".join(lines) + "\n").encode("ascii")


def _answers(stdout: str) -> dict[int, dict[str, Any]]:
    """The responses by id. Other lines (logs, notifications) are not for us."""
    found: dict[int, dict[str, Any]] = {}
    for line in stdout.splitlines():
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(message, dict) and "method" not in message:
            ident = message.get("id")
            if isinstance(ident, int):
                found[ident] = message
    return found


def _error_text(error: Any) -> str:
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        return str(error["message"])
    return json.dumps(error)


def _result_text(result: Mapping[str, Any]) -> str:
    content = result.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        texts = [text for text in parts if isinstance(text, str)]
        if texts:
            return "\n".join(texts)
    return json.dumps(result.get("structuredContent", content))
