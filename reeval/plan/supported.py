"""What this version can't run yet, in one place: a plan that needs it is refused before it runs."""

from __future__ import annotations

from collections.abc import Iterator

from reeval.config.errors import UsageError
from reeval.config.model import EnvironmentSpec, SkillSource
from reeval.plan.model import Cell, Plan, PlannedEval


def refuse_unsupported(plan: Plan) -> None:
    """Raises `UsageError` for the first eval that needs what isn't there, naming it."""
    for planned in plan.evals:
        if planned.skip is not None:
            continue
        for need, instead in _missing(planned):
            raise UsageError(
                f"{need} is not in this version yet; {instead}",
                file=planned.file,
                key=_declared_as(planned),
            )


def _declared_as(planned: PlannedEval) -> str:
    if planned.family is not None:
        return f'evaluate_each("{planned.family.name}")'
    return f'evaluate("{planned.name}")'


def _missing(planned: PlannedEval) -> Iterator[tuple[str, str]]:
    """Each need and what to do instead."""
    for cell in planned.cells:
        yield from _missing_for(cell)
    compare = planned.options.compare
    if compare is not None and compare.stop is not None:
        yield "stopping a comparison early (compare.stop)", "leave it out"
    if compare is not None and compare.min_lift is not None and planned.family is not None:
        # It gates all of the suite's cases as one, and never a case on its own.
        yield "min_lift over a pooled suite", "leave out min_lift, or pool"


def _missing_for(cell: Cell) -> Iterator[tuple[str, str]]:
    fake = "use fake_harness(…), which runs in the fake sandbox"
    if cell.harness.kind != "fake":
        yield f"the {cell.harness.kind} harness", fake
    if cell.sandbox.kind != "fake":
        yield f"the {cell.sandbox.kind} sandbox", fake
    if cell.environment is not None:
        yield from _missing_in(cell.environment)


def _missing_in(environment: EnvironmentSpec) -> Iterator[tuple[str, str]]:
    if environment.workspace is not None:
        yield "a Git workspace (workspace)", "write what the agent needs with files or setup"
    if environment.plugins:
        yield "a plugin (plugins)", "place its skills, rules and MCP servers yourself"
    for skill in environment.skills:
        if skill.source not in ("local", "inline"):
            yield f"skill.{skill.source}", _skill_hint(skill)


def _skill_hint(skill: SkillSource) -> str:
    where = skill.fields.get("repo") or skill.fields.get("spec") or skill.fields.get("id")
    copied = f"copy {where} into the project" if where else "copy it into the project"
    return f"{copied} and use skill.local(…)"
