"""Loading an eval file: what it may use, and what is said when it doesn't load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reeval.protocol import messages as m

FAILS: dict[str, tuple[str, str, str]] = {
    "a syntax error": ("def x(:\n", "SyntaxError", "invalid syntax (x.eval.py, line 1)"),
    "a missing module": (
        "import not_there\n",
        "ModuleNotFoundError",
        "No module named 'not_there'",
    ),
    "sys.exit": (
        "import sys; sys.exit(3)\n",
        "SystemExit",
        "the file called sys.exit(3) while it was loaded",
    ),
    "a failed assert": ("assert 1 == 2, 'no'\n", "AssertionError", "no: assert 1 == 2"),
    "an error in a group": (
        "from reeval import group\ndef declare():\n    raise ValueError('boom')\n"
        "group('g', declare)\n",
        "ValueError",
        "boom",
    ),
    "one name twice": (
        "from reeval import evaluate\n@evaluate('x')\ndef a(c): ...\n@evaluate('x')\n"
        "def b(c): ...\n",
        "ValueError",
        "evaluate('x') is declared twice in this file. Each eval needs its own name, or its "
        "attempts are merged into one eval.",
    ),
    "an option that isn't JSON": (
        "from reeval import evaluate\nevaluate('x', {'judge': {'provider_options': {'a': {1}}}}, "
        "lambda c: None)\n",
        "TypeError",
        "Object of type set is not JSON serializable",
    ),
}


@pytest.mark.parametrize("what", FAILS)
def test_a_file_that_doesn_t_load_says_why(engine: Any, what: str) -> None:
    source, name, message = FAILS[what]
    failed = engine.collect(source)
    assert isinstance(failed, m.LoadError)
    assert (failed.error.name, failed.error.message) == (name, message)
    assert engine.close() == 0


def test_a_load_error_s_stack_shows_the_file_s_own_lines(engine: Any) -> None:
    failed = engine.collect("def boom():\n    raise ValueError('x')\nboom()\n")
    lines = [line for line in failed.error.stack.splitlines() if line.strip("~^ ")]
    assert lines[1:] == [
        f'  File "{engine._root}/evals/x.eval.py", line 3, in <module>',
        "    boom()",
        f'  File "{engine._root}/evals/x.eval.py", line 2, in boom',
        "    raise ValueError('x')",
        "ValueError: x",
    ]


def test_a_missing_file_is_a_load_error(engine: Any) -> None:
    engine.send(m.Collect("evals/none.eval.py"))
    failed = engine.receive()
    assert failed.error.name == "FileNotFoundError"


def test_a_body_that_isn_t_collected_is_refused(engine: Any) -> None:
    engine.collect("")
    engine.start("b9")
    assert engine.follow().error == m.WireError(
        "RunnerError", "evals/x.eval.py has no body 'b9': collect the file first"
    )


def test_an_eval_file_imports_the_project_s_modules(engine: Any) -> None:
    (engine._root / "shared.py").write_text("VALUE = 3\n")
    (engine._root / "output.py").write_text("VALUE = 4\n")  # a name that the runner has too
    ended = engine.run(
        "import output, shared\nfrom reeval import evaluate\n"
        "evaluate('x', lambda c: print(shared.VALUE, output.VALUE, __name__))\n"
    )
    assert ended.logs == [("stdout", "3 4 reeval_eval")]


def test_dataclasses_pickles_and_tracebacks_work_in_an_eval_file(engine: Any) -> None:
    ended = engine.run(
        """
        from __future__ import annotations
        import dataclasses, pickle
        from typing import ClassVar
        from reeval_python import evaluate

        @dataclasses.dataclass
        class Case:
            total: ClassVar[int] = 0
            n: int

        @evaluate("x")
        def body(c):
            print(pickle.loads(pickle.dumps(Case(1))), Case.__module__, __file__[-9:])
        """
    )
    assert ended.error is None, ended.error
    assert ended.logs == [("stdout", "Case(n=1) reeval_eval x.eval.py")]


def test_a_file_in_another_encoding_loads(engine: Any) -> None:
    path: Path = engine._root / "evals" / "x.eval.py"
    path.parent.mkdir()
    path.write_bytes("# coding: latin-1\r\nassert 'é' == '\\xe9'\r\n".encode("latin-1"))
    engine.send(m.Collect("evals/x.eval.py"))
    assert engine.receive() == m.Declared("evals/x.eval.py", ())


def test_collecting_again_replaces_what_was_declared(engine: Any) -> None:
    engine.collect("from reeval import evaluate\nevaluate('a', lambda c: print('a'))\n")
    again = engine.collect("from reeval import evaluate\nevaluate('b', lambda c: print('b'))\n")
    assert [node["name"] for node in again.children] == ["b"]
    engine.start()
    assert engine.follow().logs == [("stdout", "b")]
