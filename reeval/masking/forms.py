"""The literal bytes a secret's value can appear as, before views undo the escapes of a text."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass

SHORT = 8
"""Below this many characters a value is masked only where it stands alone."""

_WORD = re.compile(rb"[0-9A-Za-z_\x80-\xff]")


@dataclass(frozen=True, slots=True)
class Form:
    """One spelling of a secret. `whole` ones match only where no word character touches them.

    `encoded` ones (base64, hex) are searched in text whose line breaks are taken out, since the
    tools that write them wrap their lines.
    """

    name: str
    literal: bytes
    encoded: bool = False
    whole: bool = False


def forms_of(name: str, value: str) -> list[Form]:
    """Every form of a value and of its lines, each once."""
    found: dict[tuple[bytes, bool], Form] = {}
    for part in _parts(value):
        whole = len(part) < SHORT
        for raw in _bytes(part):
            for form in _forms(name, raw, whole):
                found.setdefault((form.literal, form.encoded), form)
    return list(found.values())


def is_word(data: bytes, at: int) -> bool:
    """Whether the byte at `at` is part of a word; there is none outside `data`."""
    return at >= 0 and _WORD.match(data, at) is not None


def _parts(value: str) -> list[str]:
    """The value, without the space around it, and each line long enough to be telling."""
    bare = value.strip()
    if not bare:
        return []
    lines = [line.strip() for line in bare.splitlines()]
    return [value, bare, *(line for line in lines if len(line) >= SHORT)]


def _bytes(text: str) -> Iterator[bytes]:
    """UTF-8; a variable that was not UTF-8 also as the bytes it was."""
    yield text.encode("utf-8", "surrogatepass")
    if any("\udc80" <= char <= "\udcff" for char in text):
        yield text.encode("utf-8", "surrogateescape")


def _forms(name: str, raw: bytes, whole: bool) -> Iterator[Form]:
    yield Form(name, raw, whole=whole)
    yield Form(name, raw.hex().encode(), encoded=True, whole=whole)
    yield Form(name, raw.hex().upper().encode(), encoded=True, whole=whole)
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        padded = encode(raw)
        yield Form(name, padded, encoded=True, whole=whole)
        yield Form(name, padded.rstrip(b"="), encoded=True, whole=whole)
        if not whole:
            for before in range(3):
                yield Form(name, _core(encode(bytes(before) + raw), before), encoded=True)


def _core(encoded: bytes, before: int) -> bytes:
    """The characters that depend on the secret alone, with `before` other bytes in its first group.

    RFC 4648, section 4: each character holds 6 bits, so the ones at an edge mix with a neighbour.
    """
    digits = encoded.rstrip(b"=")
    end = len(digits) if digits == encoded else len(digits) - 1
    return digits[(0, 2, 3)[before] : end]
