"""The runner process: how it is started, what it refuses, what it says first."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reeval.protocol import messages as m
from reeval.version import VERSION

ROOT = Path(__file__).resolve().parents[2]


def run(**environ: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith("REEVAL_")}
    return subprocess.run(
        [sys.executable, str(ROOT / "reeval" / "runner" / "__main__.py")],
        env={**env, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_says_first_what_it_speaks(engine: Any) -> None:
    assert engine.hello == m.Hello(3, "python", VERSION, platform.python_version())


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({}, "This is reeval's runner, which reeval starts itself: run evals with `reeval run`."),
        (
            {"REEVAL_RUNNER": "stdio", "REEVAL_RUNNER_PROTOCOL": "4"},
            f"This runner (reeval {VERSION}) speaks runner protocol 3, but the reeval that started "
            "it speaks protocol 4: use the runner of that reeval.",
        ),
        (
            {"REEVAL_RUNNER": "stdio"},
            f"This runner (reeval {VERSION}) speaks runner protocol 3, but the reeval that started "
            "it speaks an older one: use the runner of that reeval.",
        ),
    ],
)
def test_it_refuses_who_doesn_t_speak_its_protocol(environ: dict[str, str], said: str) -> None:
    ran = run(**environ)
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", f"{said}\n")


@pytest.mark.parametrize("module", ["reeval.runner", "reeval_python"])
def test_it_starts_as_a_module_too(tmp_path: Path, module: str, engine: Any) -> None:
    argv = [sys.executable, "-m", module]
    other = type(engine)(tmp_path, argv, PYTHONPATH=str(ROOT))
    ended = other.run(
        "from reeval_python import evaluate\nevaluate('x', lambda c: print(c.send('go').text))\n"
    )
    assert ended.logs == [("stdout", "hi")]
    assert other.close() == 0


def test_a_line_that_isn_t_a_message_is_shown_and_skipped(engine: Any) -> None:
    engine.process.stdin.write(b"not json\n")
    engine.collect("")
    engine.close()
    assert engine.stderr.startswith(b"reeval's runner: not a JSON line: b'not json\\n'")


def test_a_process_a_body_spawns_doesn_t_become_a_runner(engine: Any) -> None:
    ended = engine.run(
        """
        import multiprocessing, os
        from reeval import evaluate

        @evaluate("x")
        def body(c):
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.apply(os.path.basename, ("a/b",)))
        """
    )
    assert ended.error is None, ended.error
    assert ended.logs == [("stdout", "b")]
