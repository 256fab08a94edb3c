"""Writes requirements/*.lock from pyproject.toml: every version pinned, every file's hash, no host.

Run by `make lock`, in an environment that has pip-tools. What is already pinned stays pinned;
delete a lock, or give `--upgrade`, to move to newer versions.
"""

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ROOT / "requirements"
HEADER = "# Written by `make lock`: every version pinned, with its files' hashes.\n"
OPTIONS = (
    "--generate-hashes",
    "--allow-unsafe",
    "--strip-extras",
    "--no-header",
    "--no-annotate",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-emit-trusted-host",
    "--no-config",
    "--quiet",
)


def main() -> None:
    """Write the zipapp's lock, then the tests', which holds the same versions and more."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    runtime = LOCKS / "runtime.lock"
    compile_lock(runtime, project["dependencies"])
    dev = project["dependencies"] + project["optional-dependencies"]["dev"]
    compile_lock(LOCKS / "dev.lock", [*dev, f"-c {runtime}"])


def compile_lock(lock: Path, requirements: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder, "wanted.in")
        wanted.write_text("\n".join(requirements) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "piptools", "compile", *OPTIONS, *sys.argv[1:]]
        subprocess.run([*command, "-o", lock, wanted], check=True)
    pins = lock.read_text(encoding="utf-8")
    lock.write_text(HEADER + pins.removeprefix(HEADER), encoding="utf-8")


if __name__ == "__main__":
    main()
