"""Small file trees for tests: made up by hypothesis, written to disk, read back."""

from __future__ import annotations

import os
from collections.abc import Mapping

from hypothesis import strategies as st

from reeval.sandbox.patch import Side

Tree = Mapping[bytes, Side]

_NAMES = st.sampled_from(
    [
        b"a",
        b"b",
        b"c.txt",
        b"a.b",
        b"-dash",
        b"two words",
        b" lead",
        b"trailing ",
        b"x b",
        b"b a",
        b'quo"te',
        b"back\\slash",
        b"tab\there",
        b"new\nline",
        b"\xc3\xa9",
        b"latin\xe9",
        b"\x7f",
    ]
)
_PATHS = st.lists(_NAMES, min_size=1, max_size=3).map(b"/".join)
_LINES = st.lists(
    st.sampled_from(
        [
            b"",
            b"one",
            b"two",
            b"three",
            b" ",
            b"\t",
            b"cr\r",
            b"-",
            b"+",
            b"@@ -1 +1 @@",
            b"\\ No newline at end of file",
            b"diff --git a/x b/x",
            "é…".encode(),
        ]
    ),
    max_size=14,
)
_TEXT = st.builds(lambda lines, end: b"\n".join(lines) + end, _LINES, st.sampled_from([b"", b"\n"]))
_CONTENTS = st.one_of(_TEXT, st.binary(max_size=200), st.just(b"nul\0\n"))
_FILES = st.builds(Side, st.sampled_from(["100644", "100755"]), _CONTENTS)
# Not to itself: git finds "too many levels" where a link's place becomes a folder.
_LINKS = st.builds(
    Side, st.just("120000"), st.sampled_from([b"./gone", b"../x", b"line\nbreak", b"\xff"])
)


def _without_conflicts(tree: dict[bytes, Side]) -> Tree:
    """Without what lies below another file."""
    return {
        path: side
        for path, side in tree.items()
        if not any(path.startswith(other + b"/") for other in tree)
    }


def trees() -> st.SearchStrategy[Tree]:
    sides = st.one_of(_FILES, _FILES, _LINKS)
    return st.dictionaries(_PATHS, sides, max_size=6).map(_without_conflicts)


def write(root: str, tree: Tree) -> None:
    for path, side in tree.items():
        place = os.fsencode(root) + b"/" + path
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if side.mode == "120000":
            os.symlink(side.contents, place)
            continue
        with open(place, "wb") as file:
            file.write(side.contents)
        os.chmod(place, 0o755 if side.mode == "100755" else 0o644)


def read(root: str) -> dict[bytes, Side]:
    found: dict[bytes, Side] = {}
    base = os.fsencode(root)
    for folder, folders, names in os.walk(base):
        for name in names + folders:
            place = os.path.join(folder, name)
            path = os.path.relpath(place, base)
            if os.path.islink(place):
                found[path] = Side("120000", os.readlink(place))
            elif os.path.isfile(place):
                mode = "100755" if os.stat(place).st_mode & 0o100 else "100644"
                with open(place, "rb") as file:
                    found[path] = Side(mode, file.read())
    return found
