"""What an agent tries to hide from a diff, or to smuggle out with it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from reeval.config.model import SandboxSpec
from reeval.masking.masker import Masker
from reeval.sandbox import folders
from reeval.sandbox.base import Command
from reeval.sandbox.local import LocalSandbox
from reeval.sandbox.snapshot import Snapshot

SECRET = "s3cret-value-of-the-key"
MASKER = Masker({"KEY": SECRET})


def with_sandbox(folder: Path, body: Callable[[LocalSandbox], Awaitable[None]]) -> None:
    async def main() -> None:
        spec = SandboxSpec("fake", "fake", dir=folder)
        sandbox = LocalSandbox(spec, f"test-{os.getpid()}.h")
        await sandbox.start({"KEY": SECRET})
        try:
            await body(sandbox)
        finally:
            await sandbox.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (":", r"printf '\0%s' $KEY > f"),
        (r"printf '\0%s' $KEY > f", "rm f"),
        ("echo $KEY > f", r"printf '\0' > f"),
        (r"printf '\377' > f", "echo $KEY > f"),
        (":", r"ln -s $(printf '\377%s' $KEY) f"),
        (":", r"printf '\0%s' $(printf %s $KEY | base64) > f"),
    ],
    ids=["added", "deleted", "made binary", "was binary", "link", "base64"],
)
def test_binary_contents_with_a_secret_are_not_packed_into_a_patch(
    tmp_path: Path, before: str, after: str
) -> None:
    async def body(sandbox: LocalSandbox) -> None:
        await sandbox.run(Command(f": > g; {before}"))
        snapshot = await Snapshot.take(sandbox, MASKER)
        await sandbox.run(Command(f"{after}; echo plain > g; printf '\\0' > h"))
        diff = await snapshot.diff()
        assert [change.path for change in diff.files] == ["f", "g", "h"]
        (note,) = [line for line in diff.patch.splitlines() if line.startswith("#")]
        assert note.startswith("# reeval: f ")
        assert note.endswith("; its contents hold a secret")
        assert "b/f" not in diff.patch
        assert "+plain\n" in diff.patch
        assert diff.patch.count("GIT binary patch") == 1  # h, which holds none

    with_sandbox(tmp_path, body)


def test_text_is_masked_before_a_patchs_marks_part_a_secret(tmp_path: Path) -> None:
    async def body(sandbox: LocalSandbox) -> None:
        snapshot = await Snapshot.take(sandbox, MASKER)
        await sandbox.run(Command("printf %s $KEY | base64 | fold -w 5 > f; echo end >> f"))
        diff = await snapshot.diff()
        assert "+[secret KEY]" in diff.patch
        assert "+end\n" in diff.patch

    with_sandbox(tmp_path, body)


def test_a_name_with_a_secret_is_masked_before_it_is_escaped(tmp_path: Path) -> None:
    masker = Masker({"KEY": "geheim-ä-ö-ü"})

    async def body(sandbox: LocalSandbox) -> None:
        snapshot = await Snapshot.take(sandbox, masker)
        await sandbox.run(Command(r": > $(printf 'geheim-ä-ö-ü\377')"))
        patch = (await snapshot.diff()).patch
        assert "[secret KEY]" in patch
        assert "303" not in patch

    with_sandbox(tmp_path, body)


def test_a_gitignore_that_hides_itself_shows(tmp_path: Path) -> None:
    async def body(sandbox: LocalSandbox) -> None:
        await sandbox.run(Command("echo out > .gitignore; mkdir out"))
        snapshot = await Snapshot.take(sandbox)
        await sandbox.run(
            Command("mkdir sub; for d in . sub out; do echo '*' > $d/.gitignore; : > $d/new; done")
        )
        diff = await snapshot.diff()
        assert [(c.path, c.status) for c in diff.files] == [
            (".gitignore", "modified"),
        ]
        await sandbox.run(Command("echo out > .gitignore"))
        assert [c.path for c in (await snapshot.diff()).files] == ["new", "sub/.gitignore"]

    with_sandbox(tmp_path, body)


@pytest.mark.parametrize("files", [0, 700])
def test_a_folder_too_deep_to_list_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int
) -> None:
    monkeypatch.setattr(folders, "DEPTH_LIMIT", 3)
    monkeypatch.setattr("reeval.sandbox.listing.DEPTH_LIMIT", 3)

    async def body(sandbox: LocalSandbox) -> None:
        await sandbox.run(Command(f"for i in $(seq {files}); do : > $i; done"))
        snapshot = await Snapshot.take(sandbox)
        await sandbox.run(Command("sleep 0.05; mkdir -p a/b/c/d/e; : > a/b/c/f; : > a/b/c/d/f"))
        diff = await snapshot.diff()
        assert [(c.path, c.status) for c in diff.files] == [
            ("a/b/c/d", "added"),
            ("a/b/c/f", "added"),
        ]
        assert "# reeval: a/b/c/d added; what is in this folder can't be listed\n" in diff.patch
        await sandbox.run(Command("sleep 0.05; rm -r a"))
        assert (await snapshot.diff()).files == ()

    with_sandbox(tmp_path, body)


def test_deep_folders_and_ignore_rules_together_make_a_diff(tmp_path: Path) -> None:
    program = "import os\nfor i in range(1500): os.mkdir('d'); os.chdir('d')\nopen('f', 'w')"

    async def body(sandbox: LocalSandbox) -> None:
        await sandbox.run(Command("echo x > .gitignore"))
        snapshot = await Snapshot.take(sandbox)
        await sandbox.run(Command(("python3", "-c", program)))
        assert [c.path for c in (await snapshot.diff()).files] == ["d/" * 1500 + "f"]

    with_sandbox(tmp_path, body)
