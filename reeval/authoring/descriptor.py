"""The base of what an option can be besides plain data: made by a function, read by the plan."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Descriptor:
    """Data to pass as an option, not to edit. `_data` is what goes over the wire."""

    _data: Mapping[str, Any] = field(repr=False)

    def _to_wire(self) -> dict[str, Any]:
        return copy.deepcopy(dict(self._data))

    def __repr__(self) -> str:
        fields = ", ".join(f"{k}={v!r}" for k, v in self._data.items() if k != "kind")
        return f"{type(self).__name__}({fields})"


def present(**fields: Any) -> dict[str, Any]:
    """The fields that were given."""
    return {k: v for k, v in fields.items() if v is not None}
