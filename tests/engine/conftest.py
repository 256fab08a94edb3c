"""What the engine's tests share."""

import importlib.util
import sys
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location(
    "engine_project", Path(__file__).parent / "project.py"
)
assert _spec and _spec.loader
_module = importlib.util.module_from_spec(_spec)
sys.modules["engine_project"] = _module
_spec.loader.exec_module(_module)


@pytest.fixture
def project(tmp_path: Path):
    return _module.Project(tmp_path)
