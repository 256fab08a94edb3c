"""A record read from the disk eval by eval and attempt by attempt, for reports on runs of any size.

`fold` puts each eval and each attempt on a line of its own; only where the lines are is kept.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast, overload

from reeval.record.places import EVALS
from reeval.record.reader import RunPath, load, read_head, readable
from reeval.record.schema import AttemptRecord, EvalEntry, RunRecord

T = TypeVar("T")

_EVAL = b'{"id":'
_ATTEMPT = b'{"key":'
_OPEN = b'"attempts":['
_decode = json.JSONDecoder().raw_decode


def stored(run: RunPath) -> RunRecord:
    """The same as `load`, but evals and attempts are read when they are asked for, each time.

    They are sequences, which hold nothing that was read. A record that isn't laid out in lines,
    such as one a person formatted, is loaded whole. Raises UsageError when it can't be read, as a
    look at the sequences does.
    """
    if run.journal:
        return load(run)
    evals = _find_evals(run.path)
    if evals is None:
        return load(run)
    record = cast(dict[str, Any], read_head(run))
    record["evals"] = _Evals(run.path, evals)
    return cast(RunRecord, record)


@dataclass(slots=True)
class _Lines:
    """Where an eval's line starts, and each of its attempts'."""

    start: int
    attempts: array[int] = field(default_factory=lambda: array("Q"))


def _find_evals(path: Path) -> list[_Lines] | None:
    evals: list[_Lines] = []
    with readable(path) as file:
        start = 0
        for line in file:
            if line.startswith(_EVAL):
                evals.append(_Lines(start))
            elif line.startswith(_ATTEMPT) and evals:
                evals[-1].attempts.append(start)
            elif start != 0 and line.strip() not in (EVALS.strip(), b"]}"):
                return None
            start += len(line)
    return evals


class _Lazy(Sequence[T], ABC):
    """Items that are lines of a file, parsed on each access. One that can't be is a UsageError."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @abstractmethod
    def _item(self, file: BinaryIO, index: int) -> T: ...

    def __iter__(self) -> Iterator[T]:
        with readable(self._path) as file:
            for index in range(len(self)):
                yield self._item(file, index)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...

    def __getitem__(self, index: int | slice) -> T | list[T]:
        chosen = range(len(self))[index]
        with readable(self._path) as file:
            if isinstance(chosen, int):
                return self._item(file, chosen)
            return [self._item(file, one) for one in chosen]


class _Evals(_Lazy[EvalEntry]):
    def __init__(self, path: Path, evals: list[_Lines]) -> None:
        super().__init__(path)
        self._lines = evals

    def __len__(self) -> int:
        return len(self._lines)

    def _item(self, file: BinaryIO, index: int) -> EvalEntry:
        lines = self._lines[index]
        file.seek(lines.start)
        opening = file.readline()
        entry = json.loads(opening[: opening.rindex(_OPEN) + len(_OPEN)] + b"]}")
        entry["attempts"] = _Attempts(self._path, lines.attempts)
        return cast(EvalEntry, entry)


class _Attempts(_Lazy[AttemptRecord]):
    def __init__(self, path: Path, starts: array[int]) -> None:
        super().__init__(path)
        self._starts = starts

    def __len__(self) -> int:
        return len(self._starts)

    def _item(self, file: BinaryIO, index: int) -> AttemptRecord:
        file.seek(self._starts[index])
        value, _ = _decode(file.readline().decode())
        return cast(AttemptRecord, value)
