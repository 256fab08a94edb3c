"""Every message of runner protocol 3 as a frozen dataclass.

Field names are snake_case here and camelCase on the wire; `reeval.protocol.codec` maps them.
Durations on the wire are milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Json: TypeAlias = Any
"""A JSON value: what `json.loads` returns."""

JsonObject: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WireError:
    """Why a call, a body or a load failed: the error's class name, its message, its traceback."""

    name: str
    message: str
    stack: str | None = None


# ── runner → engine ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Hello:
    protocol: int
    sdk: str
    version: str
    runtime: str


@dataclass(frozen=True, slots=True)
class Declared:
    """What a file declares: `children` are declaration nodes as JSON objects."""

    file: str
    children: tuple[JsonObject, ...]


@dataclass(frozen=True, slots=True)
class LoadError:
    error: WireError


@dataclass(frozen=True, slots=True)
class Request:
    """A call a body makes. `id` is unique only together with `key`."""

    id: str
    key: str
    call: Call


@dataclass(frozen=True, slots=True)
class Log:
    key: str
    stream: Literal["stdout", "stderr"]
    text: str


@dataclass(frozen=True, slots=True)
class Done:
    key: str
    error: WireError | None = None


# ── engine → runner ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Collect:
    file: str


@dataclass(frozen=True, slots=True)
class AttemptInfo:
    """`c.attempt`: `id` is `<cell key>#<n>`, `n` counts from 1, `cell` is the cell as JSON."""

    id: str
    n: int
    cell: JsonObject


@dataclass(frozen=True, slots=True)
class Start:
    key: str
    body: str
    file: str
    attempt: AttemptInfo


@dataclass(frozen=True, slots=True)
class Abort:
    key: str
    reason: Literal["timeout", "cancelled"]
    message: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a call: `fields` are the op's own wire fields, such as `turn` or `result`."""

    id: str
    key: str
    op: str
    fields: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ErrorReply:
    id: str
    key: str
    op: str
    error: WireError


# ── the calls a body makes ───────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Send:
    prompt: str
    op = "send"


@dataclass(frozen=True, slots=True)
class Exec:
    command: str
    background: bool = False
    retries: int = 0
    interval_ms: float = 1000
    op = "exec"


@dataclass(frozen=True, slots=True)
class Serve:
    """`command` is a shell command, or an argv in which `{port}` is expanded."""

    command: str | tuple[str, ...]
    port: int | None = None
    op = "serve"


@dataclass(frozen=True, slots=True)
class Kill:
    handle: str
    op = "kill"


@dataclass(frozen=True, slots=True)
class Capture:
    target: JsonObject
    options: JsonObject
    op = "capture"


@dataclass(frozen=True, slots=True)
class ReadFile:
    path: str
    op = "readFile"


@dataclass(frozen=True, slots=True)
class WriteFile:
    path: str
    contents: bytes
    op = "writeFile"


@dataclass(frozen=True, slots=True)
class TurnSubject:
    """The turn with this index, from 0."""

    turn: int


@dataclass(frozen=True, slots=True)
class AttemptSubject:
    """`c` itself: its files and its latest turn."""


@dataclass(frozen=True, slots=True)
class ValueSubject:
    value: Json


@dataclass(frozen=True, slots=True)
class ExecSubject:
    """A command: `result` when the body already ran it, else the engine runs it (each try)."""

    command: str
    result: ExecResult | None = None


@dataclass(frozen=True, slots=True)
class FileSubject:
    """A file the engine reads (each try)."""

    path: str


Subject: TypeAlias = TurnSubject | AttemptSubject | ValueSubject | ExecSubject | FileSubject


@dataclass(frozen=True, slots=True)
class ExecResult:
    exit_code: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class Poll:
    interval_ms: float = 50
    timeout_ms: float = 1000


@dataclass(frozen=True, slots=True)
class Expect:
    """`expect(subject, label).matcher(*args)`; `matcher` is camelCase, such as `toHaveFile`.

    An argument is JSON, `{"regexp", "flags"?}`, or `{"matchedBy", "answers"}`: a pattern that
    only the runner can match.
    """

    subject: Subject
    matcher: str
    args: tuple[Json, ...]
    negated: bool = False
    soft: bool = False
    label: str | None = None
    poll: Poll | None = None
    op = "expect"


@dataclass(frozen=True, slots=True)
class Record:
    """A check the eval's own language made, such as a plain `assert`."""

    matcher: str
    status: Literal["pass", "fail"]
    label: str | None = None
    subject: str | None = None
    message: str | None = None
    soft: bool = False
    op = "record"


@dataclass(frozen=True, slots=True)
class Judge:
    """`options` is the judge call's options as wire JSON: model, threshold, state, on, …"""

    question: str
    options: JsonObject
    op = "judge"


Call: TypeAlias = (
    Send | Exec | Serve | Kill | Capture | ReadFile | WriteFile | Expect | Record | Judge
)

FromRunner: TypeAlias = Hello | Declared | LoadError | Request | Log | Done
FromEngine: TypeAlias = Collect | Start | Abort | Reply | ErrorReply
