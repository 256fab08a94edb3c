"""The one codec of the runner protocol: a message to a JSON line and back.

JSON is written in ASCII, so lone surrogates and any other text survive the pipe.
A line that is not a message of the protocol raises `ProtocolError`, which names what is wrong.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from typing import Any, cast

from reeval.protocol import messages as m
from reeval.protocol.cuts import cut

_dumps = json.JSONEncoder(separators=(",", ":")).encode


class ProtocolError(ValueError):
    """A line that is not a message of runner protocol 3."""


def encode(message: m.FromRunner | m.FromEngine) -> bytes:
    """One line, newline included."""
    return (_dumps(_to_wire(message)) + "\n").encode("ascii")


def decode_from_runner(line: bytes | str) -> m.FromRunner:
    """A line the runner wrote. Raises `ProtocolError`."""
    return cast(m.FromRunner, _decode(line, _from_runner))


def decode_from_engine(line: bytes | str) -> m.FromEngine:
    """A line the engine wrote. Raises `ProtocolError`."""
    return cast(m.FromEngine, _decode(line, _from_engine))


def _decode(line: bytes | str, read: Callable[[dict[str, Any]], object]) -> object:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"not a JSON line: {_shown(line)} ({error})") from None
    if not isinstance(data, dict):
        raise ProtocolError(f"not a JSON object: {_shown(line)}")
    try:
        return read(data)
    except ProtocolError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise ProtocolError(f"not a protocol message: {_shown(line)} ({what})") from None


def _shown(line: bytes | str) -> str:
    return cut(repr(line), 200)


# ── runner → engine ──────────────────────────────────────────────────────────────────────────


def _from_runner(d: dict[str, Any]) -> m.FromRunner:
    if "call" in d:
        return m.Request(str(d["id"]), str(d["key"]), read_call(d["call"]))
    kind = d.get("t") or d.get("type")
    if kind == "done":
        return m.Done(str(d["key"]), _read_error(d.get("error")))
    if kind == "log":
        if d.get("stream") == "stderr":
            return m.Log(str(d["key"]), "stderr", str(d["text"]))
        return m.Log(str(d["key"]), "stdout", str(d["text"]))
    if kind == "hello":
        return m.Hello(
            int(d["protocol"]), str(d.get("sdk")), str(d.get("version")), str(d.get("runtime"))
        )
    if kind == "declared":
        return m.Declared(str(d["file"]), tuple(d["tree"]["children"]))
    if kind == "load-error":
        return m.LoadError(_read_error(d["error"]) or m.WireError("Error", ""))
    raise ProtocolError(f"unknown message from a runner: {_shown(json.dumps(d))}")


def _read_error(data: Any) -> m.WireError | None:
    if data is None:
        return None
    return m.WireError(
        str(data.get("name", "Error")), str(data.get("message", "")), data.get("stack")
    )


def read_call(d: Mapping[str, Any]) -> m.Call:
    """A call's wire object. Raises `ProtocolError` when the op is unknown."""
    read = _CALLS.get(d["op"])
    if read is None:
        raise ProtocolError(f"unknown call {d['op']!r}")
    return read(d)


def _read_exec(d: Mapping[str, Any]) -> m.Exec:
    return m.Exec(
        str(d["command"]),
        bool(d.get("background", False)),
        int(d.get("retries", 0)),
        float(d.get("interval", 1000)),
    )


def _read_serve(d: Mapping[str, Any]) -> m.Serve:
    command = d["command"]
    port = d.get("port")
    return m.Serve(
        tuple(str(part) for part in command) if isinstance(command, list) else str(command),
        None if port is None else int(port),
    )


def _read_write_file(d: Mapping[str, Any]) -> m.WriteFile:
    text = str(d["contents"])
    if d.get("encoding") == "base64":
        try:
            return m.WriteFile(str(d["path"]), base64.b64decode(text, validate=True))
        except binascii.Error as error:
            raise ProtocolError(f"writeFile's contents are not base64: {error}") from None
    return m.WriteFile(str(d["path"]), text.encode("utf-8", "surrogateescape"))


