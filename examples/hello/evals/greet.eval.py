"""An agent writes a module, then changes it in a second turn of the same session."""

from reeval import SyncAttemptContext, evaluate, expect, fake_harness, group

GREET = """\
def greet(name):
    return f"Hello, {name}!"
"""
TEST = """\
import unittest

from greet import greet


class Greets(unittest.TestCase):
    def test_by_name(self):
        self.assertEqual(greet("Ada"), "Hello, Ada!")
"""

# The canned agent: what it does in its first turn, and in its second.
writer = fake_harness(
    script=[
        [{"write": {"greet.py": GREET, "test_greet.py": TEST}}, {"reply": "I wrote greet.py."}],
        [
            {"exec": "sed -i.bak 's/(name)/(name=\"world\")/' greet.py && rm greet.py.bak"},
            {"reply": "The name is optional now."},
        ],
    ]
)


def module() -> None:
    @evaluate("creates a tested module", {"runs": 3, "tags": ["smoke"]})
    def creates(c: SyncAttemptContext) -> None:
        turn = c.send("Create greet.py with greet(name), and a unittest for it.")

        expect(turn).to_have_file("greet.py", "def greet")
        expect(turn).to_have_changed(["greet.py", "test_greet.py"])
        expect(c.exec("python3 -m unittest")).to_succeed()
        assert turn.status == "completed"

    @evaluate("adds a default name")
    def adds_default(c: SyncAttemptContext) -> None:
        c.send("Create greet.py with greet(name), and a unittest for it.")
        c.send("Make the name optional: without one, greet the world.")

        said = c.exec("""python3 -c 'from greet import greet; print(greet())'""")
        assert said.stdout == "Hello, world!\n"
        expect(c.exec("python3 -m unittest"), "the tests still pass").to_succeed()
        assert len(c.turns) == 2


group("greet module", {"harness": writer, "environment": "python-project"}, module)
