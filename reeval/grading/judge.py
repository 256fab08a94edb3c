"""`c.judge`: whom to ask about which turn or value, and the verdict. Only the fake judge so far."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from reeval.config.errors import UsageError, nearest
from reeval.config.model import FakeJudge, JudgeSpec
from reeval.grading.base import TurnFacts
from reeval.grading.equality import is_number
from reeval.grading.shown import shown
from reeval.grading.turns import turn_at
from reeval.protocol.messages import Judge

FAKE_JUDGE = "fake-judge"

_OPTIONS = (
    "artifacts",
    "gateway",
    "maxConcurrent",
    "model",
    "on",
    "providerOptions",
    "state",
    "threshold",
)


@dataclass(frozen=True, slots=True)
class Judging:
    """One judge call that ended. `score` (0–1) is None and `error` says why when it failed.

    `key` is `<index>:<the first 12 hex digits of sha256(question)>`, `index` the call's place
    among the attempt's judge calls, from 0.
    """

    question: str
    verdict: Literal["pass", "fail", "error"]
    score: float | None
    threshold: float
    model: str
    key: str
    error: str | None = None

    def to_wire(self) -> dict[str, Any]:
        """The protocol's verdict. A failure's score is 0, which every SDK can read."""
        out: dict[str, Any] = {
            "verdict": self.verdict,
            "score": 0 if self.score is None else self.score,
            "threshold": self.threshold,
            "question": self.question,
            "model": self.model,
        }
        return out if self.error is None else {**out, "error": self.error}

    def to_record(self) -> dict[str, Any] | None:
        """The record's `JudgmentRecord`; None for a failure, which has no verdict to keep."""
        if self.score is None:
            return None
        return {
            "question": self.question,
            "verdict": self.verdict,
            "score": self.score,
            "threshold": self.threshold,
            "model": self.model,
            "key": self.key,
        }


async def judge(call: Judge, spec: JudgeSpec, turns: Sequence[TurnFacts], index: int) -> Judging:
    """Asks the judge, with the call's options laid over the attempt's.

    A provider's failure is an answer. Raises `UsageError` for options that can't be, and when
    there is nothing to grade.
    """
    merged = judge_spec(call.options, spec)
    _check_graded(call.options, turns)
    key = (
        f"{index}:{hashlib.sha256(call.question.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
    )
    model = merged.model
    if isinstance(model, FakeJudge):
        verdict: Literal["pass", "fail"] = "pass" if model.score >= merged.threshold else "fail"
        return Judging(call.question, verdict, model.score, merged.threshold, FAKE_JUDGE, key)
    why = (
        'no judge model is set: set the judge option, such as judge={"model": fake_judge(score=1)}'
        if model is None
        else f"judge {model}: judge providers are not in this version yet, use fake_judge(score=…)"
    )
    return Judging(call.question, "error", None, merged.threshold, model or "", key, why)


# ── options ──────────────────────────────────────────────────────────────────────────────────


def judge_spec(options: Mapping[str, Any], spec: JudgeSpec) -> JudgeSpec:
    """The call's options over the attempt's judge; `state` key by key. Raises `UsageError`."""
    if not options:
        return spec
    for name in options:
        if name not in _OPTIONS:
            close = nearest(name, _OPTIONS)
            hint = f", did you mean {close!r}?" if close else ""
            raise UsageError(f"c.judge has no option {name!r}{hint}")
    if options.get("artifacts"):
        raise UsageError("c.judge(artifacts=…) is not in this version yet: nor is c.capture")
    return replace(
        spec,
        model=_model(options["model"]) if "model" in options else spec.model,
        threshold=_unit(options["threshold"], "threshold")
        if "threshold" in options
        else spec.threshold,
        state={**spec.state, **_mapping(options, "state")},
        provider_options={**spec.provider_options, **_mapping(options, "providerOptions")},
        max_concurrent=options.get("maxConcurrent", spec.max_concurrent),
        gateway=_gateway(options["gateway"]) if "gateway" in options else spec.gateway,
    )


def _model(value: Any) -> str | FakeJudge:
    match value:
        case str():
            return value
        case {"kind": "fake-judge", "score": score}:
            return FakeJudge(_unit(score, "fake_judge(score=…)"))
    raise UsageError(
        f"c.judge(model=…) takes 'provider/model' or fake_judge(score=…), got {shown(value)}"
    )


def _unit(value: Any, what: str) -> float:
    if is_number(value) and 0 <= value <= 1:
        return float(value)
    raise UsageError(f"c.judge's {what} is a number from 0 to 1, got {shown(value)}")


def _mapping(options: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = options.get(name) or {}
    if not isinstance(value, Mapping):
        raise UsageError(f"c.judge's {name} is a mapping, got {shown(value)}")
    return value


def _gateway(value: Any) -> str:
    match value:
        case str():
            return value
        case {"kind": str(name)}:
            return name
    raise UsageError(f"c.judge's gateway is a gateway's name, got {shown(value)}")


# ── what is graded ───────────────────────────────────────────────────────────────────────────


def _check_graded(options: Mapping[str, Any], turns: Sequence[TurnFacts]) -> None:
    """Raises `UsageError` unless there is a turn or a value to grade."""
    on = options.get("on")
    match on:
        case None:
            if not turns:
                raise UsageError(
                    "c.judge() grades a turn, and there is none yet: call c.send() first"
                )
        case {"turn": int(index)}:
            if turn_at(turns, index) is None:
                raise UsageError(f"c.judge(on=turn {index + 1}): the attempt has no such turn")
        case {"value": _}:
            return
        case _:
            raise UsageError(f"c.judge(on=…) takes a turn or a value, got {shown(on)}")
