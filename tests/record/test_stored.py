"""A record read eval by eval is the record, whatever its shape, and holds nothing it read."""

import json
import tracemalloc
from pathlib import Path

import pytest

from reeval.record.reader import RunPath, load
from reeval.record.stored import stored


def plain(record: dict) -> dict:
    return {**record, "evals": [{**e, "attempts": list(e["attempts"])} for e in record["evals"]]}


def written(folder: Path, shape: list[int], *, size: int = 10) -> RunPath:
    """A record laid out as `fold` does, with an eval for each number of attempts in `shape`."""
    evals = []
    for i, count in enumerate(shape):
        attempts = [
            json.dumps({"key": f"e{i} # c#{n}", "text": 'x"]},"' * size}) for n in range(count)
        ]
        joined = "\n" + ",\n".join(attempts) if attempts else ""
        evals.append(f'\n{{"id":"e{i}","attempts":[{joined}]}}')
    head = '{"kind":"reeval-run","schemaVersion":1,"runId":"r",\n"evals":['
    path = folder / "r.json"
    path.write_text(head + ",".join(evals) + "]}\n")
    return RunPath("r", path, folder / "r")


@pytest.mark.parametrize("shape", [[], [0], [1], [3, 0, 2], [0, 0], [2, 5]])
def test_it_is_what_load_gives(tmp_path: Path, shape: list[int]) -> None:
    run = written(tmp_path, shape)
    record = stored(run)
    assert plain(record) == load(run)
    assert [len(e["attempts"]) for e in record["evals"]] == shape
    assert plain(record) == load(run), "a second look gives the same"


def test_items_can_be_picked(tmp_path: Path) -> None:
    record = stored(written(tmp_path, [3, 1]))
    assert record["evals"][-1]["id"] == "e1"
    assert record["evals"][0]["attempts"][1]["key"] == "e0 # c#1"
    assert [a["key"] for a in record["evals"][0]["attempts"][1:]] == ["e0 # c#1", "e0 # c#2"]
    with pytest.raises(IndexError):
        record["evals"][2]


def test_a_record_someone_formatted_is_read_too(tmp_path: Path) -> None:
    run = written(tmp_path, [2, 0])
    run.path.write_text(json.dumps(load(run), indent=2))
    assert plain(stored(run)) == load(run)


def test_a_large_run_is_not_held(tmp_path: Path) -> None:
    run = written(tmp_path, [20_000], size=100)
    tracemalloc.start()
    seen = sum(len(a["key"]) for e in stored(run)["evals"] for a in e["attempts"])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert seen > 20_000
    assert peak < run.path.stat().st_size / 10
