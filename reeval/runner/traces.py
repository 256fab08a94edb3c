"""An error's traceback as the engine shows it: the eval's own frames, without the SDK's."""

from __future__ import annotations

import traceback
from pathlib import Path

from reeval.protocol.cuts import cut

_ROOT = Path(__file__).parent.parent
_SDK = (str(_ROOT / "runner"), str(_ROOT / "authoring"))

LIMIT = 64 * 1024
"""Characters of a traceback that are passed on."""


def stack_of(error: BaseException) -> str:
    """The traceback as text, with its causes. Never raises."""
    try:
        trace = traceback.TracebackException.from_exception(error)
        _strip(trace)
        text = "".join(trace.format())
    except Exception:
        return f"{type(error).__name__} (its traceback can't be shown)\n"
    return text if len(text) <= LIMIT else cut(text, LIMIT) + "\n"


def _strip(trace: traceback.TracebackException | None) -> None:
    if trace is None:
        return
    trace.stack[:] = [f for f in trace.stack if not f.filename.startswith(_SDK)]
    _strip(trace.__cause__)
    _strip(trace.__context__)
    for inner in trace.exceptions or ():
        _strip(inner)
