"""Ignore patterns: a table of the rules, and git's own word on made-up ones."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reeval.plan.ignore import IgnoreRules, PatternList


@pytest.mark.parametrize(
    ("patterns", "path", "hidden"),
    [
        (["*.log"], "a.log", True),
        (["*.log"], "deep/er/a.log", True),
        (["*.log"], "a.log.txt", False),
        (["/a.log"], "a.log", True),
        (["/a.log"], "sub/a.log", False),
        (["sub/a.log"], "x/sub/a.log", False),
        (["build/"], "build/out", True),
        (["build/"], "x/build/out", True),
        (["build/"], "build", False),
        (["build"], "build", True),
        (["**/b"], "b", True),
        (["**/b"], "a/x/b", True),
        (["a/**"], "a/b/c", True),
        (["a/**"], "a", False),
        (["a/**/b"], "a/b", True),
        (["a/**/b"], "a/x/y/b", True),
        (["a/**/b"], "a/xb", False),
        (["a**/b"], "ax/b", True),
        (["a**/b"], "ax/y/b", False),
        (["a/*"], "a/b/c", True),
        (["a/?"], "a/bc", False),
        (["*.log", "!keep.log"], "keep.log", False),
        (["*.log", "!keep.log", "keep.log"], "keep.log", True),
        (["dir/", "!dir/keep"], "dir/keep", True),
        (["dir/*", "!dir/keep"], "dir/keep", False),
        (["\\!important"], "!important", True),
        (["\\#note"], "#note", True),
        (["#note"], "#note", False),
        (["trail "], "trail", True),
        (["trail\\ "], "trail ", True),
        (["[a-c]x"], "bx", True),
        (["[!a-c]x"], "bx", False),
        (["[^a-c]x"], "dx", True),
        (["[]]x"], "]x", True),
        (["[[:digit:]]x"], "7x", True),
        (["[[:nope:]]x"], "7x", False),
        (["[a"], "[a", False),
        (["a\\"], "a\\", False),
        (["a\\*"], "a*", True),
        (["a\\*"], "ab", False),
        (["a[/]b"], "a/b", False),
        ([""], "", False),
        (["src/**", "!**/*.lock"], "src/b.lock", False),
        (["src/**", "!**/*.lock"], "src/a.py", True),
    ],
)
def test_a_list_hides_what_its_patterns_say(patterns: list[str], path: str, hidden: bool) -> None:
    assert PatternList(patterns).matches(path) is hidden


def test_a_pattern_for_folders_matches_a_folder() -> None:
    assert PatternList(["build/"]).matches("build", is_dir=True)


def test_a_nearer_file_decides() -> None:
    rules = IgnoreRules({b"": b"*.log\n", b"sub": b"!*.log\n/only\n"})
    assert rules.ignored(b"a.log")
    assert not rules.ignored(b"sub/a.log")
    assert rules.ignored(b"sub/only")
    assert not rules.ignored(b"only")
    assert not rules.ignored(b"sub/deep/only")


def test_windows_line_ends_and_a_byte_order_mark_are_passed_over() -> None:
    rules = IgnoreRules({b"": b"\xef\xbb\xbfone\r\ntwo\r\n"})
    assert rules.ignored(b"one")
    assert rules.ignored(b"two")


def test_without_files_nothing_is_hidden() -> None:
    assert not IgnoreRules({}).ignored(b"anything")


# ── as git has it ────────────────────────────────────────────────────────────────────────────

_NAMES = st.text("ab.!# []\\*-\u00e9", min_size=1, max_size=4).filter(
    lambda n: n not in (".", "..")
)
_PATHS = st.lists(_NAMES, min_size=1, max_size=4).map("/".join)
_PIECES = st.sampled_from(
    [
        "a",
        "b",
        "é",
        ".",
        "-",
        " ",
        "/",
        "/",
        "*",
        "**",
        "***",
        "?",
        "!",
        "#",
        "\\",
        "\\*",
        "[",
        "]",
        "\\a",
        "\\ ",
        "[ab]",
        "[!a]",
        "[^b]",
        "[a-b]",
        "[]a]",
        "[\\]]",
        "[b-a]",
        "[a-]",
        "[--a]",
        "[a",
        "[[:alpha:]]",
        "[[:x:]]",
        "[[:alpha]",
        "[a-b-c]",
        "[\\a-b]",
    ]
)
_PATTERNS = st.lists(_PIECES, min_size=1, max_size=6).map("".join)
_FILES = st.lists(_PATTERNS, min_size=1, max_size=4).map("\n".join)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(root)], check=True, env=_env(root))
    (root / "a").mkdir()
    return root


def _env(root: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}


def hidden_by_git(root: Path, top: str, nested: str, paths: list[str]) -> set[str]:
    (root / ".gitignore").write_bytes(top.encode())
    (root / "a/.gitignore").write_bytes(nested.encode())
    done = subprocess.run(
        ["git", "check-ignore", "--no-index", "-z", "--stdin"],
        cwd=root,
        input="\0".join(paths).encode(),
        capture_output=True,
        env=_env(root),
    )
    assert done.returncode in (0, 1), done.stderr
    return set(done.stdout.decode().split("\0")) - {""}


@settings(max_examples=100, deadline=None)
@given(_FILES, _FILES, st.lists(_PATHS, min_size=5, max_size=25, unique=True))
def test_git_hides_the_same_paths(
    repository: Path, top: str, nested: str, paths: list[str]
) -> None:
    # `a` is a folder there, so git takes it for one.
    paths = [path for path in paths if path != "a"] + ["a/b", "a/a/b"]
    rules = IgnoreRules({b"": top.encode(), b"a": nested.encode()})
    ours = {path for path in paths if rules.ignored(path.encode())}
    assert ours == hidden_by_git(repository, top, nested, paths)
