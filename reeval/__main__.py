"""The entry: `python -m reeval`, and where reeval.pyz hands over."""

from __future__ import annotations

import sys


def start() -> None:
    """Run the command line. `--version` answers without loading it."""
    if sys.argv[1:] == ["--version"]:
        from reeval.version import VERSION

        print(f"reeval {VERSION}")
        return
    from reeval.cli.main import main

    main()


if __name__ == "__main__":
    start()