def _read_subject(d: Mapping[str, Any]) -> m.Subject:
    if "turn" in d:
        return m.TurnSubject(int(d["turn"]))
    if "attempt" in d:
        return m.AttemptSubject()
    if "exec" in d:
        r = d.get("result")
        result = None if r is None else m.ExecResult(int(r["exitCode"]), r["stdout"], r["stderr"])
        return m.ExecSubject(str(d["exec"]), result)
    if "readFile" in d:
        return m.FileSubject(str(d["readFile"]))
    if "value" in d:
        return m.ValueSubject(d["value"])
    raise ProtocolError(f"unknown subject {_shown(json.dumps(dict(d)))}")


def _read_expect(d: Mapping[str, Any]) -> m.Expect:
    poll = d.get("poll")
    return m.Expect(
        _read_subject(d["subject"]),
        str(d["matcher"]),
        tuple(d.get("args", ())),
        bool(d.get("not", False)),
        bool(d.get("soft", False)),
        d.get("label"),
        None
        if poll is None
        else m.Poll(float(poll.get("interval", 50)), float(poll.get("timeout", 1000))),
    )


def _read_record(d: Mapping[str, Any]) -> m.Record:
    return m.Record(
        str(d["matcher"]),
        "pass" if d["status"] == "pass" else "fail",
        d.get("label"),
        d.get("subject"),
        d.get("message"),
        bool(d.get("soft", False)),
    )


_CALLS: dict[str, Callable[[Mapping[str, Any]], m.Call]] = {
    "send": lambda d: m.Send(str(d["prompt"])),
    "exec": _read_exec,
    "serve": _read_serve,
    "kill": lambda d: m.Kill(str(d["handle"])),
    "capture": lambda d: m.Capture(d["target"], d.get("options") or {}),
    "readFile": lambda d: m.ReadFile(str(d["path"])),
    "writeFile": _read_write_file,
    "expect": _read_expect,
    "record": _read_record,
    "judge": lambda d: m.Judge(str(d["question"]), d.get("options") or {}),
}


# ── engine → runner ──────────────────────────────────────────────────────────────────────────


def _from_engine(d: dict[str, Any]) -> m.FromEngine:
    if "ok" in d:
        ident, key, op = str(d["id"]), str(d["key"]), str(d["op"])
        if not d["ok"]:
            return m.ErrorReply(
                ident, key, op, _read_error(d.get("error")) or m.WireError("Error", "")
            )
        fields = {k: v for k, v in d.items() if k not in ("id", "key", "op", "ok")}
        return m.Reply(ident, key, op, fields)
    kind = d.get("t") or d.get("type")
    if kind == "collect":
        return m.Collect(str(d["file"]))
    if kind == "start":
        a = d["attempt"]
        info = m.AttemptInfo(str(a["id"]), int(a["n"]), a["cell"])
        return m.Start(str(d["key"]), str(d["body"]), str(d["file"]), info)
    if kind == "abort":
        key, message = str(d["key"]), str(d.get("message", ""))
        timed_out = d.get("reason") == "timeout"
        return m.Abort(key, "timeout" if timed_out else "cancelled", message)
    raise ProtocolError(f"unknown message from the engine: {_shown(json.dumps(d))}")


# ── to the wire ──────────────────────────────────────────────────────────────────────────────


