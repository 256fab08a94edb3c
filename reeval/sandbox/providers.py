"""Which sandbox runs a spec."""

from __future__ import annotations

from reeval.config.errors import UsageError
from reeval.config.model import SandboxSpec
from reeval.sandbox.base import Sandbox


def open_sandbox(spec: SandboxSpec, marker: str) -> Sandbox:
    """A sandbox not yet started. `marker` names it in its processes' environment.

    Raises `UsageError` for a kind this version doesn't have.
    """
    if spec.kind == "fake":
        from reeval.sandbox.local import LocalSandbox

        return LocalSandbox(spec, marker)
    raise UsageError(
        f"the {spec.kind} sandbox is not in this version yet: "
        "use the fake harness in the fake sandbox"
    )
