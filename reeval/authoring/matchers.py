"""The matchers an `expect(…)` offers, each named as the engine knows it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Self, TypeAlias, TypeVar

from reeval.authoring.link import Link
from reeval.authoring.nearest import nearest, snake
from reeval.authoring.values import UNSET
from reeval.protocol import messages as m

R = TypeVar("R")

Pattern: TypeAlias = str | re.Pattern[str] | re.Pattern[bytes]
ToolInput: TypeAlias = str | re.Pattern[str] | re.Pattern[bytes] | dict[str, Any]


@dataclass(frozen=True, slots=True)
class Check:
    """What an `expect(…)` was given, until a matcher is called on it.

    `token` is its key in the link's `unused`.
    """

    link: Link
    token: int
    subject: m.Subject | Callable[[], Any]
    label: str | None = None
    negated: bool = False
    soft: bool = False
    poll: m.Poll | None = None


class Matchers(ABC, Generic[R]):
    """The matchers. `R` is what each returns: None in a `def` body, else a coroutine to await.

    A `str` is contained in commands, queries, URLs and contents, is equal for tools, servers and
    skills, and is a path or a glob for paths. An `re` pattern is searched.
    """

    def __init__(self, check: Check) -> None:
        self.check = check

    @property
    def not_(self) -> Self:
        """The matcher that follows passes when it would fail."""
        return type(self)(replace(self.check, negated=not self.check.negated))

    if not TYPE_CHECKING:  # a checker knows the matchers by name

        def __getattr__(self, name: str) -> NoReturn:
            raise AttributeError(_no_matcher(name), name=name, obj=self)

    @abstractmethod
    def _match(self, matcher: str, *args: object) -> R: ...

    @abstractmethod
    def _raises(self, expected: type[BaseException], match: Pattern | None) -> R: ...

    # ── on values ──

    def to_be(self, expected: Any) -> R:
        """The same value."""
        return self._match("toBe", expected)

    def to_equal(self, expected: Any) -> R:
        """An equal value, at any depth."""
        return self._match("toEqual", expected)

    def to_be_null(self) -> R:
        """None."""
        return self._match("toBeNull")

    def to_be_truthy(self) -> R:
        """A true value."""
        return self._match("toBeTruthy")

    def to_contain(self, needle: Any) -> R:
        """Text, or a list, with `needle` in it."""
        return self._match("toContain", needle)

    def to_match(self, pattern: Pattern) -> R:
        """Text in which a string is contained, or a pattern found."""
        return self._match("toMatch", pattern)

    def to_have_length(self, length: int) -> R:
        """Text, a list or a dict of this length."""
        return self._match("toHaveLength", length)

    def to_be_greater_than(self, number: float) -> R:
        return self._match("toBeGreaterThan", number)

    def to_be_greater_than_or_equal(self, number: float) -> R:
        return self._match("toBeGreaterThanOrEqual", number)

    def to_be_less_than(self, number: float) -> R:
        return self._match("toBeLessThan", number)

    def to_be_less_than_or_equal(self, number: float) -> R:
        return self._match("toBeLessThanOrEqual", number)

    def to_be_close_to(self, number: float, digits: int = 2) -> R:
        """Within half a unit of the last of `digits` decimal places."""
        return self._match("toBeCloseTo", number, digits)

    def to_have_property(self, path: str, value: Any = UNSET) -> R:
        """A dict with this key, or dotted path of keys, and the value when it is given."""
        return self._match("toHaveProperty", path, value)

    def to_raise(
        self, expected: type[BaseException] = Exception, match: Pattern | None = None
    ) -> R:
        """A function that raises `expected`, with a message that `match` is found in."""
        return self._raises(expected, match)

    # ── on commands and verdicts ──

    def to_succeed(self) -> R:
        """A command that exits 0."""
        return self._match("toSucceed")

    def to_pass(self) -> R:
        """A verdict that passed."""
        return self._match("toPass")

    # ── on the attempt or a turn ──

    def to_have_file(self, path: str, pattern: Pattern = UNSET) -> R:
        """The workspace has the file, with contents that match `pattern` when it is given."""
        return self._match("toHaveFile", path, pattern)

    def to_have_changed(self, paths: Pattern | Sequence[Pattern] = UNSET) -> R:
        """The turn changed the workspace: only what `paths` say, or anything.

        Each plain path has to have changed; a glob or a pattern says where changes may be.
        """
        return self._match("toHaveChanged", paths)

    def to_have_edited(self, path: Pattern = UNSET) -> R:
        """The agent edited a file of that path, or any."""
        return self._match("toHaveEdited", path)

    def to_have_run(self, command: Pattern = UNSET) -> R:
        """The agent ran a command like it, or any."""
        return self._match("toHaveRun", command)

    def to_have_called_tool(self, name: Pattern, input: ToolInput = UNSET) -> R:
        """The agent called the tool, with that input when it is given."""
        return self._match("toHaveCalledTool", name, input)

    def to_have_called_mcp(self, server: str, tool: str, input: ToolInput = UNSET) -> R:
        """The agent called the tool of an MCP server."""
        return self._match("toHaveCalledMcp", server, tool, input)

    def to_have_called_skill(self, name: str) -> R:
        """The agent loaded the skill."""
        return self._match("toHaveCalledSkill", name)

    def to_have_searched(self, query: Pattern = UNSET) -> R:
        """The agent searched the web, with a query like it when one is given."""
        return self._match("toHaveSearched", query)

    def to_have_fetched(self, url: Pattern = UNSET) -> R:
        """The agent fetched a page, with a URL like it when one is given."""
        return self._match("toHaveFetched", url)


def _no_matcher(name: str) -> str:
    missing = f"expect(…) has no {name!r}"
    if name.startswith("_"):
        return missing
    matchers = [known for known in vars(Matchers) if known.startswith("to_")]
    spelled = snake(name)
    for before in ("not_", "not"):
        meant = nearest(spelled.removeprefix(before), matchers)
        if spelled.startswith(before) and meant is not None:
            return f"{missing}: write expect(…).not_.{meant}(…)"
    meant = nearest(name, [*matchers, "not_"])
    if meant is not None:
        return f"{missing}: did you mean {meant!r}?"
    return f"{missing}: its matchers are {', '.join(matchers)}"
