"""Prints all figures, or those of the groups that are named: `python -m bench start diff`."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator

from bench import attempts, commands, diff, shown, start
from bench.figures import Figure, show
from bench.program import ProgramFailed

GROUPS: dict[str, tuple[str, Callable[[], Iterator[Figure]]]] = {
    "start": ("A warm start (median of 20)", start.measure),
    "attempts": ("No-op attempts", attempts.measure),
    "commands": ("Commands in the sandbox, milliseconds of the run per attempt", commands.measure),
    "show": ("Reading a stored run (median)", shown.measure),
    "diff": ("A workspace's diff", diff.measure),
}


def main() -> None:
    chosen = sys.argv[1:] or list(GROUPS)
    if unknown := set(chosen) - set(GROUPS):
        sys.exit(f"no group {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    load = os.getloadavg()[0]
    print(f"{platform.machine()}, {os.cpu_count()} CPUs, load {load:.1f}, Python", end=" ")
    print(platform.python_version())
    for name in chosen:
        title, measure = GROUPS[name]
        print(f"\n{title}")
        try:
            for figure in measure():
                show(figure)
        except ProgramFailed as failed:
            show(Figure(name, "failed", str(failed)))


if __name__ == "__main__":
    main()
