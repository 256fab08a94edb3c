"""`python -m reeval_python`: the runner process, as the public SDK starts it."""

from reeval.runner.main import main

if __name__ == "__main__":
    main()
