"""Loading an eval file: what it may use, and what is said when it doesn't load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reeval.protocol import messages as m

FAILS: dict[str, tuple[str, str, str]] = {
    "a syntax error": ("def x(:\n", "SyntaxError", "invalid syntax (evals/x.eval.py:1)"),
    "a missing module": (
        "import not_there\n",
        "ModuleNotFoundError",
        "No module named 'not_there' (evals/x.eval.py:1)",
    ),
    "sys.exit": (
        "import sys; sys.exit(3)\n",
        "SystemExit",
        "the file called sys.exit(3) while it was loaded (evals/x.eval.py:1)",
    ),
    "a failed assert": (
        "assert 1 == 2, 'no'\n",
        "AssertionError",
        "no: assert 1 == 2 (evals/x.eval.py:1)",
    ),
    "an error in a group": (
        "from reeval import group\ndef declare():\n    raise ValueError('boom')\n"
        "group('g', declare)\n",
        "ValueError",
        "boom (evals/x.eval.py:3)",
    ),
    "one name twice": (
        "from reeval import evaluate\n@evaluate('x')\ndef a(c): ...\n@evaluate('x')\n"
        "def b(c): ...\n",
        "ValueError",
        "evaluate('x') is declared twice in this file. Each eval needs its own name, or its "
        "attempts are merged into one eval. (evals/x.eval.py:4)",
    ),
    "an option that isn't JSON": (
        "from reeval import evaluate\nevaluate('x', {'judge': {'provider_options': {'a': {1}}}}, "
        "lambda c: None)\n",
        "TypeError",
        "evaluate('x'): provider_options takes JSON: Object of type set is not JSON serializable "
        "(evals/x.eval.py:2)",
    ),
    "a name nearly the SDK's": (
        "from reeval import evaluate\n\n@evaluat('x')\ndef body(c): ...\n",
        "NameError",
        "name 'evaluat' is not defined (evals/x.eval.py:3): did you mean 'evaluate'?",
    ),
    "a name the SDK has, not imported": (
        "evaluate('x')\n",
        "NameError",
        "name 'evaluate' is not defined (evals/x.eval.py:1): add `from reeval import evaluate`",
    ),
    "an attribute nearly the SDK's": (
        "import reeval\nreeval.evaluateEach([1], '%s')\n",
        "AttributeError",
        "module 'reeval' has no attribute 'evaluateEach' (evals/x.eval.py:2): did you mean "
        "'evaluate_each'?",
    ),
    "a part nearly the SDK's": (
        "from reeval import skill\nskill.locl('a')\n",
        "AttributeError",
        "'_Skills' object has no attribute 'locl' (evals/x.eval.py:2): did you mean 'local'?",
    ),
    "a module nearly the SDK's": (
        "from reeval_pyton import evaluate\n",
        "ModuleNotFoundError",
        "No module named 'reeval_pyton' (evals/x.eval.py:1): did you mean 'reeval_python'?",
    ),
    "an error without a message": ("raise ValueError\n", "ValueError", "(evals/x.eval.py:1)"),
    "a breakpoint": (
        "breakpoint()\n",
        "UsageError",
        "breakpoint() can't be used in an eval, since the runner's stdin is not a terminal: print "
        "what you want to see, or set PYTHONBREAKPOINT to a debugger that you reach in another way "
        "(evals/x.eval.py:1)",
    ),
}


@pytest.mark.parametrize("what", FAILS)
def test_a_file_that_doesn_t_load_says_why(engine: Any, what: str) -> None:
    source, name, message = FAILS[what]
    failed = engine.collect(source)
    assert isinstance(failed, m.LoadError)
    assert (failed.error.name, failed.error.message) == (name, message)
    assert engine.close() == 0


def test_an_import_of_a_name_nearly_the_sdk_s_says_which(engine: Any) -> None:
    failed = engine.collect("from reeval import evaluate, fake_harnes\n")
    assert failed.error.message.startswith("cannot import name 'fake_harnes' from 'reeval'")
    assert failed.error.message.endswith("(evals/x.eval.py:1): did you mean 'fake_harness'?")


def test_an_error_in_a_module_the_file_imports_names_that_module_s_line(engine: Any) -> None:
    (engine._root / "shared.py").write_text("import json\n\nVALUE = json.loads('{')\n")
    failed = engine.collect("import shared\n")
    assert failed.error.message.endswith("(shared.py:3)")
    (engine._root / "broken.py").write_text("x = 1\ndef y(:\n")
    failed = engine.collect("import broken\n")
    assert failed.error.message == "invalid syntax (broken.py:2)"


def test_an_error_in_an_installed_package_is_placed_where_the_project_used_it(engine: Any) -> None:
    package = engine._root / ".venv" / "lib" / "site-packages"
    package.mkdir(parents=True)
    (package / "installed.py").write_text("raise ValueError('inside')\n")
    failed = engine.collect(f"import sys\nsys.path.append({str(package)!r})\nimport installed\n")
    assert failed.error.message == "inside (evals/x.eval.py:3)"


@pytest.mark.parametrize(
    ("module", "how"),
    [
        ("evals/helper.py", "evals/helper.py is importable as `from evals.helper import …`"),
        ("src/lib/helper.py", "src/lib/helper.py is importable as `from src.lib.helper import …`"),
        ("lib/helper/__init__.py",
         "lib/helper/__init__.py is importable as `from lib.helper import …`"),
        ("my-lib/helper.py",
         "my-lib/helper.py is not importable, since a folder's name on the way to it is no Python "
         "name"),
    ],
)  # fmt: skip
def test_a_module_that_is_elsewhere_in_the_project_says_how_to_import_it(
    engine: Any, module: str, how: str
) -> None:
    path = engine._root / module
    path.parent.mkdir(parents=True)
    path.write_text("VALUE = 3\n")
    failed = engine.collect("from helper import VALUE\n")
    assert failed.error.message == f"No module named 'helper' (evals/x.eval.py:1): {how}"


def test_a_module_s_copy_in_an_environment_of_the_project_s_is_not_offered(engine: Any) -> None:
    for folder in ("node_modules/a", ".venv/lib", "env/lib"):
        (engine._root / folder).mkdir(parents=True)
        (engine._root / folder / "helper.py").touch()
    (engine._root / "env" / "pyvenv.cfg").touch()
    failed = engine.collect("import helper\n")
    assert failed.error.message == "No module named 'helper' (evals/x.eval.py:1)"


def test_a_relative_import_says_what_to_write(engine: Any) -> None:
    failed = engine.collect("from .helper import VALUE\n")
    assert failed.error.message == (
        "attempted relative import with no known parent package (evals/x.eval.py:1): an eval file "
        "is in no package, so write `from evals.<module> import …`"
    )


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
