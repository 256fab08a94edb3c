"""Runs a plan: the scheduler, an attempt's phases, signals, the budget."""
