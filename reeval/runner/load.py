"""Loads one eval file: its module runs, and what it declares is collected."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

from reeval.authoring import asserts
from reeval.authoring.collector import Body, collecting
from reeval.authoring.places import eval_folder

_MODULE = "reeval_eval"


def load(path: Path) -> tuple[list[dict[str, Any]], dict[str, Body]]:
    """A file's declaration nodes, and its bodies by the names the nodes give them.

    Raises whatever the file raises.
    """
    token = eval_folder.set(path.parent.absolute())
    try:
        with collecting() as collector:
            _execute(path)
            return collector.finish(), collector.bodies
    finally:
        eval_folder.reset(token)


def _execute(path: Path) -> None:
    spec = importlib.util.spec_from_file_location(_MODULE, path)
    if spec is None:
        raise ImportError(f"can't load {path}")
    module = importlib.util.module_from_spec(spec)
    module.__dict__[asserts.HOOK] = asserts
    # Dataclasses and pickles look a class's module up here.
    sys.modules[_MODULE] = module
    code = asserts.compile_eval(importlib.util.decode_source(path.read_bytes()), str(path))
    exec(code, module.__dict__)  # noqa: S102 — running the user's file is the runner's work
