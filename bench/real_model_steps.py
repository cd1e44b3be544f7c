"""What a real model must show through the control plane, step by step.

The truth is what the server reports when it is asked directly: its own count of the same prompts
and texts. Each step returns what it saw, and fails where the ledger says something else.
"""

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
from assay.llm.messages import ModelRequest, Provider, Usage
from assay.llm.plane import ControlPlane
from assay.llm.scope import CallState, Denial, UsageBasis
from assay.store import spending
from bench.real_model_bare import BareAnswer, BareServer

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
_RESERVED_WITHIN_S: Final = 60.0
_POLL_S: Final = 0.01
_WRITING_S: Final = 0.2
"""Least time that a call is left to write before it is cancelled."""
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

    server: BareServer
    provider: Callable[[], Provider]
    """A new way to the server; each plane closes its own."""
    plane: ControlPlane
    database_url: str
    engine: sa.Engine
    """To read the plane's tables."""
    first: BareAnswer
    """What the server answered before the first step."""
    reported: list[Usage] = field(default_factory=list)
    """The usage of every call through the plane that ended well."""

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

    async def prompt_tokens(self, user: str) -> int:
        """The server's own count of a prompt."""
        return (await self.server.ask(user, 1)).usage.prompt_tokens

    def require_reported(self, call_id: str, usage: Usage, prompt_tokens: int) -> None:
        """The ledger has what the server reported, and the server's own count of the prompt."""
        row = self.call(call_id)
        require(row["state"] == CallState.DONE, f"the ledger has the call as {row['state']}")
        require(row["basis"] == UsageBasis.REPORTED, f"the ledger's usage is {row['basis']}")
        ledger = (row["prompt_tokens"], row["completion_tokens"])
        server = (usage.prompt_tokens, usage.completion_tokens)
        require(ledger == server, f"the ledger has {ledger} tokens, the server reported {server}")
        require(
            row["prompt_tokens"] == prompt_tokens,
            f"the ledger has a prompt of {row['prompt_tokens']} tokens, asked directly the "
            f"server counts {prompt_tokens}",
        )
        charged = row["charged_tokens"]
        require(charged == usage.total_tokens, f"{charged} tokens were charged")
        self.reported.append(usage)

    def require_no_permit_out(self) -> None:
        """Every permit came back."""
        still = [row["call_id"] for row in self.calls() if row["state"] == CallState.OPEN]
        require(not still, f"{len(still)} permits are still out")


def require(holds: bool, otherwise: str) -> None:
    """Fail the step unless something holds; unlike an assertion, also in optimised runs."""
    if not holds:
        raise StepFailed(otherwise)


async def reachable(trial: Trial) -> dict[str, Any]:
    """The server answers directly, and counts more tokens than a question has words."""
    tokens = await trial.prompt_tokens(QUESTION)
    require(tokens >= len(QUESTION.split()), f"the server counts only {tokens} tokens")
    return {"prompt_tokens_of_a_question": tokens, "first_s": round(trial.first.first_s, 3)}


async def plain_text(trial: Trial) -> dict[str, Any]:
    """An answer arrives, and the ledger has the server's own usage."""
    expected = await trial.prompt_tokens(QUESTION)
    answer = await trial.plane.ask(QUESTION, max_tokens=48)
    require(bool(answer.text.strip()), "the answer is empty")
    trial.require_reported(answer.call_id, answer.usage, expected)
    return {"answer": answer.text, **_counts(answer.usage)}


async def streaming(trial: Trial) -> dict[str, Any]:
    """The answer arrives in pieces that are the text; the report has when they came."""
    expected = await trial.prompt_tokens(STORY)
    began = time.monotonic()
    moments: list[float] = []
    pieces: list[str] = []
    async with trial.plane.stream(STORY, max_tokens=48) as live:
        async for text in live:
            moments.append(time.monotonic() - began)
            pieces.append(text)
    require(len(pieces) > 1, f"the answer came in {len(pieces)} pieces")
    require("".join(pieces) == live.text, "the pieces are not the text")
    row = trial.call(live.call_id)
    usage = Usage(row["prompt_tokens"], row["completion_tokens"])
    trial.require_reported(live.call_id, usage, expected)
    return {
        "pieces": len(pieces),
        "first_token_s": round(moments[0], 3),
        "last_token_s": round(moments[-1], 3),
        **_counts(usage),
    }


