"""Splits what a pipe delivers into lines, in time that follows the bytes, however long a line."""

from __future__ import annotations


class Lines:
    """Feeds on chunks, gives whole lines without their newline.

    `held` is how many bytes of an unfinished line it keeps: who feeds it sets the limit.
    """

    __slots__ = ("_parts", "held")

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.held = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that `chunk` completes."""
        end = chunk.rfind(b"\n")
        if end < 0:
            self._hold(chunk)
            return []
        whole = chunk[:end]
        if self._parts:
            whole = self.rest() + whole
        if end + 1 < len(chunk):
            self._hold(chunk[end + 1 :])
        return whole.split(b"\n")

    def rest(self) -> bytes:
        """The unfinished line, given up."""
        rest = b"".join(self._parts)
        self._parts.clear()
        self.held = 0
        return rest

    def _hold(self, part: bytes) -> None:
        self._parts.append(part)
        self.held += len(part)
