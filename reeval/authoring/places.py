"""Which eval file is being loaded, and what a relative host path is relative to."""

from __future__ import annotations

import os
import sys
from contextvars import ContextVar
from pathlib import Path

eval_folder: ContextVar[Path | None] = ContextVar("reeval_eval_folder", default=None)
"""The folder of the eval file that is being loaded."""

_SDK = Path(__file__).parent


def host_path(path: str | os.PathLike[str]) -> str:
    """A host path for the wire, where paths are relative to the eval file's folder.

    `path` is relative to the folder of the file it is written in. Written in the eval file itself
    it stays as it is; in a module the eval file imports it is told from the eval file's folder,
    so that the same project has the same options on every machine.
    """
    text = os.fspath(path)
    if not isinstance(text, str) or not text:
        raise TypeError(f"a path is text that isn't empty (got {path!r})")
    if os.path.isabs(text):
        return text
    written_in, loading = _calling_folder(), eval_folder.get()
    if written_in is None or written_in == loading:
        return text
    full = os.path.normpath(written_in / text)
    if loading is None:
        return full
    try:
        return os.path.relpath(full, loading)
    except ValueError:  # another drive
        return full


def _calling_folder() -> Path | None:
    """The folder of the first file up the stack that isn't the SDK's."""
    frame = sys._getframe(1)
    while frame is not None:
        file = Path(frame.f_code.co_filename)
        if file.parent != _SDK:
            return file.parent.absolute() if file.is_file() else None
        frame = frame.f_back  # type: ignore[assignment]  # the loop ends at None
    return None
