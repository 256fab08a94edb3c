"""Every example of the README and docs/, run as a reader would: each page is one project.

What a fence's first line says decides what happens to the block, top to bottom in a page:

- a language and a path (`python evals/a.eval.py`, `toml reeval.toml`): the file is written;
- `console`: each `$ command` is run, and must exit 0 (or N: `$ command  # exit N`) and print the
  lines under it. `…` is any text in a line, and alone any lines;
- `sh`: the commands are run; of `make`, whether it has the target is asked;
- `yaml` and `groovy`: the recipe's commands with reeval.pyz are run;
- `json`: it parses. `text`: a drawing, or a form with nothing to run.

Whatever a page leaves behind must run green in the end.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import tomli

from reeval.config.load import load_settings

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RECIPES = ("yaml", "groovy")

_FENCE = re.compile(r"^```([^\s`]*)[ \t]*([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CHANGES = (  # what differs from run to run, in the docs' output and in the real one
    (re.compile(r"\d{8}T\d{6}Z_\w+_[\w-]+"), "RUN"),
    (re.compile(r"\b\d+(?:\.\d+)?(?:ms|s|m)(?: \d+s)?\b"), "TIME"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?"), "WHEN"),
    (re.compile(r"\b\d\d:\d\d:\d\d\b"), "CLOCK"),
    (re.compile(r"\b\d+ at once"), "N at once"),
    (re.compile(r"[0-9a-f]{12}\b"), "HASH"),
    (re.compile(r"[ \t]+"), " "),
)


@dataclass(frozen=True, slots=True)
class Block:
    where: str
    language: str
    info: str
    text: str


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield Block(f"{page.name}:{line}", found[1], found[2].strip(), found[3])


class Reader:
    """Follows a page in a folder of its own, with `reeval` and `reeval.pyz` at hand."""

    def __init__(self, folder: Path) -> None:
        self.here = self.root = folder / "project"
        self._cwd = folder / "cwd"
        programs, home = folder / "bin", folder / "home"
        for made in (self.root, programs, home):
            made.mkdir()
        _program(programs / "reeval", '-m reeval "$@"')
        _program(programs / "python3", '"$@"')
        for place in ("reeval.pyz", "tools/reeval.pyz"):
            self.write(place, "from reeval.cli.main import main\n\nmain()\n")
        self.environ = {
            "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(home),
            "USER": "jane",
            "LANG": "C.UTF-8",
            "REEVAL_CACHE": str(folder / "cache"),
            "REEVAL_PYTHON": sys.executable,
        }

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """One command of a shell that keeps its folder."""
        script = f"{command}\nstatus=$?\npwd > '{self._cwd}'\nexit $status"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.here,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
            timeout=120,
        )
        self.here = Path(self._cwd.read_text().strip())
        return done

    def follow(self, block: Block) -> None:
        language = block.language
        if language in RECIPES:
            self._recipe(block)
        elif language in ("python", "toml") or block.info:
            self._write(block)
        elif language == "console":
            for command, code, expected in commands(block.text):
                done = self.run(command)
                assert done.returncode == code, f"{block.where}: {command}\n{done.stdout}"
                if expected:
                    said = normal(done.stdout)
                    assert matches(normal(expected), said), f"{block.where}\n{done.stdout}"
        elif language == "sh":
            for command in block.text.splitlines():
                self._step(block, command)
        elif language == "json":
            json.loads(block.text)
        else:
            assert language == "text", f"{block.where}: an example that no test runs"

    def _write(self, block: Block) -> None:
        assert re.fullmatch(r"[\w./-]+", block.info), f"{block.where}: it has no file's name"
        path = self.write(block.info, block.text)
        if block.language == "toml":
            tomli.loads(block.text)
            load_settings(path.parent, {})

    def _step(self, block: Block, command: str) -> None:
        make = re.match(r"make (\w+)", command)
        if make:
            done = subprocess.run(
                ["make", "-n", make[1]], cwd=ROOT, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            return
        done = self.run(command)
        assert done.returncode == 0, f"{block.where}: {command}\n{done.stdout}"

    def _recipe(self, block: Block) -> None:
        found = re.findall(r"python3 tools/reeval\.pyz [^\n'\"]*", block.text)
        assert found, f"{block.where}: a recipe without a command"
        for command in found:
            done = self.run(command)
            assert done.returncode == 0, f"{block.where}: {command}\n{done.stdout}"


def _program(path: Path, arguments: str) -> None:
    path.write_text(f"#!/bin/sh\nexec '{sys.executable}' {arguments}\n")
    path.chmod(0o755)


def commands(text: str) -> Iterator[tuple[str, int, str]]:
    """Each command of a console, the code it exits with, and what it prints."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        exits = re.search(r"  +# exit (\d+)$", command)
        yield command, int(exits[1]) if exits else 0, output.strip("\n")


def normal(text: str) -> str:
    for pattern, name in _CHANGES:
        text = pattern.sub(name, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def matches(expected: str, said: str) -> bool:
    lines = [
        r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line).replace("…", ".*") + r"\n"
        for line in expected.split("\n")
    ]
    return re.fullmatch("".join(lines), said + "\n") is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_does_what_it_shows(page: Path, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    found = list(blocks(page))
    for block in found:
        reader.follow(block)
    if any(reader.here.glob("evals/**/*.eval.py")):
        done = reader.run("reeval run --concurrency 4")
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_pages_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    gone = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert gone == []


@pytest.mark.parametrize(
    ("expected", "said", "same"),
    [
        ("a\n…\nd", "a\nb\nc\nd", True),
        ("a\n…\nd", "a\nd", True),
        ("a … c", "a b c", True),
        ("a", "a\nb", False),
        ("a\nb", "a", False),
        ("took 3s", "took 12ms", True),
        ("1 passed", "2 passed", False),
    ],
)
def test_the_comparison_itself(expected: str, said: str, same: bool) -> None:
    assert matches(normal(expected), normal(said)) is same


def test_the_example_that_the_demo_runs_is_green(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    for path in (ROOT / "examples/hello").rglob("*"):
        inside = path.relative_to(ROOT / "examples/hello")
        if path.suffix in (".py", ".toml") and not inside.parts[0].startswith("."):
            reader.write(inside.as_posix(), path.read_text(encoding="utf-8"))
    done = reader.run("reeval run")
    assert done.returncode == 0, done.stdout
    assert "attempts 7 passed" in normal(done.stdout)
    assert os.listdir(reader.root / ".reeval/runs")
