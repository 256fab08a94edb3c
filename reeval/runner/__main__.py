"""`python -m reeval.runner`, or this file by its path: the runner process."""

import os
import sys

if __name__ == "__main__":
    if not __package__:
        # Started by path, Python put this folder first, where its modules would shadow others'.
        sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

    from reeval.runner.main import main

    main()
