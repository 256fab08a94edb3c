"""Turns every secret's value, in every form it can take, into its name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from reeval.masking.edges import Edges, is_marked
from reeval.masking.forms import SHORT, Form, forms_of, is_word
from reeval.masking.views import (
    UNFINISHED,
    View,
    json_decoded,
    percent_decoded,
    plain,
    without_breaks,
)

_Found: TypeAlias = tuple[int, int, str]
"""(start, end, name) of a secret in the bytes searched."""

_PLAIN_IN_JSON = re.compile(rb"[0-9A-Za-z_.~:@,;=+ -]*")
_RUN = rb"[0-9A-Za-z+/_-]"
_QUICK_BYTES = 8
"""Bytes a form up to which one expression for all forms is faster than looking for each."""

_CONTEXT = 128
"""Bytes already written that a stream keeps: what stands before a short secret, a cut mark."""

_TOO_DEEP = "[a value nested too deep to mask]"


class Masker:
    """Replaces secrets by `[secret NAME]` in text, bytes, JSON values and streams.

    `secrets` is name → value. Found are: the value itself, JSON-escaped, percent-encoded, base64
    in both alphabets at any alignment, and hex; and each line of a value that has several. Where
    secrets overlap, one mask covers them all. What a cut left of them beside a cut mark (see
    `reeval.protocol.cuts`) is found too, from 5 characters on. A value under 8 characters is
    masked only where it stands alone; `warnings` has a sentence for each.
    """

    def __init__(self, secrets: Mapping[str, str]) -> None:
        forms = [form for name, value in secrets.items() for form in forms_of(name, value)]
        self.active: bool = bool(forms)
        self.warnings: tuple[str, ...] = tuple(
            f"the secret {name} has fewer than {SHORT} characters, so it is masked only where it "
            "stands alone and not inside a longer word: give it a longer value"
            for name, value in secrets.items()
            if 0 < len(value.strip()) < SHORT
        )
        raw = [form for form in forms if not form.encoded]
        encoded = [form for form in forms if form.encoded]
        self._raw = _Group(raw, _any_raw(raw))
        self._encoded = _Group(encoded, _any_encoded(encoded))
        self._shortest = min((len(form.literal) for form in forms), default=0)
        self._json_escapes = any(
            form.whole or not _PLAIN_IN_JSON.fullmatch(form.literal) for form in raw
        )

    def text(self, value: str) -> str:
        if not self.active:
            return value
        data = value.encode("utf-8", "surrogatepass")
        masked = self.data(data)
        if masked is data:
            return value
        try:
            return masked.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:  # a secret that isn't UTF-8 ended inside a character
            return masked.decode("utf-8", "replace")

    def data(self, value: bytes) -> bytes:
        if not self.active:
            return value
        found = self.find(value)
        if not found:
            return value
        out: list[bytes] = []
        done = 0
        for start, end, name in found:
            out += (value[done:start], mask(name))
            done = end
        out.append(value[done:])
        return b"".join(out)

    def json(self, value: Any) -> Any:
        """The value with every text in it masked, keys too, and whole numbers that are a secret."""
        if not self.active:
            return value
        try:
            return self._json(value)
        except RecursionError:
            return _TOO_DEEP

    def stream(self) -> MaskingStream:
        return MaskingStream(self)

    def find(self, data: bytes) -> list[_Found]:
        """Where secrets stand, in order and apart; overlapping ones are one, named by the first."""
        marked = is_marked(data)
        if len(data) < self._shortest and not marked:
            return []
        found: list[_Found] = []
        for view, group in self._views(data):
            found += _located(view, group.find(view.data))
            if marked:
                found += _located(view, group.edges.find(view.data))
        return _merged(found)

    def pending(self, data: bytes) -> int:
        """From where on the next write may make the end of `data` a secret; else its length."""
        first = _escape_start(data, len(data))
        for view, group in self._views(data[:first]):
            begins = group.pending(view.data)
            if begins < len(view.data):
                first = min(first, view.span(begins)[0])
        return _escape_start(data, first)

    def _views(self, data: bytes) -> Iterator[tuple[View, _Group]]:
        yield plain(data), self._raw
        yield without_breaks(data), self._encoded
        for view in percent_decoded(data):
            yield view, self._raw
        if self._json_escapes:
            for view in json_decoded(data):
                yield view, self._raw

    def _json(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            out: dict[str, Any] = {}
            for key, item in value.items():
                masked = self.text(key)
                while masked in out:  # two keys were secrets: neither value is lost
                    masked += "'"
                out[masked] = self._json(item)
            return out
        if isinstance(value, list | tuple):
            return [self._json(item) for item in value]
        if isinstance(value, int) and not isinstance(value, bool):
            return self._number(value)
        return value

    def _number(self, value: int) -> int | str:
        digits = str(value) if abs(value) >= 10 ** (SHORT - 1) else ""
        masked = self.text(digits)
        return value if masked == digits else masked


class _Group:
    """Forms that are searched in the same views.

    `quick` finds something wherever a form is. On few bytes it is faster than looking for each.
    """

    def __init__(self, forms: Sequence[Form], quick: bytes) -> None:
        self.forms = forms
        self.edges = Edges(forms)
        self._quick = re.compile(quick)
        self._few = _QUICK_BYTES * len(forms)

    def find(self, data: bytes) -> Iterator[_Found]:
        if len(data) <= self._few and self._quick.search(data) is None:
            return
        for form in self.forms:
            if form.literal in data:
                yield from _occurrences(data, form)

    def pending(self, data: bytes) -> int:
        """From where on the next write may make the end of `data` a form; else its length."""
        whole = min((_beginning(data, form) for form in self.forms), default=len(data))
        return min(whole, self.edges.pending(data))


def _any_raw(forms: Sequence[Form]) -> bytes:
    return b"|".join(re.escape(form.literal) for form in forms)


def _any_encoded(forms: Sequence[Form]) -> bytes:
    """Base64 and hex are one long run of letters and digits, which few texts have."""
    shortest = min((len(form.literal.rstrip(b"=")) for form in forms), default=1)
    return rb"(?<!%b)%b{%d}" % (_RUN, _RUN, shortest)


class MaskingStream:
    """Masks what is written piece by piece, as if it had come at once.

    It holds back only what may yet become a secret.
    """

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._buffer = b""
        self._done = 0  # how many of the buffer's bytes are written, or covered by a written mask

    def feed(self, chunk: bytes) -> bytes:
        """What can be written now."""
        if not self._masker.active:
            return chunk
        self._buffer += chunk
        return self._write(self._masker.pending(self._buffer))

    def finish(self) -> bytes:
        """What was held back."""
        return self._write(len(self._buffer))

    def _write(self, limit: int) -> bytes:
        buffer, done = self._buffer, self._done
        out: list[bytes] = []
        for start, end, name in self._masker.find(buffer):
            if start >= limit:
                break
            if end <= done:
                continue
            if start >= done:  # else it overlaps what the last mask covers
                out += (buffer[done:start], mask(name))
            done = end
        if done < limit:
            out.append(buffer[done:limit])
            done = limit
        kept = max(0, limit - _CONTEXT)
        self._buffer, self._done = buffer[kept:], done - kept
        return b"".join(out)


def mask(name: str) -> bytes:
    """What stands in a secret's place."""
    return f"[secret {name}]".encode("utf-8", "surrogatepass")