async def schema(trial: Trial) -> dict[str, Any]:
    """The answer fits a Pydantic type; the report has whether it is also right."""
    answer = await trial.plane.ask(SENTENCE, answer_type=RateChange, max_tokens=128)
    require(isinstance(answer.value, RateChange), f"the value is {answer.value!r}")
    # How a schema is put to the model differs between servers, so the prompt is not compared.
    trial.require_reported(answer.call_id, answer.usage, answer.usage.prompt_tokens)
    right = RateChange(rate_percent=5.5, effective=date(2023, 7, 27), direction="raised")
    return {
        "value": answer.value.model_dump(mode="json"),
        "is_right": answer.value == right,
        **_counts(answer.usage),
    }


async def in_a_row(trial: Trial) -> dict[str, Any]:
    """Calls that follow each other at once all arrive: no connection is used that has ended.

    Without the plane, whose own work between two calls would hide it.
    """
    answered = 0
    provider = trial.provider()
    try:
        for _ in range(_IN_A_ROW):
            pieces = 0
            async with provider.open(ModelRequest(user="Hello", max_tokens=2)) as stream:
                async for _ in stream:
                    pieces += 1
            answered += pieces > 0
    finally:
        await provider.close()
    require(answered == _IN_A_ROW, f"{answered} of {_IN_A_ROW} calls were answered")
    return {"calls": answered}


async def cancelled_stream(trial: Trial) -> dict[str, Any]:
    """Leaving a stream early is charged at least what was used, by the server's own count."""
    pieces: list[str] = []
    async with trial.plane.stream(STORY, max_tokens=_LONG) as live:
        async for text in live:
            pieces.append(text)
            if len(pieces) == _CANCELLED_AFTER:
                break
    require(len(pieces) == _CANCELLED_AFTER, f"the answer ended after {len(pieces)} pieces")
    row = trial.call(live.call_id)
    _require_cancelled(trial, row)
    used = await trial.prompt_tokens(STORY) + await trial.server.count_tokens("".join(pieces))
    off = row["charged_tokens"] - used
    allowed = max(_OFF_BY_TOKENS, _OFF_BY_SHARE * used)
    # Without a running usage the plane estimates, and after few calls it errs on the safe side.
    most = allowed if row["basis"] == UsageBasis.REPORTED else _reserved(row) - used
    require(
        -allowed <= off <= most,
        f"{row['charged_tokens']} tokens were charged, the server counts {used}",
    )
    return {
        "pieces": len(pieces),
        "basis": row["basis"],
        "charged_tokens": row["charged_tokens"],
        "server_tokens": used,
        "off_by_tokens": off,
    }


async def cancelled_task(trial: Trial) -> dict[str, Any]:
    """A task that is cancelled while it asks gives its permit back, and is charged its prompt."""
    known = {row["call_id"] for row in trial.calls()}
    task = asyncio.create_task(trial.plane.ask(STORY, max_tokens=_LONG))
    try:
        call_id = await _wait_for_call(trial, known)
        await asyncio.wait([task], timeout=max(_WRITING_S, 2 * trial.first.first_s))
    finally:
        task.cancel()
        await asyncio.wait([task])
    require(task.cancelled(), "the answer ended before the task could be cancelled")
    row = trial.call(call_id)
    _require_cancelled(trial, row)
    prompt = await trial.prompt_tokens(STORY)
    least = prompt - max(_OFF_BY_TOKENS, _OFF_BY_SHARE * prompt)
    charged = row["charged_tokens"]
    require(
        least <= charged <= _reserved(row),
        f"{charged} tokens were charged; the prompt has {prompt}, {_reserved(row)} were reserved",
    )
    return {"basis": row["basis"], "charged_tokens": charged, "prompt_tokens": prompt}


