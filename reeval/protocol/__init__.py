"""The messages between engine and runner: dataclasses and one codec. Standard library only."""

PROTOCOL = 3
"""The runner protocol's version. Both sides refuse another."""

MAX_BODIES = 32
"""How many bodies one runner process runs at once."""