def _located(view: View, found: Iterator[_Found]) -> Iterator[_Found]:
    """What was found in a view, where it stands in the original."""
    for start, end, name in found:
        yield view.span(start)[0], view.span(end - 1)[1], name


def _occurrences(data: bytes, form: Form) -> Iterator[_Found]:
    at = data.find(form.literal)
    while at >= 0:
        end = at + len(form.literal)
        if not form.whole or not (is_word(data, at - 1) or is_word(data, end)):
            yield at, end, form.name
        at = data.find(form.literal, at + 1)


def _beginning(data: bytes, form: Form) -> int:
    """Where the longest end of `data` that begins the form starts, else the length.

    A short secret that is complete still waits for what follows it.
    """
    literal = form.literal
    longest = len(literal) if form.whole else len(literal) - 1
    at = data.find(literal[:1], max(0, len(data) - longest))
    while at >= 0:
        if literal.startswith(data[at:]):
            return at
        at = data.find(literal[:1], at + 1)
    return len(data)


def _escape_start(data: bytes, end: int) -> int:
    """`end`, or the start of an escape that it would cut."""
    match = UNFINISHED.search(data[max(0, end - 16) : end])
    return end if match is None else end - len(match.group())


def _merged(found: list[_Found]) -> list[_Found]:
    found.sort(key=lambda item: (item[0], -item[1]))
    apart: list[_Found] = []
    for start, end, name in found:
        if apart and start < apart[-1][1]:
            first, last, owner = apart[-1]
            apart[-1] = (first, max(last, end), owner)
        else:
            apart.append((start, end, name))
    return apart
