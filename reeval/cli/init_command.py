"""`reeval init`: a small project that runs at once, without a model, a key or Docker."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from reeval.config.errors import UsageError

EPILOG = """\b
Examples:
  reeval init         in this folder
  reeval init demo    in the folder demo, which is made where it is missing"""

CONFIG = "reeval.toml"
EVAL = "evals/hello.eval.py"
SCHEMA = "evals/reeval.schema.json"
IGNORED = (".reeval/", ".env")
"""What git must not see: runs with their artifacts, and the keys."""

CONFIG_TEXT = f"""\
#:schema ./{SCHEMA}
# An editor completes and checks this file by its schema; `reeval config schema` prints it anew.

harness = "canned"   # which agents run the evals, by the names below

[harnesses.canned]
kind  = "fake"       # it does what is written here: no model, no key, no Docker
files = {{ "hello.py" = "print('hello')\\n" }}
text  = "I wrote hello.py."
"""

EVAL_TEXT = '''\
"""Does the agent write a program that runs?"""

from reeval import SyncAttemptContext, evaluate, expect


@evaluate("writes a hello program")
def writes_hello(c: SyncAttemptContext) -> None:
    turn = c.send("Write hello.py, a program that prints hello.")

    expect(turn).to_have_file("hello.py", "print")
    assert c.exec("python3 hello.py").stdout == "hello\\n"
'''


@click.command("init", epilog=EPILOG)
@click.argument("folder", default=".", type=click.Path(path_type=Path, file_okay=False))
def command(folder: Path) -> int:
    """Write a small project that runs. What is there already is never overwritten."""
    from reeval.cli.output import stdout

    _refuse_existing(folder)
    try:
        _write_all(folder, {CONFIG: CONFIG_TEXT, EVAL: EVAL_TEXT, SCHEMA: schema_text()})
        added = _ignore(folder / ".gitignore", IGNORED)
    except OSError as error:
        raise UsageError(
            f"the project can't be written ({error.strerror}): choose a folder you can write",
            file=error.filename or folder,
        ) from None
    wrote = [f"wrote {folder / name}" for name in (CONFIG, EVAL, SCHEMA)]
    if added:
        wrote.append(f"added {' and '.join(added)} to {folder / '.gitignore'}")
    stdout().lines([*wrote, "", "Run it:", *_next(folder)])
    return 0


def _refuse_existing(folder: Path) -> None:
    for name in (CONFIG, EVAL, SCHEMA):
        if os.path.lexists(folder / name):
            raise UsageError(
                "it is there already, and init overwrites nothing: `reeval run` runs the project "
                "that is here, `reeval init FOLDER` makes another",
                file=folder / name,
            )
    if folder.is_dir():
        _refuse_table(folder)


def _refuse_table(folder: Path) -> None:
    """A `reeval.toml` beside a `[tool.reeval]` would hide it."""
    from reeval.config.load import load_settings

    file = load_settings(folder, {}).file
    if file is not None and file.parent == folder.resolve():
        raise UsageError(
            "it has [tool.reeval], so the project is there already: `reeval run` runs it", file=file
        )


def schema_text() -> str:
    """The JSON Schema of the config, as `init` writes it and `config schema` prints it."""
    from reeval.config.schema import config_schema
    from reeval.report.text import safe_json

    return safe_json(config_schema(), indent=1) + "\n"


def _write_all(folder: Path, files: Mapping[str, str]) -> None:
    """All of the files or none."""
    written: list[Path] = []
    try:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                written.append(path)
                file.write(text)
    except OSError:
        for path in written:
            path.unlink(missing_ok=True)
        raise


def _ignore(file: Path, wanted: Iterable[str]) -> list[str]:
    """Adds the lines that `.gitignore` lacks, and returns them."""
    text = file.read_text(encoding="utf-8", errors="surrogateescape") if file.exists() else ""
    present = {line.strip().strip("/") for line in text.splitlines()}
    added = [line for line in wanted if line.strip("/") not in present]
    if added:
        start = "" if not text or text.endswith("\n") else "\n"
        with file.open("a", encoding="utf-8") as out:
            out.write(start + "".join(f"{line}\n" for line in added))
    return added


def _next(folder: Path) -> list[str]:
    """The command that runs the project, given as this one was."""
    program = sys.argv[0]
    elsewhere = folder.resolve() != Path.cwd()
    if program.endswith(".pyz"):
        run = f"python3 {shlex.quote(os.path.relpath(program, folder))} run"
    else:
        run = "reeval run"
    return [f"  cd {shlex.quote(str(folder))}"] * elsewhere + [f"  {run}"]
