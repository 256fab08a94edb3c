"""Makes the plan: loads eval files, resolves their options, crosses them with harnesses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reeval.config.cascade import resolve_options, shared_options
from reeval.config.errors import UsageError, nearest
from reeval.config.model import EvalOptions, Profile, Secret, Settings
from reeval.config.options import Layer
from reeval.config.profiles import choose_profile, profile_record
from reeval.config.secrets import host_variables, secret_values, secrets_of
from reeval.launcher.command import runner_command
from reeval.plan.cells import Cells
from reeval.plan.collect import Collected, collect
from reeval.plan.declarations import DeclaredEval
from reeval.plan.discover import discover
from reeval.plan.environments import Environments
from reeval.plan.estimate import estimate_ms
from reeval.plan.fingerprint import eval_fingerprint, source_record, sources_part
from reeval.plan.matrix import Arm, arms, baseline_record
from reeval.plan.model import Plan, PlannedEval
from reeval.plan.names import slug
from reeval.plan.notes import profile_notes, warnings
from reeval.plan.request import PlanRequest
from reeval.plan.select import files_to_load, read_selectors, read_tags, select
from reeval.plan.source import SourceFile
from reeval.plan.supported import refuse_unsupported

NOT_ONLY = "not selected by .only"
UNCHANGED = "nothing to run: each eval passed the last time and is as it was then"


async def make_plan(settings: Settings, request: PlanRequest, environ: Mapping[str, str]) -> Plan:
    """What a run of this project will do. Loads its eval files in runner processes.

    Raises `UsageError` for every mistake in the config, the eval files' options or the request,
    for a selection that matches nothing, and, `to_run`, for a plan above `budget.attempts` or one
    that needs what this version doesn't have. A file that doesn't load is one of `failures`.
    """
    files = discover(settings.root, settings.evals)
    if not files:
        globs = ", ".join(settings.evals)
        raise UsageError(f"{settings.root} has no eval file ({globs}): `reeval init` writes one")
    selectors = read_selectors(request.selectors, files, settings.root, request.cwd)
    command = runner_command(settings, environ)
    loaded = await collect(files_to_load(selectors, files), command, request.on_stray)
    chosen = select(selectors, loaded.evals, [failure.file for failure in loaded.failures])
    planner = _Planner(settings, request, environ)
    plan = planner.plan(chosen, loaded)
    over = _over_budget(plan)
    if not request.to_run:
        return replace(plan, warnings=(*plan.warnings, over)) if over else plan
    if over:
        raise UsageError(over, file=settings.file, key="budget.attempts")
    refuse_unsupported(plan)
    return plan


@dataclass(frozen=True, slots=True)
class _Resolved:
    """A selected eval with its options, and its arms unless it is a todo."""

    declared: DeclaredEval
    options: EvalOptions
    arms: tuple[Arm, ...] = ()
    skip: str | None = None


class _Planner:
    def __init__(
        self, settings: Settings, request: PlanRequest, environ: Mapping[str, str]
    ) -> None:
        self._settings = settings
        self._request = request
        self._environ = environ
        self._profile: Profile | None = None
        self._profile_record: Mapping[str, object] | None = None
        self._sources: dict[str, SourceFile] = {}
        chosen = choose_profile(settings, environ, request.profile)
        if chosen is not None:
            self._profile, reason = chosen
            self._profile_record = profile_record(self._profile, reason, settings)
        self._shared = shared_options(settings, self._profile)

    def plan(self, chosen: Sequence[DeclaredEval], loaded: Collected) -> Plan:
        resolved = self._by_harness(self._by_tag(self._resolve_all(chosen)))
        if not resolved and not loaded.failures:
            raise UsageError("the eval files declare no eval: write one with @evaluate(…)")
        resolved, only_warnings = _by_only(resolved)
        values = self._secrets(resolved)
        environments = Environments(self._settings.root, values)
        cells = Cells(self._settings, environments)
        evals = tuple(self._planned(r, cells) for r in resolved)
        changed = self._by_change(evals)
        nothing = self._request.only_changed is not None and all(e.skip for e in changed)
        unchanged = (UNCHANGED,) if nothing and not loaded.failures else ()
        return Plan(
            settings=self._settings,
            evals=changed,
            failures=loaded.failures,
            profile=self._profile_record,
            environments=environments.records(c for e in changed for c in e.cells),
            secrets=values,
            estimate_ms=estimate_ms(changed, self._request.past),
            notes=profile_notes(self._profile_record, changed),
            warnings=(*only_warnings, *unchanged, *warnings(changed)),
            language_version=loaded.language_version,
        )

    # ── options ──────────────────────────────────────────────────────────────────────────────

    def _resolve_all(self, chosen: Sequence[DeclaredEval]) -> list[_Resolved]:
        """Cases of a family share their levels, and so their options and arms."""
        found: list[_Resolved] = []
        for declared in chosen:
            before = found[-1] if found else None
            if before is not None and declared.levels is before.declared.levels:
                found.append(replace(before, declared=declared))
            else:
                found.append(self._resolve(declared))
        return found

    def _resolve(self, declared: DeclaredEval) -> _Resolved:
        if declared.todo:
            return _Resolved(declared, EvalOptions(tags=self._todo_tags(declared)), skip="todo")
        layers = [Layer(v.source, v.options, declared.file) for v in declared.levels]
        overrides = self._request.overrides
        options = resolve_options(self._settings, self._profile, layers, overrides)
        try:
            found = arms(options, self._settings, self._request.harness)
        except UsageError as error:
            key = declared.levels[-1].source
            raise UsageError(error.message, file=declared.file, key=key) from None
        return _Resolved(declared, options, found, "skip" if declared.skipped else None)

    def _secrets(self, resolved: Iterable[_Resolved]) -> Mapping[str, str]:
        """Host variable → value of what the plan may use, keys of model gateways among them."""
        host = host_variables(self._settings.root, self._environ)
        keys = (Secret(g.key) for g in self._settings.gateways.values() if g.key is not None)
        used = (secret for r in resolved for secret in secrets_of(r.options))
        return secret_values((*keys, *used), host).values

    def _todo_tags(self, declared: DeclaredEval) -> tuple[str, ...]:
        """A todo has no options but its groups', and needs no harness."""
        own = (tag for level in declared.levels for tag in level.options.get("tags", ()))
        return tuple(dict.fromkeys((*self._shared.tags, *own)))

    # ── selection by what the options say ────────────────────────────────────────────────────

    def _by_tag(self, resolved: list[_Resolved]) -> list[_Resolved]:
        wanted = read_tags(self._request.tags)
        wanted.check(tag for r in resolved for tag in r.options.tags)
        kept = [r for r in resolved if wanted.passes(r.options.tags)]
        if resolved and not kept:
            raise UsageError(f"no eval has the tags asked for: {', '.join(self._request.tags)}")
        return kept

    def _by_harness(self, resolved: list[_Resolved]) -> list[_Resolved]:
        """An eval without the harness asked for isn't planned; a limit's still is, as skipped."""
        if not self._request.harness:
            return [r if r.arms or r.skip else _left_out(r) for r in resolved]
        kept = [r for r in resolved if r.arms]
        if resolved and not kept:
            words = " or ".join(word or "''" for word in self._request.harness)
            raise UsageError(
                f"no eval runs on {words}{self._near_harness(resolved)}", key="--harness"
            )
        return kept

    def _near_harness(self, resolved: Iterable[_Resolved]) -> str:
        known = {h.id for r in resolved for h in r.options.harness}
        known |= {h.kind for r in resolved for h in r.options.harness}
        known |= set(self._settings.harnesses)
        close = nearest(self._request.harness[0], known)
        return f" (did you mean {close!r}?)" if close else ""

    def _by_change(self, evals: tuple[PlannedEval, ...]) -> tuple[PlannedEval, ...]:
        passed = self._request.only_changed
        if passed is None:
            return evals
        return tuple(e for e in evals if passed.get(e.id) != e.fingerprint)

    # ── the eval as planned ──────────────────────────────────────────────────────────────────

    def _planned(self, resolved: _Resolved, made: Cells) -> PlannedEval:
        declared, options = resolved.declared, resolved.options
        source = self._source(declared.file)
        record = source_record(declared, source)
        sources = sources_part(record, options.revision)
        cells = tuple(made.make(arm, options, sources) for arm in resolved.arms)
        return PlannedEval(
            id=declared.id,
            slug=slug(declared.id),
            file=declared.file,
            group=declared.group,
            name=declared.name,
            body=declared.body,
            options=options,
            cells=cells,
            fingerprint=eval_fingerprint({c.key: c.fingerprint for c in cells}, sources),
            sources=({"path": declared.file, "sha256": source.sha256},),
            source=record,
            skip=resolved.skip,
            todo=declared.todo,
            family=declared.family,
            compare_baseline=baseline_record(options),
        )

    def _source(self, file: str) -> SourceFile:
        if file not in self._sources:
            self._sources[file] = SourceFile(Path(self._settings.root), file)
        return self._sources[file]


def _left_out(resolved: _Resolved) -> _Resolved:
    return replace(resolved, skip="the profile's limit leaves it no harness")


def _by_only(resolved: list[_Resolved]) -> tuple[list[_Resolved], tuple[str, ...]]:
    """Where one eval is `.only`, the others are skipped, and a warning says so."""
    only = [r for r in resolved if r.declared.only and r.skip is None]
    if not only:
        return resolved, ()
    marked = [
        r if r.skip is not None or r.declared.only else replace(r, skip=NOT_ONLY) for r in resolved
    ]
    skipped = sum(r.skip == NOT_ONLY for r in marked)
    names = f"{len(only)} eval is" if len(only) == 1 else f"{len(only)} evals are"
    first = only[0].declared.id
    return marked, (f"{names} marked .only ({first}), so {skipped} others don't run",)


def _over_budget(plan: Plan) -> str:
    """Why the plan may not run as it is; empty where it may."""
    allowed = plan.settings.budget.attempts
    if allowed is None or plan.attempts <= allowed:
        return ""
    return (
        f"the plan has {plan.attempts} attempts and the budget allows {allowed}: select fewer "
        "evals, lower runs, or raise it"
    )
