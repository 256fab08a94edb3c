"""What a body prints, as log messages of its attempt; anything else, to the real stderr."""

from __future__ import annotations

import codecs
import io
import os
import threading
from collections.abc import Callable
from typing import Any, Literal, TextIO

from reeval.authoring.link import current
from reeval.protocol.cuts import CUT

LINE_LIMIT = 64 * 1024
"""Characters of one line that are passed on; of the rest only the count is."""

Stream = Literal["stdout", "stderr"]


class Lines:
    """Text in pieces to whole lines, each cut at `LINE_LIMIT`, so its memory is bounded."""

    def __init__(self, emit: Callable[[str], None]) -> None:
        self._emit = emit
        self._lock = threading.Lock()
        self._parts: list[str] = []
        self._kept = 0
        self._left_out = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def write(self, text: str) -> None:
        with self._lock:
            start = 0
            while (end := text.find("\n", start)) >= 0:
                self._add(text, start, end)
                self._end_line()
                start = end + 1
            if start < len(text):
                self._add(text, start, len(text))

    def write_bytes(self, data: bytes) -> None:
        self.write(self._decoder.decode(data))

    def finish(self) -> None:
        """Passes on a last line that has no end."""
        with self._lock:
            if self._parts:
                self._end_line()

    def _add(self, text: str, start: int, end: int) -> None:
        take = min(end - start, LINE_LIMIT - self._kept)
        self._parts.append(text[start : start + take])
        self._kept += take
        self._left_out += end - start - take

    def _end_line(self) -> None:
        line = "".join(self._parts).removesuffix("\r")
        if self._left_out:
            line += f" {CUT} (line cut: {self._left_out:,} more characters)"
        self._parts.clear()
        self._kept = self._left_out = 0
        self._emit(line)


class Routed(io.TextIOBase):
    """`sys.stdout` or `sys.stderr` while the runner serves: each body's lines go to its attempt."""

    def __init__(self, stream: Stream, real_stderr: TextIO) -> None:
        self._stream: Stream = stream
        self._real = real_stderr
        self._buffer = _RoutedBytes(self)

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a plain attribute in the stubs
        return "utf-8"

    @property
    def errors(self) -> str:  # type: ignore[override]  # a plain attribute in the stubs
        return "backslashreplace"

    @property
    def buffer(self) -> io.RawIOBase:
        return self._buffer

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def fileno(self) -> int:
        """The real stderr's, so what a child process or a C extension writes is shown too."""
        return 2

    def write(self, text: str) -> int:
        lines = self._lines()
        if lines is not None:
            lines.write(text)
        else:
            self._real.write(text)
            if "\n" in text:
                self._real.flush()
        return len(text)

    def write_bytes(self, data: bytes) -> None:
        lines = self._lines()
        if lines is not None:
            lines.write_bytes(data)
        else:
            self._real.flush()
            os.write(2, data)

    def _lines(self) -> Lines | None:
        lines_of = getattr(current.get(), "lines_of", None)
        return None if lines_of is None else lines_of(self._stream)


class _RoutedBytes(io.RawIOBase):
    """`sys.stdout.buffer`."""

    def __init__(self, text: Routed) -> None:
        self._text = text

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        out = bytes(data)
        self._text.write_bytes(out)
        return len(out)
