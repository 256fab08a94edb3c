"""What a runner writes outside its messages: passed on line by line, the tail kept for errors."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from reeval.launcher.lines import Lines
from reeval.protocol.cuts import CUT

_TAIL = 64 * 1024
_LINE = 64 * 1024


class Stderr:
    """`on_line` gets each line as text; a line above 64 KiB comes in pieces, cut marks between."""

    __slots__ = ("_broken", "_kept", "_lines", "_on_line", "_tail", "_total")

    def __init__(self, on_line: Callable[[str], None]) -> None:
        self._on_line = on_line
        self._lines = Lines()
        self._broken = False  # whether the first of the line went out before
        self._tail: deque[bytes] = deque()
        self._kept = 0
        self._total = 0

    def feed(self, chunk: bytes) -> None:
        self._keep(chunk)
        for line in self._lines.feed(chunk):
            self._pass_on(line)
        if self._lines.held > _LINE:
            self._pass_on(self._lines.rest(), ends=False)

    def end(self) -> None:
        """Passes on a line that has no newline."""
        if rest := self._lines.rest():
            self._pass_on(rest)

    @property
    def tail(self) -> str:
        """The last 64 KiB, without trailing blanks."""
        mark = CUT if self._total > _TAIL else ""
        return mark + _text(b"".join(self._tail)[-_TAIL:]).rstrip()

    def _pass_on(self, line: bytes, *, ends: bool = True) -> None:
        before, after = CUT if self._broken else "", "" if ends else CUT
        self._on_line(f"{before}{_text(line)}{after}")
        self._broken = not ends

    def _keep(self, chunk: bytes) -> None:
        self._tail.append(chunk)
        self._kept += len(chunk)
        self._total += len(chunk)
        while self._kept - len(self._tail[0]) >= _TAIL:
            self._kept -= len(self._tail.popleft())


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").removesuffix("\r")
