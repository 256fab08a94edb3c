"""Intervals and tests. Pure functions of counts, no I/O."""
