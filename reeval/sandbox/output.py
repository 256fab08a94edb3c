"""What a command printed, kept up to a limit: head and tail, with what lay between counted."""

from __future__ import annotations

from reeval.protocol.cuts import CUT


class CappedOutput:
    """Collects one stream. At most `limit` bytes (and as many again in passing) are held."""

    __slots__ = ("_head", "_head_limit", "_tail", "_tail_limit", "total")

    def __init__(self, limit: int) -> None:
        self._head_limit = (limit + 1) // 2
        self._tail_limit = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add(self, chunk: bytes) -> None:
        self.total += len(chunk)
        room = self._head_limit - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if not chunk:
            return
        self._tail += chunk
        # Trimmed only at twice the limit, so that every byte is moved once on average.
        if len(self._tail) > 2 * self._tail_limit:
            del self._tail[: len(self._tail) - self._tail_limit]

    def all_bytes(self) -> bytes:
        """Everything, where the limit wasn't reached."""
        return bytes(self._head + self._tail)

    def text(self) -> str:
        """What was kept, invalid UTF-8 replaced; a gap is said where it is, with its size."""
        if self.total <= self._head_limit + self._tail_limit:
            return (self._head + self._tail).decode("utf-8", "replace")
        head = _without_cut_end(self._head)
        tail = _without_cut_start(self._tail[max(0, len(self._tail) - self._tail_limit) :])
        left_out = self.total - len(head) - len(tail)
        return (
            f"{head.decode('utf-8', 'replace')}\n"
            f"{CUT} {left_out} bytes left out {CUT}\n"
            f"{tail.decode('utf-8', 'replace')}"
        )


def _without_cut_end(data: bytearray) -> bytearray:
    """`data` without a character whose last bytes were cut off."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        length = (
            2 if byte >> 5 == 0b110 else 3 if byte >> 4 == 0b1110 else 4 if byte >> 3 == 30 else 1
        )
        return data[:-back] if length > back else data
    return data


def _without_cut_start(data: bytearray) -> bytearray:
    """`data` without the last bytes of a character whose first ones were cut off."""
    start = 0
    while start < min(3, len(data)) and data[start] & 0xC0 == 0x80:
        start += 1
    return data[start:]
