"""A small stdio MCP server, started by tests in a sandbox. It logs on stdout too, as some do."""

from __future__ import annotations

import json
import os
import sys


def answer(message):
    method = message["method"]
    if method == "initialize":
        return {"result": {"protocolVersion": "2025-06-18", "capabilities": {}}}
    if method == "tools/call":
        name = message["params"]["name"]
        if name == "read":
            return {"result": {"content": [{"type": "text", "text": os.environ.get("NOTE", "")}]}}
        if name == "data":
            return {"result": {"content": [], "structuredContent": {"n": 1}}}
        if name == "broken":
            text = {"type": "text", "text": "the disk is full"}
            return {"result": {"content": [text], "isError": True}}
        return {"error": {"code": -32602, "message": f"unknown tool {name}"}}
    return None


initialized = False
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "notifications/initialized":
        initialized = True
        print("ready", flush=True)
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message"}), flush=True)
        continue
    if message["method"] == "tools/call" and not initialized:
        sys.exit("called before it was initialized")
    reply = {"jsonrpc": "2.0", "id": message["id"], **(answer(message) or {})}
    print(json.dumps(reply), flush=True)