def _to_wire(message: m.FromRunner | m.FromEngine) -> dict[str, Any]:
    match message:
        case m.Reply(id=ident, key=key, op=op, fields=fields):
            return {"id": ident, "key": key, "ok": True, "op": op, **fields}
        case m.ErrorReply(id=ident, key=key, op=op, error=error):
            return {"id": ident, "key": key, "ok": False, "op": op, "error": _error(error)}
        case m.Start(key=key, body=body, file=file, attempt=a):
            attempt = {"id": a.id, "n": a.n, "cell": a.cell}
            return {"type": "start", "key": key, "body": body, "file": file, "attempt": attempt}
        case m.Abort(key=key, reason=reason, message=text):
            return {"type": "abort", "key": key, "reason": reason, "message": text}
        case m.Collect(file=file):
            return {"t": "collect", "file": file}
        case m.Request(id=ident, key=key, call=call):
            return {"id": ident, "key": key, "call": call_to_wire(call)}
        case m.Log(key=key, stream=stream, text=text):
            return {"t": "log", "key": key, "stream": stream, "text": text}
        case m.Done(key=key, error=failure):
            done: dict[str, Any] = {"type": "done", "key": key}
            return done if failure is None else {**done, "error": _error(failure)}
        case m.Hello():
            return {
                "t": "hello",
                "protocol": message.protocol,
                "sdk": message.sdk,
                "version": message.version,
                "runtime": message.runtime,
            }
        case m.Declared(file=file, children=children):
            return {"t": "declared", "file": file, "tree": {"children": list(children)}}
        case m.LoadError(error=error):
            return {"t": "load-error", "error": _error(error)}


def _error(error: m.WireError) -> dict[str, Any]:
    out = {"name": error.name, "message": error.message}
    return out if error.stack is None else {**out, "stack": error.stack}


def call_to_wire(call: m.Call) -> dict[str, Any]:
    """A call's wire object; fields that hold their default are left out."""
    out: dict[str, Any] = {"op": call.op}
    match call:
        case m.Send(prompt=prompt):
            out["prompt"] = prompt
        case m.Exec():
            out["command"] = call.command
            if call.background:
                out["background"] = True
            if call.retries:
                out["retries"] = call.retries
            if call.interval_ms != 1000:
                out["interval"] = call.interval_ms
        case m.Serve():
            out["command"] = list(call.command) if isinstance(call.command, tuple) else call.command
            if call.port is not None:
                out["port"] = call.port
        case m.Kill(handle=handle):
            out["handle"] = handle
        case m.Capture(target=target, options=options):
            out["target"] = target
            if options:
                out["options"] = options
        case m.ReadFile(path=path):
            out["path"] = path
        case m.WriteFile(path=path, contents=contents):
            out["path"] = path
            try:
                out["contents"] = contents.decode("utf-8")
            except UnicodeDecodeError:
                out["contents"] = base64.b64encode(contents).decode("ascii")
                out["encoding"] = "base64"
        case m.Expect():
            out |= {"subject": _subject(call.subject), "matcher": call.matcher}
            out |= {"args": list(call.args), "not": call.negated, "soft": call.soft}
            if call.label is not None:
                out["label"] = call.label
            if call.poll is not None:
                out["poll"] = {"interval": call.poll.interval_ms, "timeout": call.poll.timeout_ms}
        case m.Record():
            out |= {"matcher": call.matcher, "status": call.status}
            for name in ("label", "subject", "message"):
                if (value := getattr(call, name)) is not None:
                    out[name] = value
            if call.soft:
                out["soft"] = True
        case m.Judge(question=question, options=options):
            out["question"] = question
            if options:
                out["options"] = options
    return out


def _subject(subject: m.Subject) -> dict[str, Any]:
    match subject:
        case m.TurnSubject(turn=turn):
            return {"turn": turn}
        case m.AttemptSubject():
            return {"attempt": True}
        case m.ValueSubject(value=value):
            return {"value": value}
        case m.FileSubject(path=path):
            return {"readFile": path}
        case m.ExecSubject(command=command, result=None):
            return {"exec": command}
        case m.ExecSubject(command=command, result=r):
            assert r is not None
            result = {"exitCode": r.exit_code, "stdout": r.stdout, "stderr": r.stderr}
            return {"exec": command, "result": result}
