"""Which line of a person's file made a call, for what turns out to be wrong only later."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import FrameType

Place = tuple[str, int]
"""A file as its code names it, and a line from 1."""

_BETWEEN = (
    str(Path(__file__).parent.parent) + os.sep,
    os.path.join(os.path.dirname(os.__file__), "asyncio") + os.sep,
)
"""Whose frames lie between that line and us: the SDK's, and those of asyncio's own functions."""


def caller() -> Place | None:
    """The innermost line that is neither the SDK's nor asyncio's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_BETWEEN):
        frame = frame.f_back
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)
