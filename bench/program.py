"""Starts the built zipapp in a temporary project, and says how long it took and what it held."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from threading import Thread

PYZ = Path(__file__).resolve().parents[1] / "dist" / "reeval.pyz"


class ProgramFailed(Exception):
    """The zipapp ended with an exit code that says it did not do what is measured."""


@dataclass(frozen=True, slots=True)
class Ran:
    """Seconds of wall time; the process's own CPU time and the most memory it held, in MiB."""

    seconds: float
    cpu_seconds: float
    peak_mib: float


def run(*arguments: str, cwd: Path, python: str = sys.executable, **environ: str) -> Ran:
    """Run the zipapp to its end, without output. Raises `ProgramFailed` on a non-zero exit."""
    began = time.perf_counter()
    with subprocess.Popen(
        [python, PYZ, *arguments],
        cwd=cwd,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "NO_COLOR": "1", **environ},
    ) as process:
        watch = _Watch(process.pid)
        _, complaint = process.communicate()
        seconds = time.perf_counter() - began
    if process.returncode:
        last = complaint.decode(errors="replace").strip()[-500:]
        raise ProgramFailed(f"reeval {' '.join(arguments)} ended with {process.returncode}: {last}")
    watch.join()
    return Ran(seconds, watch.cpu_seconds, watch.peak_mib)


class _Watch:
    """Reads what the kernel says of a process alone, without its children (0 where not Linux)."""

    def __init__(self, pid: int) -> None:
        self.cpu_seconds = self.peak_mib = 0.0
        self._proc = Path(f"/proc/{pid}")
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        ticks = os.sysconf("SC_CLK_TCK")
        while True:
            try:
                status = (self._proc / "status").read_text(encoding="utf-8", errors="replace")
                times = (self._proc / "stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                return
            marks = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
            if not marks:  # it has ended
                return
            self.peak_mib = int(marks[0]) / 1024
            user, system = times.rpartition(")")[2].split()[11:13]
            self.cpu_seconds = (int(user) + int(system)) / ticks
            time.sleep(0.01)

    def join(self) -> None:
        self._thread.join()


# One folder for all projects, removed at the very end: a file system makes files slowly where many
# were deleted a moment ago (ext4 keeps off their inodes for seconds). That is not measured here.
_ALL = TemporaryDirectory(prefix="reeval-bench-")


def project(body: str) -> Path:
    """A new project with one eval of this body, run by a fake agent on this machine."""
    root = Path(mkdtemp(dir=_ALL.name))
    (root / "evals").mkdir()
    (root / "reeval.toml").write_text(
        'harness = "quick"\n[harnesses.quick]\nkind = "fake"\ntext = "done"\n', encoding="utf-8"
    )
    (root / "evals" / "bench.eval.py").write_text(
        f"from reeval import evaluate\n\n\n@evaluate('bench')\ndef bench(c):\n{body}",
        encoding="utf-8",
    )
    run("--version", cwd=root)  # so that no figure holds the unpacking
    return root
