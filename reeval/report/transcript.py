"""A `transcript.jsonl` as text: what the agent was asked, said and did, in order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from reeval.report.duration import clock, took
from reeval.report.text import cut, excerpt_lines, one_line, split

_TEXT_LINES = 200
_OUTPUT_LINES = 20
_INPUT_WIDTH = 160


def transcript_lines(lines: Iterable[str]) -> Iterator[str]:
    """The lines of the file, one event each, as readable lines. A damaged one is said to be."""
    for number, line in enumerate(lines, 1):
        try:
            event = json.loads(line)
            text = list(_event(event))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            yield f"  … line {number} can't be read …"
            continue
        if event["type"] == "prompt":
            yield ""
        yield from text


def _event(event: Mapping[str, Any]) -> Iterator[str]:
    kind = event["type"]
    first, *rest = _BODIES.get(kind, _unknown)(event) or [""]
    at = event.get("atMs")
    when = f"+{clock(at)}" if isinstance(at, int | float) else ""
    ms = event.get("durationMs")
    lasted = f"  {took(ms)}" if isinstance(ms, int | float) else ""
    stalled = " stalled" if event.get("stalled") else ""
    yield f"{when:>7} {kind:<11} {first}{lasted}{stalled}"
    yield from (f"{'':20}{line}" for line in rest)


def _text(event: Mapping[str, Any]) -> list[str]:
    return excerpt_lines(split(event["text"]), _TEXT_LINES)


def _tool(event: Mapping[str, Any]) -> list[str]:
    given = event["input"]
    command = given.get("command") if isinstance(given, dict) else None
    asked = command if isinstance(command, str) else json.dumps(given, ensure_ascii=False)
    failed = "" if event["ok"] else "  failed"
    output = event.get("output")
    if output is None:
        answered = []
    else:
        text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
        answered = excerpt_lines(split(text), _OUTPUT_LINES)
    head = f"{one_line(event['tool'])} {one_line(asked, _INPUT_WIDTH)}{failed}"
    return [head, *(f"│ {line}" for line in answered)]


def _file_edit(event: Mapping[str, Any]) -> list[str]:
    added, removed = event.get("added"), event.get("removed")
    size = "" if added is None or removed is None else f"  +{added} -{removed}"
    return [f"{event['kind']} {one_line(event['path'])}{size}"]


def _web_search(event: Mapping[str, Any]) -> list[str]:
    references = event.get("references")
    found = "" if references is None else f"  {references} references"
    return [f"{one_line(event['query'])}{found}{_refused(event)}"]


def _web_fetch(event: Mapping[str, Any]) -> list[str]:
    return [f"{one_line(event['url'])}{_refused(event)}"]


def _refused(event: Mapping[str, Any]) -> str:
    return "  failed" if event.get("ok") is False else ""


def _message(event: Mapping[str, Any]) -> list[str]:
    return excerpt_lines(split(event["message"]), _OUTPUT_LINES)


def _turn_end(event: Mapping[str, Any]) -> list[str]:
    return [one_line(event["status"])]


def _unknown(event: Mapping[str, Any]) -> list[str]:
    return [cut(one_line(json.dumps(event.get("event", event), ensure_ascii=False)), _INPUT_WIDTH)]


_BODIES: Mapping[str, Callable[[Mapping[str, Any]], list[str]]] = {
    "prompt": _text,
    "text": _text,
    "reasoning": _text,
    "tool": _tool,
    "file-edit": _file_edit,
    "web-search": _web_search,
    "web-fetch": _web_fetch,
    "error": _message,
    "retry": _message,
    "turn-end": _turn_end,
}
