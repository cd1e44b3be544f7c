"""LiteLLM's router, told the limits and made to hold them."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import litellm
from litellm import Router

from bench.limiter_peers.lane import Caller, Lane, run_lane
from bench.limiter_work import Work, order

# Tried with 16 workers over two minutes: the strategy `usage-based-routing-v2` and this check,
# each with 100, 2 (the router's own default) and no retries. Both count by the minute of the
# clock, tokens when the answer is there and requests with those that were refused, so that the
# tries alone can use up a minute. The strategy then waits for another minute, whatever is left
# of this one (0.65 to 0.79 of the allowance); the check gives up at once, and the application
# asks again (0.83 to 0.92, the most with two retries). Fewer calls at a time waste fewer tries:
# 48 places used less than the semaphore's 16.
CHECK: Final = "enforce_model_rate_limits"
RETRIES: Final = 2
ASK_AGAIN_S: Final = 1.0


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
            optional_pre_call_checks=[CHECK],
            num_retries=RETRIES,
        )
        self._places = asyncio.Semaphore(lane.places)

    async def call(self, work: Work) -> None:
        async with self._places:
            while not await self._answered(work):  # noqa: ASYNC110
                await asyncio.sleep(ASK_AGAIN_S)

    async def _answered(self, work: Work) -> bool:
        """False where the router gives up, by the provider's refusal or its own."""
        try:
            await self._router.acompletion(
                model="m",
                messages=[{"role": "user", "content": work.prompt}],
                max_tokens=work.max_tokens,
            )
        except litellm.RateLimitError:
            return False
        return True


@asynccontextmanager
async def open_caller(lane: Lane) -> AsyncIterator[Caller]:
    litellm.suppress_debug_info = True
    caller = RouterCaller(lane)
    # It loads the larger part of itself with the first call, which is not what is measured.
    await caller.call(Work(order(1, 0), 1))
    yield caller


def main(argv: Sequence[str]) -> None:
    run_lane("python -m bench.limiter_peers litellm", argv, open_caller)
