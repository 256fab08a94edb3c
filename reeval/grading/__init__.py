"""Matchers, the names of checks, and the judge."""
