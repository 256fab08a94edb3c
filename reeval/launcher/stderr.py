"""What a runner writes outside its messages: passed on line by line, the tail kept for errors."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from reeval.launcher.lines import Lines

_TAIL = 64 * 1024
_LINE = 64 * 1024


class Stderr:
    """`on_line` gets each line as text; a line above 64 KiB comes in pieces."""

    __slots__ = ("_kept", "_lines", "_on_line", "_tail")

    def __init__(self, on_line: Callable[[str], None]) -> None:
        self._on_line = on_line
        self._lines = Lines()
        self._tail: deque[bytes] = deque()
        self._kept = 0

    def feed(self, chunk: bytes) -> None:
        self._keep(chunk)
        for line in self._lines.feed(chunk):
            self._on_line(_text(line))
        if self._lines.held > _LINE:
            self.end()

    def end(self) -> None:
        """Passes on a line that has no newline (yet)."""
        if rest := self._lines.rest():
            self._on_line(_text(rest))

    @property
    def tail(self) -> str:
        """The last 64 KiB, without trailing blanks."""
        return _text(b"".join(self._tail)[-_TAIL:]).rstrip()

    def _keep(self, chunk: bytes) -> None:
        self._tail.append(chunk)
        self._kept += len(chunk)
        while self._kept - len(self._tail[0]) >= _TAIL:
            self._kept -= len(self._tail.popleft())


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").removesuffix("\r")
