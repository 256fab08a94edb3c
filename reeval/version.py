"""The one place the version stands, beside pyproject.toml, which reads it."""

VERSION = "0.1.0"
