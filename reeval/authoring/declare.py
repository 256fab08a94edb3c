"""`evaluate`, `evaluate_each`, `group`, `todo`: how an eval file says what there is to run."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Never, Protocol, TypeVar, cast, get_args, overload

from reeval.authoring.collector import Body as AnyBody
from reeval.authoring.collector import Collector, Family, Mode, collector
from reeval.authoring.options import EvalOptions
from reeval.authoring.spelling import as_dict, options_to_wire

if TYPE_CHECKING:
    from reeval.authoring.context import AttemptContext, SyncAttemptContext

SyncBody = Callable[["SyncAttemptContext"], None]
AsyncBody = Callable[["AttemptContext"], Coroutine[Any, Any, None]]
# A `def` that takes the blocking context or an `async def` that takes the awaiting one, and
# returns nothing: a type checker refuses a mismatched context, a generator or a returned value.
Body = TypeVar("Body", SyncBody, AsyncBody)
T = TypeVar("T")
SyncCaseBody = Callable[["SyncAttemptContext", T], None]
AsyncCaseBody = Callable[["AttemptContext", T], Coroutine[Any, Any, None]]


# ── evaluate ─────────────────────────────────────────────────────────────────────────────────


class _Declare(Protocol):
    """`evaluate` without its modes, as `evaluate.skip` and `evaluate.only` are."""

    @overload
    def __call__(
        self, name: str, options: EvalOptions | None = None, /
    ) -> Callable[[Body], Body]: ...
    @overload
    def __call__(self, name: str, body: Body, /) -> Body: ...
    @overload
    def __call__(self, name: str, options: EvalOptions, body: Body, /) -> Body: ...


class _Evaluate:
    """Declares an eval: `@evaluate(name, options)` over its body, or the body as last argument.

    The body is a `def` that takes the blocking context or an `async def` that takes the awaiting
    one. `evaluate.skip` and `evaluate.only` (or `mode=`) leave it out, or leave the others out.
    Raises `TypeError` for wrong arguments and bodies, `ValueError` for a name used twice.
    """

    @overload
    def __call__(
        self, name: str, options: EvalOptions | None = None, /, *, mode: Mode = "run"
    ) -> Callable[[Body], Body]: ...
    @overload
    def __call__(self, name: str, body: Body, /, *, mode: Mode = "run") -> Body: ...
    @overload
    def __call__(
        self, name: str, options: EvalOptions, body: Body, /, *, mode: Mode = "run"
    ) -> Body: ...

    def __call__(self, *args: Any, mode: Mode = "run", **misplaced: Any) -> Any:
        name, options, body = _arguments("evaluate", args, mode, misplaced)
        if body is None:
            return partial(_declare_eval, name, mode, options)
        return _declare_eval(name, mode, options, body)

    @property
    def skip(self) -> _Declare:
        """Declares an eval that doesn't run."""
        return cast(_Declare, partial(self, mode="skip"))

    @property
    def only(self) -> _Declare:
        """Declares an eval that runs alone, with the others marked so."""
        return cast(_Declare, partial(self, mode="only"))


evaluate = _Evaluate()


def _declare_eval(name: str, mode: Mode, options: dict[str, Any], body: AnyBody) -> AnyBody:
    into = collector("evaluate(…)")
    _check_body(body, into.where(name), ("c",))
    into.eval(name, mode, options, body)
    return body


# ── evaluate_each ────────────────────────────────────────────────────────────────────────────


class _Each(Generic[T]):
    """`evaluate_each(…)`'s decorator: a body takes the context and one case."""

    def __init__(self, declare: Callable[[AnyBody], None]) -> None:
        self._declare = declare

    @overload
    def __call__(self, body: SyncCaseBody[T], /) -> SyncCaseBody[T]: ...
    @overload
    def __call__(self, body: AsyncCaseBody[T], /) -> AsyncCaseBody[T]: ...

    def __call__(self, body: AnyBody, /) -> Any:
        self._declare(body)
        return body


