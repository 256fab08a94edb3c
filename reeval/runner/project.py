"""Where in the project something was written: its files as a person names them."""

from __future__ import annotations

import os
import traceback
from dataclasses import dataclass
from pathlib import Path

from reeval.authoring.callers import Place

_SDK = str(Path(__file__).parent.parent) + os.sep


@dataclass(frozen=True, slots=True)
class Project:
    root: Path

    def shown(self, place: Place) -> str:
        """A place such as `evals/greet.eval.py:7`; in full when it is outside the project."""
        file, line = place
        return f"{self.relative(file) or file}:{line}"

    def relative(self, file: str) -> str | None:
        """A file by its path in the project; None for any other, an installed package's too."""
        path = Path(file)
        if file.startswith(_SDK) or not path.is_relative_to(self.root):
            return None
        inside = path.relative_to(self.root)
        return None if "site-packages" in inside.parts else inside.as_posix()

    def place_of(self, error: BaseException) -> Place | None:
        """The innermost line of the project that raised it, or that Python can't read."""
        frames = traceback.extract_tb(error.__traceback__)
        places = [(frame.filename, frame.lineno) for frame in frames]
        if isinstance(error, SyntaxError):
            places.append((error.filename or "", error.lineno))
        for file, line in reversed(places):
            if line is not None and self.relative(file) is not None:
                return file, line
        return None
