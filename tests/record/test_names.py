"""A run's name says when, at which commit and by whom, and two runs never share one."""

from datetime import UTC, datetime, timedelta, timezone
from multiprocessing.pool import ThreadPool

import pytest

from reeval.record.names import claim, run_id, slug

NOW = datetime(2026, 11, 30, 17, 40, 47, 999_999, tzinfo=UTC)


def test_the_name_is_start_commit_and_author():
    assert run_id(NOW, "442ac2d" + "0" * 33, "Jane") == "20261130T174047Z_442ac2d_jane"


def test_the_start_is_in_utc_wherever_it_was_taken():
    local = NOW.astimezone(timezone(timedelta(hours=9)))
    assert run_id(local, None, "ci") == "20261130T174047Z_nogit_ci"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Jane Doe", "jane-doe"),
        ("Jané  Döe!", "jane-doe"),
        ("../../etc/passwd", "etc-passwd"),
        ("-x-", "x"),
        ("x" * 99, "x" * 32),
        ("山田太郎", ""),
        ("", ""),
    ],
)
def test_an_author_is_plain_letters(name, expected):
    assert slug(name) == expected


def test_an_author_without_plain_letters_is_unknown():
    assert run_id(NOW, None, "山田太郎").endswith("_nogit_unknown")


def test_a_taken_name_gets_a_number(tmp_path):
    assert [claim(tmp_path, "run") for _ in range(3)] == ["run", "run-2", "run-3"]


@pytest.mark.parametrize("suffix", [".json", ".journal"])
def test_a_name_with_a_record_but_no_folder_is_taken(tmp_path, suffix):
    (tmp_path / f"run{suffix}").touch()
    assert claim(tmp_path, "run") == "run-2"


def test_runs_that_start_at_once_get_a_name_each(tmp_path):
    with ThreadPool(8) as pool:
        names = pool.map(lambda _: claim(tmp_path, "run"), range(40))
    assert len(set(names)) == 40
