"""Eval files are loaded in runners of their own, and a broken one costs only itself."""

from __future__ import annotations

import platform
from typing import Any


def test_evals_come_in_the_order_of_files_and_declarations(project: Any) -> None:
    project.write("evals/b.eval.py", "evaluate('z', BODY)\nevaluate('a', BODY)")
    project.write("evals/a.eval.py", "evaluate('x', BODY)")
    found = project.collect()
    assert [e.id for e in found.evals] == [
        "evals/a.eval.py › x",
        "evals/b.eval.py › z",
        "evals/b.eval.py › a",
    ]
    assert found.failures == ()
    assert found.language_version == platform.python_version()


def test_a_file_that_does_not_load_leaves_the_others(project: Any) -> None:
    project.write("evals/a.eval.py", "def broken(:")
    project.write("evals/b.eval.py", "import no_such_module_anywhere")
    project.write("evals/c.eval.py", "evaluate('x', BODY)\nevaluate('x', BODY)")
    project.write("evals/d.eval.py", "import os; os._exit(7)")
    project.write("evals/e.eval.py", "evaluate('fine', BODY)")
    found = project.collect()
    assert [e.name for e in found.evals] == ["fine"]
    a, b, c, d = found.failures
    assert (a.file, a.message) == (
        "evals/a.eval.py",
        "SyntaxError: invalid syntax (evals/a.eval.py:3)",
    )
    assert b.message == (
        "ModuleNotFoundError: No module named 'no_such_module_anywhere' (evals/b.eval.py:3)"
    )
    assert "b.eval.py" in b.detail
    assert "declared twice" in c.message
    assert d.message == "RunnerDied: loading it ended the process: exit 7"


def test_two_todos_of_one_name_are_a_mistake(project: Any) -> None:
    project.write("evals/a.eval.py", "todo('later')\ntodo('later')")
    (failure,) = project.collect().failures
    assert "declared twice" in failure.message


def test_what_files_print_as_they_load_is_passed_on(project: Any) -> None:
    project.write("evals/a.eval.py", "print('loading a')")
    project.collect()
    assert "loading a" in [line for _, line in project.printed]
