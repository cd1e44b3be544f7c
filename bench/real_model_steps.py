"""What a real model must show through the control plane, step by step, with the server's own
count as the truth. Each step tells what it saw, and fails where the ledger says something else."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final, Literal

import sqlalchemy as sa
from pydantic import BaseModel

from assay.errors import CallDenied
from assay.llm.limits import Policy
from assay.llm.messages import ModelRequest, Provider
from assay.llm.plane import ControlPlane
from assay.llm.scope import Basis, CallState, Denial
from assay.store import spending
from bench.real_model_setup import Model
from bench.real_model_truth import Counted, ModelServer

QUESTION: Final = "Which river flows through Vienna? Answer in one sentence."
STORY: Final = "Write a long story about a river and the town on its bank."
SENTENCE: Final = (
    "Extract the discount rate in percent, the day on which it takes effect and the direction of "
    "the change, as JSON. Sentence: The Board raised the discount rate to 5.50 percent, effective "
    "July 27, 2023."
)
_IN_A_ROW: Final = 12
_CANCELLED_AFTER: Final = 20
_LONG: Final = 400
_IDLE_WITHIN_S: Final = 5.0
_OFF_BY_TOKENS: Final = 8
_OFF_BY_SHARE: Final = 0.25


class RateChange(BaseModel):
    """What the sentence says."""

    rate_percent: float
    effective: date
    direction: Literal["raised", "lowered", "kept"]


class StepFailed(Exception):
    """A step saw something else than it must."""


@dataclass(frozen=True)
class Trial:
    """One run of all steps against one server."""

    model: Model
    server: ModelServer
    provider: Callable[[], Provider]
    """A new way to the server; each plane closes its own."""
    plane: ControlPlane
    database_url: str
    engine: sa.Engine
    """To read the plane's tables."""
    start: Counted
    """What the server had counted before the first step."""
    aside: list[Counted] = field(default_factory=list)
    """What it counted that did not go through the plane."""

    def call(self, call_id: str) -> sa.RowMapping:
        """The ledger's row of a call."""
        found = sa.select(spending.call).where(spending.call.c.call_id == call_id)
        with self.engine.connect() as connection:
            return connection.execute(found).mappings().one()

    def calls(self) -> list[sa.RowMapping]:
        """The whole ledger, in the order of the calls."""
        found = sa.select(spending.call).order_by(spending.call.c.reserved_ms)
        with self.engine.connect() as connection:
            return list(connection.execute(found).mappings())

    def require_no_permit_out(self) -> None:
        """Every permit came back."""
        still = [row["call_id"] for row in self.calls() if row["state"] == CallState.OPEN]
        require(not still, f"{len(still)} permits are still out")


def require(holds: bool, otherwise: str) -> None:
    """Fail the step unless something holds; unlike an assertion, also in optimised runs."""
    if not holds:
        raise StepFailed(otherwise)


async def healthy(trial: Trial) -> dict[str, Any]:
    """The server runs, idle, and its tokenizer counts."""
    tokens = await trial.server.prompt_tokens(QUESTION)
    require(tokens > len(QUESTION.split()), f"the tokenizer counts only {tokens} tokens")
    return {"prompt_tokens_of_a_question": tokens}


async def plain_text(trial: Trial) -> dict[str, Any]:
    """An answer arrives, and the ledger has the server's own usage."""
    expected = await trial.server.prompt_tokens(QUESTION)
    before = await trial.server.counted()
    answer = await trial.plane.ask(QUESTION, max_tokens=48)
    seen = await trial.server.counted() - before
    require(bool(answer.text.strip()), "the answer is empty")
    require(
        seen.prompt_tokens == expected,
        f"the server read {seen.prompt_tokens} tokens, its tokenizer makes {expected}",
    )
    _require_reported(trial.call(answer.call_id), seen)
    return {"answer": answer.text, **_told(seen)}


async def streaming(trial: Trial) -> dict[str, Any]:
    """The pieces arrive while the model writes, not at its end."""
    before = await trial.server.counted()
    began = time.monotonic()
    moments: list[float] = []
    pieces: list[str] = []
    async with trial.plane.stream(STORY, max_tokens=48) as live:
        async for text in live:
            moments.append(time.monotonic() - began)
            pieces.append(text)
    seen = await trial.server.counted() - before
    require(len(pieces) > 1, f"{len(pieces)} pieces are no stream")
    require("".join(pieces) == live.text, "the pieces are not the text")
    spread = moments[-1] - moments[0]
    require(
        spread > seen.generating_s / 2,
        f"the pieces came within {spread:.3f} s, the model wrote for {seen.generating_s:.3f} s",
    )
    _require_reported(trial.call(live.call_id), seen)
    return {
        "pieces": len(pieces),
        "moments": len(set(moments)),
        "first_token_s": round(moments[0], 3),
        "last_token_s": round(moments[-1], 3),
        **_told(seen),
    }


