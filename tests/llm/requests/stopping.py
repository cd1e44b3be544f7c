"""Stopping a request of the graph while it runs."""

import asyncio
from typing import Any

from assay.llm.requests.cancellation import CancellationMode, CancellationSignal
from assay.llm.requests.results import RequestResult
from assay.llm.requests.steps import Request
from tests.llm.requests.pipeline import Bench

M = CancellationMode


def signal(
    mode: CancellationMode, timeout_ms: int | None = None, **more: Any
) -> CancellationSignal:
    return CancellationSignal(
        request_id="r1", mode=mode, reason="user_request", timeout_ms=timeout_ms, **more
    )


def cancelling(request_id: str, mode: CancellationMode) -> CancellationSignal:
    return CancellationSignal(request_id=request_id, mode=mode, reason="user_request")


async def cancelled_after(
    b: Bench, request: Request, seconds: float, wish: CancellationSignal, step: str | None = None
) -> RequestResult:
    running = asyncio.create_task(b.supervisor.run(request))
    await asyncio.sleep(seconds)
    assert b.supervisor.cancel(wish, step=step)
    return await running