def evaluate_each(
    cases: Sequence[T],
    name_template: str,
    options: EvalOptions | None = None,
    *,
    pool: bool = True,
    **misplaced: Never,
) -> _Each[T]:
    """One eval a case; the body gets `(c, case)`.

    `name_template` names each: `%#` is the case's index, `%s` the case as `str()` writes it,
    `$field` a dict case's field, left as written when it has none. Several cases pool into one
    family unless `pool=False`.
    """
    if not isinstance(cases, list | tuple):
        raise TypeError(
            f"evaluate_each takes a list of cases (got {type(cases).__name__}), e.g. "
            'evaluate_each([{"n": 1}, {"n": 2}], "case $n")'
        )
    if not isinstance(name_template, str):
        raise TypeError(
            f"evaluate_each takes a name for its cases (got {name_template!r}), e.g. "
            'evaluate_each([{"n": 1}, {"n": 2}], "case $n")'
        )
    where = f"evaluate_each({name_template!r})"
    if misplaced:
        raise TypeError(
            "evaluate_each takes its options as a dict: "
            f"evaluate_each(cases, {name_template!r}, {as_dict(misplaced)})"
        )
    if not cases:
        raise ValueError(f"{where} got no cases, so it would declare nothing: give it some")
    wire = _options(where, options)
    return _Each(partial(_declare_cases, cases, name_template, wire, pool))


def _declare_cases(
    cases: Sequence[Any], template: str, options: dict[str, Any], pool: bool, body: AnyBody
) -> None:
    into = collector("evaluate_each(…)")
    _check_body(body, f"evaluate_each({template!r})", ("c", "case"))
    hint = _naming_hint(template, cases)
    for index, case in enumerate(cases):
        pooled = Family(template, index, len(cases)) if pool and len(cases) > 1 else None
        name = case_name(template, case, index)
        into.eval(name, "run", options, _with_case(body, case), pooled, hint)


_PLACEHOLDER = re.compile(r"%#|%s|\$([A-Za-z_]\w*)")


def case_name(template: str, case: object, index: int) -> str:
    """A case's name. One pass, so what a value puts in is never taken for a placeholder."""

    def fill(found: re.Match[str]) -> str:
        if found[0] == "%#":
            return str(index)
        if found[0] == "%s":
            return str(case)
        if isinstance(case, Mapping) and found[1] in case:
            return str(case[found[1]])
        return found[0]

    return _PLACEHOLDER.sub(fill, template)


def _naming_hint(template: str, cases: Sequence[Any]) -> str:
    """How to give each case a name of its own, said when two have the same."""
    fields = list(dict.fromkeys(k for c in cases if isinstance(c, Mapping) for k in c))
    unknown = [name for name in _PLACEHOLDER.findall(template) if name and name not in fields]
    if not unknown:
        return (
            f" For evaluate_each, put $key, %s or %# in the name ({template!r}) so each case's "
            "name differs."
        )
    has = f"they have ${', $'.join(map(str, fields))}" if fields else "they aren't dicts"
    return (
        f" In evaluate_each's name {template!r}, ${unknown[0]} is no field of the cases: {has}; "
        "%s is the whole case and %# its index."
    )


def _with_case(body: AnyBody, case: Any) -> AnyBody:
    if not is_async(body):
        return lambda c: body(c, case)

    async def with_case(c: Any) -> Any:
        result = body(c, case)
        return await result if inspect.isawaitable(result) else result

    return with_case


# ── group and todo ───────────────────────────────────────────────────────────────────────────


@overload
def group(name: str, declare: Callable[[], object], /, *, mode: Mode = "run") -> None: ...
@overload
def group(
    name: str, options: EvalOptions, declare: Callable[[], object], /, *, mode: Mode = "run"
) -> None: ...


