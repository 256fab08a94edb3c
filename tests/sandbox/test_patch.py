"""Patches: git applies them, and takes them back, byte for byte."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile

import pytest
from hypothesis import given, settings
from trees import Tree, read, trees, write

from reeval.sandbox.patch import Side, file_patch, quoted


def patch_between(start: Tree, end: Tree) -> str:
    paths = sorted(start.keys() | end.keys())
    return "".join(
        file_patch(path, start.get(path), end.get(path))
        for path in paths
        if start.get(path) != end.get(path)
    )


def apply(root: str, patch: str, *options: str) -> None:
    done = subprocess.run(
        ["git", "apply", "--binary", "--whitespace=nowarn", *options],
        cwd=root,
        input=patch.encode(),
        capture_output=True,
        env={"PATH": os.environ["PATH"], "GIT_CEILING_DIRECTORIES": "/"},
    )
    assert done.returncode == 0, (done.stderr.decode(), patch)


def applied(start: Tree, patch: str, *options: str) -> Tree:
    with tempfile.TemporaryDirectory() as root:
        write(root, start)
        if patch:
            apply(root, patch, *options)
        return read(root)


@settings(max_examples=60, deadline=None)
@given(trees(), trees())
def test_applying_a_patch_to_the_start_gives_the_end(start: Tree, end: Tree) -> None:
    patch = patch_between(start, end)
    assert applied(start, patch) == end


@settings(max_examples=25, deadline=None)
@given(trees(), trees())
def test_a_patch_can_be_taken_back(start: Tree, end: Tree) -> None:
    patch = patch_between(start, end)
    assert applied(end, patch, "--reverse") == start


def repetitive(count: int, chance: random.Random) -> list[str]:
    return [f"line {chance.randrange(50)}\n" for _ in range(count)]


@pytest.mark.parametrize("count", [50, 3000, 60_000])
def test_edits_all_over_a_long_file_apply_and_stay_small(count: int) -> None:
    chance = random.Random(count)
    lines = repetitive(count, chance)
    edited = list(lines)
    for _ in range(20):
        at = chance.randrange(len(edited))
        edited[at : at + chance.randrange(3)] = ["new\n"] * chance.randrange(3)
    start = {b"f": Side("100644", "".join(lines).encode())}
    end = {b"f": Side("100644", "".join(edited).encode())}
    patch = patch_between(start, end)
    assert applied(start, patch) == end
    assert patch.count("\n") < 20 * 14


def test_a_rewrite_of_a_long_file_applies() -> None:
    start = {b"f": Side("100644", b"same\n" * 5000)}
    end = {b"f": Side("100644", b"same\nother\n" * 4000)}
    assert applied(start, patch_between(start, end)) == end


def test_a_small_edit_reads_as_git_writes_it() -> None:
    old = Side("100644", b"one\ntwo\nthree\n")
    new = Side("100644", b"one\n2\nthree")
    assert file_patch(b"dir/a file.txt", old, new) == (
        "diff --git a/dir/a file.txt b/dir/a file.txt\n"
        "index 4cb29ea..a623a0b 100644\n"
        "--- a/dir/a file.txt\t\n"
        "+++ b/dir/a file.txt\t\n"
        "@@ -1,3 +1,3 @@\n"
        " one\n"
        "-two\n"
        "-three\n"
        "+2\n"
        "+three\n"
        "\\ No newline at end of file\n"
    )


def test_a_patch_is_text_whatever_the_contents() -> None:
    patch = file_patch(b"latin\xe9", None, Side("100644", b"caf\xe9\n"))
    assert "GIT binary patch" in patch
    patch.encode("utf-8")


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (b"plain name", "plain name"),
        ("é".encode(), "é"),
        (b"a\nb\t\"\\", r'"a\nb\t\"\\"'),
        (b"\xe9\x01", r'"\351\001"'),
        ("é\n".encode(), '"é\\n"'),
    ],
)  # fmt: skip
def test_names_are_quoted_as_git_does(path: bytes, shown: str) -> None:
    assert quoted(path) == shown
