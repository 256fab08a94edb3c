"""What this command knows to be secret: nothing it says or lists shows the values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reeval.config.model import Secret, SecretTemplate, Settings
    from reeval.masking.masker import Masker

# `secret("NAME")` and `secret.template("…${NAME}…")`, as an eval file writes them.
_NAMED = re.compile(r"""\bsecret(\.template)?\(\s*["']([^"'\n]*)""")


class _Known:
    """The secrets this process has learned of."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self._masker: Masker | None = None

    def learn(self, values: Mapping[str, str]) -> None:
        """From now on these values (name → value) are hidden."""
        if values.items() <= self.values.items():
            return
        from reeval.masking.masker import Masker

        self.values |= values
        self._masker = Masker(self.values)

    def hide(self, text: str) -> str:
        return text if self._masker is None else self._masker.text(text)

    def hide_in(self, value: object) -> object:
        """A JSON value, with all that is secret in it hidden."""
        return value if self._masker is None else self._masker.json(value)


secrets = _Known()


def named_in_settings(settings: Settings) -> Iterator[Secret | SecretTemplate]:
    """The secrets that `reeval.toml` names, whether or not an eval uses them."""
    from reeval.config.cascade import shared_options
    from reeval.config.model import EvalOptions, Secret
    from reeval.config.secrets import secrets_of

    yield from (Secret(g.key) for g in settings.gateways.values() if g.key is not None)
    yield from secrets_of(EvalOptions(harness=tuple(settings.harnesses.values())))
    for environment in settings.environments.values():
        yield from secrets_of(EvalOptions(environment=environment))
    for profile in (None, *settings.profiles.values()):
        yield from secrets_of(shared_options(settings, profile))


def named_in_sources(root: Path, files: Iterable[str]) -> Iterator[Secret | SecretTemplate]:
    """The secrets that eval files name, also those that don't load and those not selected."""
    from reeval.config.model import Secret, SecretTemplate

    for file in files:
        try:
            source = (root / file).read_text("utf-8", "replace")
        except OSError:
            continue
        for template, text in _NAMED.findall(source):
            yield SecretTemplate(text) if template else Secret(text)
