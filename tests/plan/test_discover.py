"""Eval files are found by the globs of the config, in one order, whatever the tree."""

from __future__ import annotations

from pathlib import Path

from reeval.plan.discover import discover

DEFAULT = ("evals/**/*.eval.py",)


def tree(root: Path, *files: str) -> None:
    for file in files:
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def test_the_default_finds_eval_files_at_any_depth_in_order(tmp_path: Path) -> None:
    tree(tmp_path, "evals/z.eval.py", "evals/a/b/c.eval.py", "evals/a.eval.py", "evals/no.py")
    tree(tmp_path, "other/x.eval.py")
    assert discover(tmp_path, DEFAULT) == (
        "evals/a.eval.py",
        "evals/a/b/c.eval.py",
        "evals/z.eval.py",
    )


def test_folders_of_others_are_not_looked_into(tmp_path: Path) -> None:
    for folder in (".git", ".venv", "node_modules", ".reeval"):
        tree(tmp_path, f"evals/{folder}/x.eval.py")
    assert discover(tmp_path, DEFAULT) == ()


def test_several_globs_name_a_file_once(tmp_path: Path) -> None:
    tree(tmp_path, "evals/a.eval.py", "more/b.eval.py")
    globs = ("evals/*.eval.py", "**/*.eval.py", "./more/b.eval.py", "gone/*.py")
    assert discover(tmp_path, globs) == ("evals/a.eval.py", "more/b.eval.py")


def test_a_star_stays_in_its_folder(tmp_path: Path) -> None:
    tree(tmp_path, "evals/a.eval.py", "evals/deep/b.eval.py")
    assert discover(tmp_path, ("evals/*.eval.py",)) == ("evals/a.eval.py",)
    assert discover(tmp_path, ("*/[a-c].eval.py",)) == ("evals/a.eval.py",)


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    tree(tmp_path, "evals/sub/a.eval.py")
    (tmp_path / "evals/sub/up").symlink_to(tmp_path / "evals")
    (tmp_path / "evals/itself").symlink_to("itself")
    (tmp_path / "evals/self.eval.py").symlink_to("self.eval.py")
    assert discover(tmp_path, DEFAULT) == ("evals/sub/a.eval.py",)


def test_a_linked_folder_is_followed(tmp_path: Path) -> None:
    tree(tmp_path, "shared/a.eval.py")
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals/shared").symlink_to("../shared")
    assert discover(tmp_path, DEFAULT) == ("evals/shared/a.eval.py",)
