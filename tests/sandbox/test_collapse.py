"""Dependency folders in a record's changed files."""

from __future__ import annotations

from reeval.sandbox.changes import FileChange
from reeval.sandbox.collapse import collapse


def test_a_dependency_folder_is_one_entry_with_a_count() -> None:
    changes = [
        FileChange("app/node_modules/x/index.js", "added"),
        FileChange("app/node_modules/x/node_modules/y/index.js", "added"),
        FileChange("app/src/index.js", "modified"),
        FileChange(".venv/bin/python", "added"),
    ]
    assert collapse(changes) == [
        {"path": "app/node_modules", "status": "added", "count": 2},
        {"path": "app/src/index.js", "status": "modified"},
        {"path": ".venv", "status": "added", "count": 1},
    ]


def test_a_folder_whose_files_changed_in_different_ways_is_modified() -> None:
    changes = [FileChange("venv/a", "added"), FileChange("venv/b", "deleted")]
    assert collapse(changes) == [{"path": "venv", "status": "modified", "count": 2}]


def test_a_file_that_is_only_named_like_one_stays() -> None:
    assert collapse([FileChange("docs/vendor", "deleted")]) == [
        {"path": "docs/vendor", "status": "deleted"}
    ]
