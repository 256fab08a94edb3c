"""What a name that isn't there was meant to be, when it is one of the SDK's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import ModuleType

import reeval
from reeval.authoring.nearest import nearest

_MODULES = ("reeval", "reeval.aio", "reeval_python", "reeval_python.aio")


def meant(error: BaseException) -> str:
    """What to write instead, to follow the error's message; empty when nothing is near."""
    match error:
        case ModuleNotFoundError(name=str(name)):
            return _near(name, _MODULES)
        case ImportError(name="reeval" | "reeval_python"):
            wanted = re.match(r"cannot import name '(\w+)'", str(error))
            return _near(wanted[1], reeval.__all__) if wanted else ""
        case AttributeError(name=str(name)) if _is_ours(error.obj):
            return _near(name, _names_of(error.obj))
        case NameError(name=str(name)) if name in reeval.__all__:
            return f": add `from reeval import {name}`"
        case NameError(name=str(name)):
            return _near(name, reeval.__all__)
    return ""


def _near(name: str, known: Iterable[str]) -> str:
    found = nearest(name, known)
    return "" if found is None else f": did you mean {found!r}?"


def _is_ours(thing: object) -> bool:
    if isinstance(thing, ModuleType):
        return thing.__name__ in _MODULES
    # Those with a `__getattr__` say themselves what was meant.
    of = type(thing)
    return of.__module__.startswith("reeval.authoring") and not hasattr(of, "__getattr__")


def _names_of(thing: object) -> list[str]:
    names = reeval.__all__ if thing is reeval else dir(thing)
    return [name for name in names if not name.startswith("_")]