async def accounting(trial: Trial) -> dict[str, Any]:
    """The ledger adds up to what the server reported; only cancelled calls are estimated."""
    rows = trial.calls()
    trial.require_no_permit_out()
    done = [row for row in rows if row["basis"] == UsageBasis.REPORTED]
    estimated = [row for row in rows if row["basis"] != UsageBasis.REPORTED]
    require(
        all(row["state"] == CallState.CANCELLED for row in estimated),
        "a call that was not cancelled is only estimated",
    )
    finished = [row for row in done if row["state"] == CallState.DONE]
    charged = sum(row["charged_tokens"] for row in finished)
    reported = sum(usage.total_tokens for usage in trial.reported)
    require(charged == reported, f"{charged} tokens were charged, {reported} reported")
    return {
        "calls": len(rows),
        "cancelled": len(rows) - len(finished),
        "charged_tokens": charged,
        "learned": _learned(trial),
    }


async def daily_cap(trial: Trial) -> dict[str, Any]:
    """A cap that the day's calls have all but used denies the next, before it is sent."""
    before = trial.calls()
    spent = sum(row["charged_tokens"] for row in before)
    policy = Policy(daily_tokens=spent + 5)
    async with ControlPlane.open(trial.database_url, [trial.provider()], policy=policy) as capped:
        try:
            await capped.ask(QUESTION, max_tokens=8)
        except CallDenied as denied:
            reason, recovers_ms = denied.reason, denied.recovers_ms
        else:
            raise StepFailed("the call was granted")
    require(reason == Denial.GLOBAL_DAILY_CAP_EXCEEDED, f"denied for {reason}")
    require(len(trial.calls()) == len(before), "the denied call is in the ledger")
    require(recovers_ms is not None and recovers_ms > time.time() * 1000, "no time of recovery")
    trial.require_no_permit_out()
    # The same call without the cap: nothing else was the reason.
    await trial.plane.ask(QUESTION, max_tokens=8)
    require(len(trial.calls()) == len(before) + 1, "without the cap it is not in the ledger")
    return {"cap_tokens": spent + 5, "spent_tokens": spent, "reason": str(reason)}


STEPS: Final[Mapping[str, Callable[[Trial], Awaitable[dict[str, Any]]]]] = {
    "reachable": reachable,
    "plain_text": plain_text,
    "streaming": streaming,
    "schema": schema,
    "in_a_row": in_a_row,
    "cancelled_stream": cancelled_stream,
    "cancelled_task": cancelled_task,
    "accounting": accounting,
    "daily_cap": daily_cap,
}


def _counts(usage: Usage) -> dict[str, int]:
    return {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}


def _reserved(row: sa.RowMapping) -> int:
    return int(row["reserved_prompt"] + row["reserved_output"])


def _require_cancelled(trial: Trial, row: sa.RowMapping) -> None:
    require(row["state"] == CallState.CANCELLED, f"the ledger has the call as {row['state']}")
    trial.require_no_permit_out()


async def _wait_for_call(trial: Trial, known: set[str]) -> str:
    """The id of the next call in the ledger."""
    until = time.monotonic() + _RESERVED_WITHIN_S
    while time.monotonic() < until:
        for row in trial.calls():
            if row["call_id"] not in known:
                return str(row["call_id"])
        await asyncio.sleep(_POLL_S)
    raise StepFailed("the call never reached the ledger")


def _learned(trial: Trial) -> dict[str, Any]:
    with trial.engine.connect() as connection:
        row = connection.execute(sa.select(spending.estimate)).mappings().one_or_none()
    require(row is not None, "nothing was learned of the model's tokens")
    assert row is not None
    require(row["samples"] > 0 and 0.2 < row["factor"] < 5, f"it learned {dict(row)}")
    return {"samples": row["samples"], "factor": round(row["factor"], 3)}
