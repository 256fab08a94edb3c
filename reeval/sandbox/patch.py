"""Patches in git's format: `git apply --binary` turns the start into the end, byte for byte.

Contents that aren't UTF-8 text are written as a binary patch, so that a patch is always text.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reeval.masking.masker import Masker
from reeval.sandbox.lines import Block, changed_blocks

_CONTEXT = 3
_NO_OBJECT = "0" * 40
_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}
_ESCAPES |= {34: '\\"', 92: "\\\\"}


@dataclass(frozen=True, slots=True)
class Side:
    """A file before or after: git's mode (`100644`, `100755`, `120000` for a link) and contents."""

    mode: str
    contents: bytes


def file_patch(path: bytes, old: Side | None, new: Side | None) -> str:
    """The patch of one path, from `old` (None: it wasn't there) to `new` (None: it is gone)."""
    if old is not None and new is not None and _is_link(old) != _is_link(new):
        return file_patch(path, old, None) + file_patch(path, None, new)
    before, after = quoted(b"a/" + path), quoted(b"b/" + path)
    lines = [f"diff --git {before} {after}\n", *_modes(old, new)]
    was, now = old.contents if old else b"", new.contents if new else b""
    if was != now:
        binary = not (_is_text(was) and _is_text(now))
        width = 40 if binary else 7
        kept = f" {old.mode}" if old and new and old.mode == new.mode else ""
        lines.append(f"index {_object(old)[:width]}..{_object(new)[:width]}{kept}\n")
        if binary:
            lines += _binary(was, now)
        else:
            lines.append(f"--- {_ended(before) if old else '/dev/null'}\n")
            lines.append(f"+++ {_ended(after) if new else '/dev/null'}\n")
            lines += _hunks(was, now)
    elif old is None or new is None:
        lines.append(f"index {_object(old)[:7]}..{_object(new)[:7]}\n")
    return "".join(lines)


def masked_patch(masker: Masker, path: bytes, old: Side | None, new: Side | None) -> str | None:
    """The patch of one path with secrets masked; None where it can't be shown without one.

    In a binary patch contents are packed, where no masker finds anything. Text is masked before it
    becomes a patch's lines, whose marks may part a secret.
    """
    if not masker.active:
        return file_patch(path, old, new)
    shown_path = masker.data(path)
    if old is not None and new is not None and old.contents == new.contents:
        return file_patch(shown_path, old, new)
    shown_old, shown_new = _masked(masker, old), _masked(masker, new)
    all_text = all(_is_text(side.contents) for side in (old, new) if side is not None)
    if (shown_old, shown_new) != (old, new) and (shown_old == shown_new or not all_text):
        return None
    return file_patch(shown_path, shown_old, shown_new)


def _masked(masker: Masker, side: Side | None) -> Side | None:
    return None if side is None else Side(side.mode, masker.data(side.contents))


def quoted(path: bytes) -> str:
    """A path as git writes it in a patch: in quotes, with escapes, where it couldn't stand bare."""
    try:
        text = path.decode()
    except UnicodeDecodeError:
        return '"' + "".join(_escaped(byte, keep_high=False) for byte in path) + '"'
    # Git can't find the end of a bare name in a header when a folder's ends in a space.
    bare = b" /" not in path and not any(byte < 32 or byte in (34, 92, 127) for byte in path)
    if bare:
        return text
    return (
        '"' + "".join(c if ord(c) > 127 else _escaped(ord(c), keep_high=True) for c in text) + '"'
    )


def _escaped(byte: int, *, keep_high: bool) -> str:
    if byte in _ESCAPES:
        return _ESCAPES[byte]
    if byte < 32 or byte == 127 or (byte > 127 and not keep_high):
        return f"\\{byte:03o}"
    return chr(byte)


def _ended(name: str) -> str:
    # Without the tab git would cut a name with a space at what may look like a time stamp.
    return name + "\t" if " " in name and not name.startswith('"') else name


def _is_link(side: Side) -> bool:
    return side.mode == "120000"


def _is_text(contents: bytes) -> bool:
    if b"\0" in contents:
        return False
    try:
        contents.decode()
    except UnicodeDecodeError:
        return False
    return True


def _modes(old: Side | None, new: Side | None) -> Iterator[str]:
    if old is None and new is not None:
        yield f"new file mode {new.mode}\n"
    elif new is None and old is not None:
        yield f"deleted file mode {old.mode}\n"
    elif old is not None and new is not None and old.mode != new.mode:
        yield f"old mode {old.mode}\n"
        yield f"new mode {new.mode}\n"


def _object(side: Side | None) -> str:
    """The name git gives the contents."""
    if side is None:
        return _NO_OBJECT
    head = b"blob %d\0" % len(side.contents)
    return hashlib.sha1(head + side.contents, usedforsecurity=False).hexdigest()


# ── text ─────────────────────────────────────────────────────────────────────────────────────


def _hunks(old: bytes, new: bytes) -> Iterator[str]:
    old_lines, new_lines = _lines(old), _lines(new)
    for group in _grouped(changed_blocks(old_lines, new_lines)):
        yield from _hunk(old_lines, new_lines, group)


def _lines(contents: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in contents.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _grouped(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Blocks so near each other that their context touches share a hunk."""
    group: list[Block] = []
    for block in blocks:
        if group and block[0] - group[-1][1] > 2 * _CONTEXT:
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _hunk(old: list[bytes], new: list[bytes], group: list[Block]) -> Iterator[str]:
    lead = min(_CONTEXT, group[0][0])
    first_old, first_new = group[0][0] - lead, group[0][2] - lead
    trail = min(_CONTEXT, len(old) - group[-1][1])
    last_old, last_new = group[-1][1] + trail, group[-1][3] + trail
    yield f"@@ -{_range(first_old, last_old)} +{_range(first_new, last_new)} @@\n"
    at = first_old
    for a, b, c, d in group:
        yield from _marked(" ", old[at:a])
        yield from _marked("-", old[a:b])
        yield from _marked("+", new[c:d])
        at = b
    yield from _marked(" ", old[at:last_old])


def _range(start: int, end: int) -> str:
    count = end - start
    first = start + 1 if count else start
    return str(first) if count == 1 else f"{first},{count}"


def _marked(mark: str, lines: list[bytes]) -> Iterator[str]:
    for line in lines:
        text = line.decode()
        yield (
            mark + text if text.endswith("\n") else f"{mark}{text}\n\\ No newline at end of file\n"
        )


# ── binary ───────────────────────────────────────────────────────────────────────────────────


def _binary(old: bytes, new: bytes) -> Iterator[str]:
    """The new contents, and the old ones so that the patch can be taken back."""
    yield "GIT binary patch\n"
    yield from _literal(new)
    yield from _literal(old)


def _literal(contents: bytes) -> Iterator[str]:
    yield f"literal {len(contents)}\n"
    packed = zlib.compress(contents)
    for start in range(0, len(packed), 52):
        piece = packed[start : start + 52]
        size = chr(64 + len(piece)) if len(piece) <= 26 else chr(70 + len(piece))
        yield f"{size}{base64.b85encode(piece, pad=True).decode()}\n"
    yield "\n"
