"""The named conformance tests that every sandbox provider passes.

A provider's test file derives a class whose name begins with `Test` from `SandboxConformance` and
gives it a fixture `opened`: an async function that starts a sandbox with the given variables. Each
test runs in an event loop of its own and closes what it opened.
"""

from __future__ import annotations

from conformance_commands import CommandsConformance
from conformance_files import FilesConformance


class SandboxConformance(FilesConformance, CommandsConformance):
    """What a sandbox must do, one behaviour a test."""
