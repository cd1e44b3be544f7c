"""LiteLLM's router, told the limits and left to try again by itself."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import litellm
from litellm import Router

from bench.limiter_peers.lane import Caller, Lane, run_lane
from bench.limiter_work import Work, order

# Tried with 1 and 16 workers: this strategy, and the check `enforce_model_rate_limits` that came
# after it. Both count by the minute of the clock, tokens when the answer is there and requests
# with those that were refused; the check gives up at once where this one tries again, and used
# less. Both lose the rest of a minute when the tries alone reach the limit, so that fewer calls
# at a time use more: the same places as the semaphore's, which is the application's to add.
STRATEGY: Final = "usage-based-routing-v2"
RETRIES: Final = 100
"""More than a run has time for, so that the router's own waits are the only ones."""


class RouterCaller:
    """Calls through a router with one deployment.

    Routers share their counts through Redis alone, and there is none beside a script: each
    worker process has an even part of the allowance.
    """

    def __init__(self, lane: Lane) -> None:
        deployment = {
            "model": "openai/m",
            "api_base": f"{lane.server}/v1",
            "api_key": "none",
            "rpm": lane.requests_per_minute // lane.workers,
            "tpm": lane.tokens_per_minute // lane.workers,
        }
        self._router = Router(
            model_list=[{"model_name": "m", "litellm_params": deployment}],
            routing_strategy=STRATEGY,
            num_retries=RETRIES,
        )
        self._places = asyncio.Semaphore(lane.places)

    async def call(self, work: Work) -> None:
        async with self._places:
            await self._router.acompletion(
                model="m",
                messages=[{"role": "user", "content": work.prompt}],
                max_tokens=work.max_tokens,
            )


@asynccontextmanager
async def open_caller(lane: Lane) -> AsyncIterator[Caller]:
    litellm.suppress_debug_info = True
    caller = RouterCaller(lane)
    # It loads the larger part of itself with the first call, which is not what is measured.
    await caller.call(Work(order(1, 0), 1))
    yield caller


def main(argv: Sequence[str]) -> None:
    run_lane("python -m bench.limiter_peers litellm", argv, open_caller)
