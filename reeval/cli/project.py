"""The project that a command was started in."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reeval.config.model import Settings


def settings_here() -> Settings:
    """The settings of the project the current folder lies in. Raises `UsageError`."""
    from reeval.config.load import load_settings

    return load_settings(Path.cwd(), os.environ)


def as_typed(path: Path) -> Path:
    """A path as a person in the current folder would type it."""
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path
