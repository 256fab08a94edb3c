"""Whether an agent ran a command, or only mentioned it."""

from __future__ import annotations

import pytest

from reeval.grading.command_match import runs

RAN = [
    ("npm test", "npm test"),
    ("npm test", "cd app && CI=1 npm test -- --watch=false | tee log"),
    ("npm te", "pnpm test"),
    ("pytest", "python3 -m pytest -q"),
    ("pytest", "uv run ./bin/pytest"),
    ("-m pytest", "python3 -m pytest"),
    ("git commit -m 'fix it'", 'git commit -m "fix it"'),
    ("git commit -m", 'git commit -m "fix it"'),
    ("'fix it'", 'git commit -m "please fix it now"'),
    ("cd app && npm test", "cd app; ls; npm test"),
    ("cat x | grep y", "bash -lc 'cat x | grep y > out'"),
    ("npm test", "x=$(npm test)"),
]


@pytest.mark.parametrize(("wanted", "command"), RAN)
def test_it_ran(wanted, command):
    assert runs(wanted, command)


NOT_RAN = [
    ("npm test", 'echo "npm test"'),
    ("npm test", "git commit -m 'run npm test'"),
    ("npm", "echo 'run npm now'"),
    ("npm test", "ls # npm test"),
    ("npm test", "cat <<EOF\nnpm test\nEOF"),
    ("npm test", "npm run test"),
    ("npm test", "npm; test"),
    ("npm test && cd app", "cd app && npm test"),
    ("npm test", ""),
    ("", "npm test"),
]


@pytest.mark.parametrize(("wanted", "command"), NOT_RAN)
def test_it_did_not_run(wanted, command):
    assert not runs(wanted, command)
