"""The JSON Schema of `reeval.toml`, for editors."""

from __future__ import annotations

from typing import Any

from reeval.config.agents import HARNESS, HARNESS_OPTION
from reeval.config.context import MCP, PLUGINS, SKILLS
from reeval.config.environment import CONTENTS
from reeval.config.machine import SANDBOX
from reeval.config.options import JUDGE, QUESTIONS
from reeval.config.tables import CONFIG
from reeval.config.variables import EGRESS, ENV, HEADERS

_SHARED = (
    *(HARNESS, HARNESS_OPTION, SANDBOX, ENV, HEADERS, EGRESS),
    *(SKILLS, PLUGINS, MCP, CONTENTS, JUDGE, QUESTIONS),
)


def config_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of the whole file, made from the descriptions that check it."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "reeval.toml",
        **CONFIG.schema(),
        "$defs": {shared.name: shared.field.schema() for shared in _SHARED},
    }