def group(*args: Any, mode: Mode = "run", **misplaced: Any) -> None:
    """A group: its options apply to the evals and groups that `declare()` declares.

    `declare` runs once the file has been loaded.
    """
    name, options, declare = _arguments("group", args, mode, misplaced)
    if declare is None:
        raise TypeError(
            f"group({name!r}) needs the function that declares what is in it: "
            f"group({name!r}, fn), or group({name!r}, options, fn)"
        )
    collector("group(…)").group(name, mode, options, declare)


def todo(name: str) -> None:
    """An eval still to write: listed in the plan, never run."""
    if not isinstance(name, str):
        raise TypeError(f'todo takes a name, e.g. todo("handles an empty list") (got {name!r})')
    collector("todo(…)").todo(name)


# ── what is wrong with a declaration ─────────────────────────────────────────────────────────


def _arguments(
    what: str, args: tuple[Any, ...], mode: object, misplaced: Mapping[str, Any]
) -> tuple[str, dict[str, Any], Callable[..., Any] | None]:
    """`(name, options?, function?)`, checked; a wrong call is shown as it should be."""
    name = args[0] if args else None
    if misplaced:
        shown = name if isinstance(name, str) else "name"
        raise TypeError(
            f"{what} takes its options as a dict: {what}({shown!r}, {as_dict(misplaced)})"
        )
    if not isinstance(name, str):
        raise TypeError(_needs_name(what, name))
    if mode not in get_args(Mode):
        raise TypeError(f'{what}({name!r}): mode is "run", "skip" or "only" (got {mode!r})')
    rest = [a for a in args[1:] if a is not None]
    function = rest.pop() if rest and callable(rest[-1]) else None
    if len(rest) > 1:
        raise TypeError(f"{what} takes a name, options and a function: {what}({name!r}, {{…}}, fn)")
    return name, _options(f"{what}({name!r})", rest[0] if rest else None), function


def _needs_name(what: str, got: object) -> str:
    if what == "evaluate" and callable(got):
        called = getattr(got, "__name__", "greets")
        return (
            f'evaluate takes the eval\'s name first: @evaluate("{called}") above the body, or '
            f'evaluate("{called}", {called})'
        )
    return f'{what} takes a name first, e.g. {what}("greets", …) (got {got!r})'


def _options(where: str, options: object) -> dict[str, Any]:
    if options is None:
        return {}
    if not isinstance(options, Mapping) or not all(isinstance(k, str) for k in options):
        raise TypeError(f'{where}: options are a dict, e.g. {{"runs": 3}} (got {options!r})')
    try:
        return options_to_wire(options)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where}: {error}") from None


def is_async(body: AnyBody) -> bool:
    """Whether a body is `async def`, under any decorators that keep `functools.wraps`."""
    return inspect.iscoroutinefunction(body) or inspect.iscoroutinefunction(_unwrapped(body))


def _unwrapped(body: AnyBody) -> AnyBody:
    try:
        return cast(AnyBody, inspect.unwrap(body))
    except ValueError:  # a wrapper that names itself
        return body


def _check_body(body: object, where: str, takes: tuple[str, ...]) -> None:
    example = f"def body({', '.join(takes)})"
    if not callable(body):
        raise TypeError(f"{where}: the body is a function, e.g. {example} (got {body!r})")
    inner = _unwrapped(body)
    if inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        raise TypeError(
            f"{where}: an eval body can't yield, or it never runs: declare it def or async def "
            "without yield"
        )
    try:
        inspect.signature(body).bind(*takes)
    except TypeError:
        takes_text = "the attempt" if takes == ("c",) else "the attempt and its case"
        raise TypeError(f"{where}: the body takes {takes_text}, e.g. {example}") from None
    except ValueError:
        pass  # a built-in that doesn't tell its signature


__all__ = [
    "AsyncBody",
    "AsyncCaseBody",
    "Body",
    "Collector",
    "Mode",
    "SyncBody",
    "SyncCaseBody",
    "case_name",
    "evaluate",
    "evaluate_each",
    "group",
    "is_async",
    "todo",
]