async def schema(trial: Trial) -> dict[str, Any]:
    """The answer fits a Pydantic type; a model that can, also fills it rightly."""
    before = await trial.server.counted()
    answer = await trial.plane.ask(SENTENCE, answer_type=RateChange, max_tokens=128)
    seen = await trial.server.counted() - before
    require(isinstance(answer.value, RateChange), f"the value is {answer.value!r}")
    if trial.model.sensible:
        right = RateChange(rate_percent=5.5, effective=date(2023, 7, 27), direction="raised")
        require(answer.value == right, f"the model read {answer.value!r}")
    _require_reported(trial.call(answer.call_id), seen)
    return {"value": answer.value.model_dump(mode="json"), **_told(seen)}


async def in_a_row(trial: Trial) -> dict[str, Any]:
    """Calls that follow each other at once all arrive: no connection is used that has ended.

    Without the plane, whose own work between two calls would hide it.
    """
    before = await trial.server.counted()
    provider = trial.provider()
    try:
        for _ in range(_IN_A_ROW):
            async with provider.open(ModelRequest(user="Hello", max_tokens=2)) as stream:
                async for _ in stream:
                    pass
    finally:
        await provider.close()
        seen = await trial.server.counted() - before
        trial.aside.append(seen)
    require(seen.requests == _IN_A_ROW, f"{seen.requests} of {_IN_A_ROW} calls arrived")
    return {"calls": seen.requests, **_told(seen)}


async def cancelled_stream(trial: Trial) -> dict[str, Any]:
    """Leaving a stream early closes the connection, and charges about what was used."""
    before = await trial.server.counted()
    pieces = 0
    async with trial.plane.stream(STORY, max_tokens=_LONG) as live:
        async for _ in live:
            pieces += 1
            if pieces == _CANCELLED_AFTER:
                left = time.monotonic()
                break
    require(pieces == _CANCELLED_AFTER, f"the answer ended after {pieces} pieces")
    closing_s = time.monotonic() - left
    idle_s = closing_s + await trial.server.wait_until_idle()
    seen = await trial.server.counted() - before
    told = _require_cancelled(trial, trial.call(live.call_id), seen, idle_s)
    return {"pieces": pieces, "closing_ms": round(1000 * closing_s, 1), **told}


async def cancelled_task(trial: Trial) -> dict[str, Any]:
    """A task that is cancelled while it asks does the same."""
    before = await trial.server.counted()
    known = {row["call_id"] for row in trial.calls()}
    task = asyncio.create_task(trial.plane.ask(STORY, max_tokens=_LONG))
    await trial.server.wait_until_writing(_CANCELLED_AFTER)
    left = time.monotonic()
    task.cancel()
    await asyncio.wait([task])
    require(task.cancelled(), "the task was not cancelled")
    idle_s = time.monotonic() - left + await trial.server.wait_until_idle()
    seen = await trial.server.counted() - before
    (row,) = (row for row in trial.calls() if row["call_id"] not in known)
    return _require_cancelled(trial, row, seen, idle_s)


async def accounting(trial: Trial) -> dict[str, Any]:
    """The ledger adds up to the server's counters, but for what a cancelled call is off by."""
    seen = await trial.server.counted() - trial.start
    for aside in trial.aside:
        seen -= aside
    rows = trial.calls()
    trial.require_no_permit_out()
    require(len(rows) == seen.requests, f"{len(rows)} calls, {seen.requests} requests")
    charged = sum(row["charged_tokens"] for row in rows)
    estimated = [row for row in rows if row["basis"] != Basis.REPORTED]
    require(
        all(row["state"] == CallState.CANCELLED for row in estimated),
        "a call that was not cancelled is only estimated",
    )
    allowed = len(estimated) * _OFF_BY_TOKENS + _OFF_BY_SHARE * sum(
        row["charged_tokens"] for row in estimated
    )
    off = charged - seen.tokens
    require(abs(off) <= allowed, f"the ledger is off by {off} tokens of {seen.tokens}")
    return {
        "calls": len(rows),
        "cancelled": len(estimated),
        "ledger_tokens": charged,
        "server_tokens": seen.tokens,
        "off_by_tokens": off,
        "learned": _learned(trial),
    }


