"""The journal's lines: what each kind holds, how one is checked, and reading them back.

A line is `<crc32 of the payload, 8 hex digits> <payload>`, the payload JSON without raw newlines.
The kinds, in the order they can come: `run` and one `eval` for each planned eval, all synced
before the journal has its name; then `started`, `ended`, `error` in any order; last `end`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict
from zlib import crc32

from reeval.record.schema import AttemptRecord, PlannedEntry, RunHeader, RunStatus

StopReason = Literal["interrupt", "budget", "bail"]

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_ENDED = b'{"kind":"ended","attempt":'
_CRC_LENGTH = 9


class Started(TypedDict):
    """The attempt's `key`, `cell`, `n`, `seq` and `startedAt`, as its record will have them."""

    key: str
    cell: str
    n: int
    seq: int
    startedAt: str


class PlannedLine(TypedDict):
    """An eval as planned. `skip` says why it never runs; `minLift` is what variants must reach."""

    entry: PlannedEntry
    skip: NotRequired[str]
    minLift: NotRequired[float]


class End(TypedDict):
    """How the run ended. `stopped` says why attempts were left unstarted, if any were."""

    status: RunStatus
    endedAt: str
    durationMs: float
    stopped: NotRequired[StopReason]


@dataclass(frozen=True, slots=True)
class Entry:
    """A line read back. `start` and `length` are its payload's place in the file; for `ended` only
    the attempt's.
    """

    kind: Literal["run", "eval", "started", "ended", "error", "end"]
    value: Any
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Damage:
    """A line that was cut off or altered: `length` bytes at `start` that say nothing."""

    start: int
    length: int


def encode_json(value: object) -> bytes:
    """Compact UTF-8 JSON on one line. A lone surrogate, which has no bytes, becomes U+FFFD."""
    text = _encode(value)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def run_entry(header: RunHeader) -> bytes:
    return encode_json({"kind": "run", "header": header})


def eval_entry(planned: PlannedLine) -> bytes:
    return encode_json({"kind": "eval", "eval": planned})


def started_entry(started: Started) -> bytes:
    return encode_json({"kind": "started", "started": started})


def ended_entry(attempt: AttemptRecord) -> bytes:
    """An attempt's whole record, redacted. The fold copies these bytes as they are."""
    return b"%b%b}" % (_ENDED, encode_json(attempt))


def error_entry(message: str) -> bytes:
    return encode_json({"kind": "error", "message": message})


def end_entry(end: End) -> bytes:
    return encode_json({"kind": "end", "end": end})


def line(payload: bytes) -> bytes:
    return b"%08x %b\n" % (crc32(payload), payload)


_VALUE = {
    "run": "header",
    "eval": "eval",
    "started": "started",
    "ended": "attempt",
    "error": "message",
    "end": "end",
}


def read(path: Path) -> Iterator[Entry | Damage]:
    """A journal's entries in order, one in memory at a time; the file may still be growing.

    A line that isn't whole, has a wrong checksum or an unknown kind is a `Damage`. Raises OSError.
    """
    start = 0
    with path.open("rb") as lines:
        for raw in lines:
            yield _entry(raw, start) or Damage(start, len(raw))
            start += len(raw)


def _entry(raw: bytes, start: int) -> Entry | None:
    payload = raw[_CRC_LENGTH:-1]
    if raw[-1:] != b"\n" or raw[:_CRC_LENGTH] != b"%08x " % crc32(payload):
        return None
    try:
        value = json.loads(str(payload, "utf-8"))
        kind = value["kind"]
        content = value[_VALUE[kind]]
    except (ValueError, LookupError, TypeError):
        return None
    body, length = start + _CRC_LENGTH, len(payload)
    if kind == "ended":
        body, length = body + len(_ENDED), length - len(_ENDED) - len(b"}")
    return Entry(kind, content, body, length)
