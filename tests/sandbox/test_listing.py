"""The quick listing says the same as a plain walk, whatever was done in between."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reeval.sandbox import folders, listing
from reeval.sandbox.base import FileEntry
from reeval.sandbox.listing import Listing

_NAMES = st.sampled_from(["a", "b", "c", ".git", "new\nline"])
_PATHS = st.lists(_NAMES, min_size=1, max_size=3).map("/".join)
_STEPS = st.lists(
    st.tuples(st.sampled_from(["write", "remove", "move", "link", "folder"]), _PATHS, _PATHS),
    max_size=8,
)


def step(root: Path, what: str, path: str, other: str) -> None:
    """Does it where it can be done."""
    place = root / path
    try:
        if what == "write":
            place.write_bytes(other.encode())
        elif what == "link":
            place.symlink_to(other)
        elif what == "folder":
            place.mkdir(parents=True)
        elif what == "move":
            place.rename(root / other)
        elif place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink()
    except OSError:
        pass


def walked(root: Path) -> list[FileEntry]:
    found = (step for step in folders.walk(str(root)) if step is not None)
    return sorted(found, key=lambda entry: entry.path)


@pytest.fixture
def always_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_INLINE_ENTRIES", 0)


@pytest.mark.usefixtures("always_large")
def test_every_look_is_what_a_walk_finds() -> None:
    @settings(max_examples=60, deadline=None)
    @given(st.lists(_STEPS, min_size=2, max_size=4))
    def check(looks: list[list[tuple[str, str, str]]]) -> None:
        async def body(root: Path) -> None:
            look = Listing(str(root))
            (root / "always").write_bytes(b"")
            for steps in looks:
                for what, path, other in steps:
                    step(root, what, path, other)
                assert await look.take() == walked(root)

        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(body(Path(folder)))

    check()


@pytest.mark.usefixtures("always_large")
def test_it_does_not_rely_on_a_clock_that_is_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body() -> None:
        look = Listing(str(tmp_path))
        (tmp_path / "f").write_bytes(b"1")
        ahead = time.time_ns() + 10**12
        monkeypatch.setattr(time, "time_ns", lambda: ahead)
        await look.take()
        assert look._tree is not None
        look._tree.newest = ahead
        monkeypatch.undo()
        (tmp_path / "f").write_bytes(b"22")
        assert await look.take() == walked(tmp_path)

    asyncio.run(body())


@pytest.mark.usefixtures("always_large")
def test_without_find_it_walks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "f").write_bytes(b"1")
    assert asyncio.run(Listing(str(tmp_path)).take()) == walked(tmp_path)


@pytest.mark.usefixtures("always_large")
def test_a_workspace_that_is_gone_lists_as_empty(tmp_path: Path) -> None:
    async def body() -> None:
        root = tmp_path / "workspace"
        root.mkdir()
        (root / "f").write_bytes(b"1")
        look = Listing(str(root))
        assert len(await look.take()) == 1
        shutil.rmtree(root)
        assert await look.take() == []

    asyncio.run(body())


@pytest.mark.usefixtures("always_large")
def test_looks_may_overlap(tmp_path: Path) -> None:
    async def body() -> None:
        look = Listing(str(tmp_path))
        for number in range(50):
            (tmp_path / str(number)).write_bytes(b"1")
        found = await asyncio.gather(*(look.take() for _ in range(5)))
        assert found == [walked(tmp_path)] * 5

    asyncio.run(body())


def test_a_deep_tree_is_listed(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(900):
        deep = deep / "d"
    os.makedirs(deep)
    (deep / "f").write_bytes(b"1")
    assert [e.path.count(b"/") for e in asyncio.run(Listing(str(tmp_path)).take())] == [900]
