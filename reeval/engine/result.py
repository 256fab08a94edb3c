"""From what happened to the record: an attempt's facts as its `AttemptRecord`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reeval.config.model import Egress
from reeval.engine.facts import CheckRun, Facts, TurnRun
from reeval.engine.outcome import Decided
from reeval.harness.base import Usage
from reeval.harness.transcript import activity
from reeval.plan.environments import egress_record
from reeval.plan.model import Cell, PlannedEval
from reeval.protocol.cuts import CUT
from reeval.record.schema import AttemptFiles, AttemptRecord

TEXT_LIMIT = 8 * 1024
ERROR_LIMIT = 1024


def attempt_record(
    planned: PlannedEval,
    cell: Cell,
    n: int,
    *,
    seq: int,
    started_at: str,
    duration_ms: float,
    facts: Facts,
    decided: Decided,
    files: AttemptFiles,
    mask: Callable[[str], str],
) -> AttemptRecord:
    """`files` are the refs to what was stored; `duration_ms` is the whole attempt's.

    Texts are masked before they are cut: what is left of a cut secret can't be recognised.
    """
    ident = f"{cell.key}#{n}"
    record: dict[str, Any] = {
        "key": f"{planned.id} # {ident}",
        "id": ident,
        "cell": cell.key,
        "n": n,
        "seq": seq,
        "startedAt": started_at,
        "imageId": facts.image_id,
        "env": {
            "vars": facts.env_vars,
            "secrets": facts.env_secrets,
            "brokered": facts.env_brokered,
        },
        "context": [{"path": c.path, "sha256": c.sha256} for c in facts.context],
        "egress": _egress(cell.egress) if facts.sandbox_started else None,
        "servedModels": None,
        "effort": cell.harness.effort,
        "servedEffort": _served_effort(facts.turns),
        "outcome": decided.outcome,
        "error": decided.error,
        "durationMs": round(duration_ms),
        "turns": [_turn(turn, mask) for turn in facts.turns],
        "usage": _usage(facts.turns),
        "timings": {
            "setupMs": round(facts.timings.setup),
            "agentMs": round(facts.timings.agent),
            "diffMs": round(facts.timings.diff),
            "checksMs": round(facts.timings.checks),
            "judgeMs": round(facts.timings.judge),
        },
        "activity": activity([(turn.events, turn.unreported) for turn in facts.turns]),
        "judgements": facts.judgements,
        "checks": [_check(run) for run in facts.checks],
        "changedFiles": facts.changed,
        "files": files,
    }
    if facts.start_retries:
        record["startRetries"] = facts.start_retries
    if facts.assertions:
        record["assertions"] = facts.assertions
    return record  # type: ignore[return-value]  # built key by key as the schema has them


def _turn(turn: TurnRun, mask: Callable[[str], str]) -> dict[str, Any]:
    return {
        "prompt": turn.prompt,
        "status": turn.status,
        "startedAt": turn.started_at,
        "durationMs": turn.duration_ms,
        "text": cut(mask(turn.text), TEXT_LIMIT),
        "usage": None if turn.usage is None else turn.usage.to_json(),
        "model": turn.model,
        "unreported": list(turn.unreported),
        "error": None if turn.error is None else cut(mask(turn.error), ERROR_LIMIT),
    }


def _check(run: CheckRun) -> dict[str, Any]:
    out: dict[str, Any] = {
        "command": run.command,
        "exitCode": run.exit_code,
        "durationMs": run.duration_ms,
    }
    if run.log is not None:
        out["log"] = run.log
    if run.retries:
        out["retries"] = run.retries
        out["tries"] = [{"exitCode": code, "durationMs": ms} for code, ms in run.tries]
    return out


def _egress(policy: Egress) -> dict[str, Any]:
    """The local sandbox can't see traffic: nothing is recorded."""
    return {
        "policy": egress_record(policy),
        "allowed": None,
        "recorded": False,
        "contacted": [],
        "blocked": [],
        "expectedBlocked": [],
    }


def _usage(turns: list[TurnRun]) -> dict[str, int | None] | None:
    """The sum over the turns that reported usage; None when none did."""
    reported = [turn.usage for turn in turns if turn.usage is not None]
    if not reported:
        return None
    thought = [u.reasoning for u in reported if u.reasoning is not None]
    return Usage(
        sum(u.input for u in reported),
        sum(u.output for u in reported),
        sum(u.cache_read for u in reported),
        sum(u.cache_write for u in reported),
        sum(thought) if thought else None,
    ).to_json()


def _served_effort(turns: list[TurnRun]) -> str | None:
    """`medium` from a served model such as `gpt-5.6-luna[effort=medium]`; the last one named."""
    for turn in reversed(turns):
        _, mark, rest = (turn.model or "").partition("[effort=")
        if mark:
            return rest.partition("]")[0].partition(",")[0]
    return None


def cut(text: str, limit: int) -> str:
    """`text` within `limit` bytes of UTF-8, with what was left out said at the end."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= limit:
        return text
    note = f"{CUT} ({len(data)} bytes in all)"
    kept = data[: limit - len(note.encode())].decode("utf-8", "ignore")
    return kept + note
