"""Lets every provider's tests import the one set of conformance tests."""

import sys
from pathlib import Path

import pytest

pytest.register_assert_rewrite("conformance_files", "conformance_commands", "trees")
sys.path.insert(0, str(Path(__file__).parent))
