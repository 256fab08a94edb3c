"""Why an eval file didn't load: what was wrong, on which line, and what to write instead."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from reeval.authoring.errors import ReevalCallError
from reeval.authoring.shown import error_text
from reeval.protocol.messages import WireError
from reeval.runner.meant import meant
from reeval.runner.project import Project
from reeval.runner.traces import stack_of

_FOLDERS = 2_000
"""How many of the project's folders are searched for a module that wasn't found."""


def load_error(error: BaseException, file: str, project: Project) -> WireError:
    """For the engine to show. `file` is the eval file's path in the project."""
    first, *rest = _said(error).split("\n")
    place = project.place_of(error)
    if place is not None:
        first = f"{first} ({project.shown(place)})".lstrip()
    first += meant(error) or _importable(error, file, project)
    name = error.name if isinstance(error, ReevalCallError) else type(error).__name__
    return WireError(name, "\n".join([first, *rest]), stack_of(error))


def _said(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"the file called sys.exit({error.code!r}) while it was loaded"
    if isinstance(error, SyntaxError):
        return error.msg  # without the place, which its text has too
    return error_text(error)


# ── a module that wasn't found ───────────────────────────────────────────────────────────────


def _importable(error: BaseException, file: str, project: Project) -> str:
    """How to import the module of that name which the project has."""
    if not isinstance(error, ImportError):
        return ""
    if "attempted relative import" in str(error):
        module = ".".join((*Path(file).parent.parts, "<module>"))
        return f": an eval file is in no package, so write `from {module} import …`"
    if not isinstance(error, ModuleNotFoundError) or not error.name or "." in error.name:
        return ""
    beside = project.root / Path(file).parent
    for folder in (beside, *islice(_folders(project.root), _FOLDERS)):
        for found in (folder / f"{error.name}.py", folder / error.name / "__init__.py"):
            if found.is_file():
                return _how_to_import(found.relative_to(project.root))
    return ""


def _how_to_import(found: Path) -> str:
    parts = (found.parent if found.name == "__init__.py" else found.with_suffix("")).parts
    shown = found.as_posix()
    if all(part.isidentifier() for part in parts):
        return f": {shown} is importable as `from {'.'.join(parts)} import …`"
    return f": {shown} is not importable, since a folder's name on the way to it is no Python name"


def _folders(root: Path) -> Iterator[Path]:
    for folder, inside, files in os.walk(root):
        if "pyvenv.cfg" in files:
            inside.clear()
            continue
        inside[:] = sorted(d for d in inside if d[0] not in "._" and d != "node_modules")
        yield Path(folder)
