"""What a stream can show, decided in one place, and the one way lines get onto it."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, TextIO

from reeval.config.ci import is_ci
from reeval.report.text import cut, safe_json, shown, width_of

Style = Literal["bold", "dim", "red", "green", "yellow", "cyan"]

_CODES: dict[Style, str] = {
    "bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36",
}  # fmt: skip
_RESET = "\x1b[0m"
_PAINTED = re.compile("\x1b\\[[0-9]+m")
_ASCII = str.maketrans(
    {
        "›": ">", "·": "-", "…": "...", "▶": ">", "≥": ">=", "→": "->", "–": "-", "│": "|",
        "×": "x", "█": "#", "−": "-",
    }
)  # fmt: skip
_SMALLEST = 20
"""Columns: below this a report is wider than the terminal rather than empty."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """What a stream can show. `width` is in cells, None where lines are never cut (a pipe).

    `live` says whether lines may be drawn again in place.
    """

    color: bool = False
    live: bool = False
    width: int | None = None
    height: int = 24

    @classmethod
    def of(cls, stream: TextIO, environ: Mapping[str, str]) -> Terminal:
        """Looks at the stream and at `NO_COLOR`, `TERM`, `COLUMNS` and what CI sets."""
        if not _isatty(stream):
            return cls()
        dumb = environ.get("TERM", "dumb") in ("", "dumb", "unknown")
        width, height = size(stream, environ)
        return cls(
            color=not dumb and not environ.get("NO_COLOR"),
            live=not dumb and not is_ci(environ),
            width=width,
            height=height,
        )

    def paint(self, text: str, *styles: Style) -> str:
        if not self.color or not styles or not text:
            return text
        codes = "".join(f"\x1b[{_CODES[style]}m" for style in styles)
        return f"{codes}{text}{_RESET}"

    def fit(self, line: str) -> str:
        """The line cut to the width. What is painted stays: only what follows it is cut."""
        if self.width is None:
            return line
        front, reset, tail = line.rpartition(_RESET)
        taken = width_of(_PAINTED.sub("", front))
        if taken > self.width:
            return cut(_PAINTED.sub("", line), self.width)
        return front + reset + cut(tail, self.width - taken)


def size(stream: TextIO, environ: Mapping[str, str]) -> tuple[int, int]:
    """Columns and lines of the terminal right now; 80 × 24 where it doesn't say."""
    columns = lines = 0
    with suppress(OSError, ValueError):
        columns, lines = os.get_terminal_size(stream.fileno())
    asked = environ.get("COLUMNS", "")
    if asked.isdecimal():
        columns = int(asked)
    return max(_SMALLEST, columns or 80), lines or 24


class Out:
    """Writes report lines. Every line passes the last guard of `reeval.report.text` here.

    A reader that went away ends the output quietly, as does a full disk behind it with a word on
    stderr; the run goes on. Threads may write at the same time; a line is never torn. `mask` hides
    the run's secrets in all that is written.
    """

    def __init__(
        self, stream: TextIO, terminal: Terminal, mask: Callable[[str], str] | None = None
    ) -> None:
        self.terminal = terminal
        self._mask = mask
        self.gone = False
        self.written = 0
        """Calls that wrote something, so that a heartbeat knows whether it is needed."""
        self._stream = stream
        self._lock = threading.Lock()
        encoding = (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "")
        self._unicode = encoding in ("utf8", "utf8sig", "utf16")
        self._encoding = getattr(stream, "encoding", None) or "utf-8"

    def lines(self, lines: Iterable[str]) -> None:
        """Writes the lines and flushes them."""
        safe = self.safe(lines)
        if safe:
            self.write("\n".join(safe) + "\n")

    def safe(self, lines: Iterable[str], *, styled: bool | None = None) -> list[str]:
        """The lines as they may be written. `styled`, else the terminal, says if colours stay."""
        styled = self.terminal.color if styled is None else styled
        mask = self._mask
        masked = lines if mask is None else map(mask, lines)
        return [part for line in masked for part in shown(line, styled=styled)]

    def json(self, value: Any) -> None:
        """Writes the value as a line of JSON, its texts masked, but not the names of its fields."""
        self.write(safe_json(value if self._mask is None else _masked(value, self._mask)) + "\n")

    def stream_lines(self, lines: Iterable[str], batch: int = 500) -> None:
        """Writes lines that are still being made, a batch at a time."""
        held: list[str] = []
        for line in lines:
            if self.gone:
                return
            held.append(line)
            if len(held) >= batch:
                self.lines(held)
                held.clear()
        self.lines(held)

    def raw(self, text: str) -> None:
        """Writes text that nothing can hide in, such as JSON. It is still masked."""
        self.write(text if self._mask is None else self._mask(text))

    def write(self, text: str) -> None:
        """Writes what is safe and masked already, such as what a drawing library made of it."""
        if not self._unicode:
            text = text.translate(_ASCII).encode(self._encoding, "replace").decode(self._encoding)
        with self._lock:
            if self.gone:
                return
            self.written += 1
            try:
                self._stream.write(text)
                self._stream.flush()
            except BrokenPipeError:
                self._leave()
            except OSError as error:
                self._leave()
                with suppress(OSError, ValueError):
                    sys.stderr.write(f"reeval: output stopped: {error.strerror or error}\n")

    def _leave(self) -> None:
        self.gone = True
        # What is still buffered must not raise again when the interpreter flushes it at its end.
        with suppress(OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self._stream.fileno())
            os.close(null)


def _masked(value: Any, mask: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key: _masked(item, mask) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(item, mask) for item in value]
    return value


def _isatty(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False