async def daily_cap(trial: Trial) -> dict[str, Any]:
    """A cap that the day's calls have all but used denies the next, before it is sent."""
    spent = sum(row["charged_tokens"] for row in trial.calls())
    before = await trial.server.counted()
    policy = Policy(daily_tokens=spent + 5)
    async with ControlPlane.open(trial.database_url, [trial.provider()], policy=policy) as capped:
        try:
            await capped.ask(QUESTION, max_tokens=8)
        except CallDenied as denied:
            reason, recovers_ms = denied.reason, denied.recovers_ms
        else:
            raise StepFailed("the call was granted")
    seen = await trial.server.counted() - before
    require(reason == Denial.GLOBAL_DAILY_CAP_EXCEEDED, f"denied for {reason}")
    require(seen == Counted(0, 0, 0, 0.0), f"the server saw {seen}")
    require(recovers_ms is not None and recovers_ms > time.time() * 1000, "no time of recovery")
    trial.require_no_permit_out()
    # The same call without the cap, so that nothing else was the reason.
    await trial.plane.ask(QUESTION, max_tokens=8)
    granted = await trial.server.counted() - before
    require(granted.requests == 1, f"without the cap the server saw {granted}")
    return {"cap_tokens": spent + 5, "spent_tokens": spent, "reason": str(reason)}


STEPS: Final[Mapping[str, Callable[[Trial], Awaitable[dict[str, Any]]]]] = {
    "healthy": healthy,
    "plain_text": plain_text,
    "streaming": streaming,
    "schema": schema,
    "in_a_row": in_a_row,
    "cancelled_stream": cancelled_stream,
    "cancelled_task": cancelled_task,
    "accounting": accounting,
    "daily_cap": daily_cap,
}


def _told(seen: Counted) -> dict[str, int]:
    return {"prompt_tokens": seen.prompt_tokens, "completion_tokens": seen.completion_tokens}


def _require_reported(row: sa.RowMapping, seen: Counted) -> None:
    require(seen.requests == 1, f"the server saw {seen.requests} requests for one call")
    require(row["state"] == CallState.DONE, f"the ledger has the call as {row['state']}")
    require(row["basis"] == Basis.REPORTED, f"the ledger's usage is {row['basis']}")
    ledger = (row["prompt_tokens"], row["completion_tokens"])
    server = (seen.prompt_tokens, seen.completion_tokens)
    require(ledger == server, f"the ledger has {ledger} tokens, the server counted {server}")
    require(row["charged_tokens"] == seen.tokens, f"{row['charged_tokens']} tokens were charged")


def _require_cancelled(
    trial: Trial, row: sa.RowMapping, seen: Counted, idle_s: float
) -> dict[str, Any]:
    require(row["state"] == CallState.CANCELLED, f"the ledger has the call as {row['state']}")
    require(seen.requests == 1, f"the server saw {seen.requests} requests for one call")
    require(seen.completion_tokens < _LONG, "the server wrote the answer to its end")
    require(idle_s < _IDLE_WITHIN_S, f"the server wrote on for {idle_s:.1f} s")
    trial.require_no_permit_out()
    off = row["charged_tokens"] - seen.tokens
    allowed = max(_OFF_BY_TOKENS, _OFF_BY_SHARE * seen.tokens)
    require(
        abs(off) <= allowed,
        f"{row['charged_tokens']} tokens were charged, the server counted {seen.tokens}",
    )
    return {
        "idle_ms": round(1000 * idle_s, 1),
        "basis": row["basis"],
        "charged": {key: row[key] for key in ("prompt_tokens", "completion_tokens")},
        "server": _told(seen),
        "off_by_tokens": off,
    }


def _learned(trial: Trial) -> dict[str, Any]:
    with trial.engine.connect() as connection:
        row = connection.execute(sa.select(spending.estimate)).mappings().one_or_none()
    require(row is not None, "nothing was learned of the model's tokens")
    assert row is not None
    require(row["samples"] > 0 and 0.2 < row["factor"] < 5, f"it learned {dict(row)}")
    return {"samples": row["samples"], "factor": round(row["factor"], 3)}
