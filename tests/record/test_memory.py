"""A fold's memory doesn't grow with its attempts."""

import subprocess
import sys

FOLD = """
import importlib.util, sys, tracemalloc
from pathlib import Path
spec = importlib.util.spec_from_file_location("making", sys.argv[1])
making = importlib.util.module_from_spec(spec)
spec.loader.exec_module(making)
from reeval.record.entries import ended_entry, line
from reeval.record.fold import fold
count = int(sys.argv[3])
runs = making.Runs(Path(sys.argv[2]))
c = making.make_cell(runs=count)
e = making.make_eval("greets", [c])
opened = runs.open(e)
with opened.journal.path.open("ab") as journal:
    for n in range(1, count + 1):
        checks = [making.make_assertion("says hello " + "x" * 40)] * 10
        journal.write(line(ended_entry(making.make_attempt(e, c, n, assertions=checks))))
tracemalloc.start()
result = fold(opened.journal.path)
print(tracemalloc.get_traced_memory()[1], result.record.stat().st_size, result.summary["pass"])
"""


def peak(folder, making, count):
    """Peak bytes of a fold of so many attempts of about 2 KB, and the record's size."""
    folder.mkdir()
    command = [sys.executable, "-c", FOLD, str(making), str(folder), str(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    memory, size, passed = map(int, done.stdout.split())
    assert passed == count
    return memory, size


def test_ten_thousand_attempts_fold_in_the_memory_of_a_few(tmp_path, request):
    making = request.path.with_name("conftest.py")
    few, _ = peak(tmp_path / "few", making, 100)
    many, size = peak(tmp_path / "many", making, 10_000)
    assert size > 15_000_000
    # What is left for each attempt is where its bytes are.
    assert many - few < 10_000 * 400
