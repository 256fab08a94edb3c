"""`to_raise`: calls a function of the eval's and says what is wrong with what it raised."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reeval.authoring.errors import AttemptAborted
from reeval.authoring.matchers import Pattern
from reeval.authoring.shown import shown, shown_error


@dataclass(frozen=True, slots=True)
class Raising:
    """`expected` is the class to raise, `match` text in its message or a pattern found there."""

    function: Callable[[], Any]
    expected: type[BaseException]
    match: Pattern | None
    negated: bool

    @property
    def subject(self) -> str:
        """The function as the check's name has it."""
        return getattr(self.function, "__qualname__", type(self.function).__name__)

    def call(self) -> str | None:
        """What is wrong, None when nothing is."""
        try:
            result = self.function()
        except AttemptAborted:
            raise
        except BaseException as error:
            return self._problem(error)
        if inspect.iscoroutine(result):
            result.close()
            raise TypeError(
                "to_raise's function returned a coroutine, which never ran: in an async def body "
                "use reeval.aio's expect and await the matcher"
            )
        return self._problem(None, result)

    async def call_async(self) -> str | None:
        """The same for a function that may return something to await."""
        try:
            result = self.function()
            if inspect.isawaitable(result):
                result = await result
        except AttemptAborted:
            raise
        except BaseException as error:
            return self._problem(error)
        return self._problem(None, result)

    def _problem(self, error: BaseException | None, result: object = None) -> str | None:
        wanted = self.expected.__name__
        if self.match is not None:
            wanted += f" matching {shown(self.match)}"
        if self.negated:
            return f"expected no {wanted}, raised {shown_error(error)}" if self._is(error) else None
        if error is None:
            return f"expected {wanted}, returned {shown(result)}"
        return None if self._is(error) else f"expected {wanted}, raised {shown_error(error)}"

    def _is(self, error: BaseException | None) -> bool:
        if not isinstance(error, self.expected):
            return False
        if self.match is None:
            return True
        if isinstance(self.match, str):
            return self.match in str(error)
        text: Any = str(error)
        if isinstance(self.match.pattern, bytes):
            text = text.encode("utf-8", "surrogatepass")
        return re.search(self.match, text) is not None
