"""LiteLLM's router, told the limits and left to retry by itself."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import litellm
from litellm import Router

from bench.limiter_peers.lane import Caller, Lane, run_lane
from bench.limiter_work import Work

STRATEGY = os.environ.get("STRATEGY", "usage-based-routing-v2")
CHECKS = os.environ.get("CHECKS", "")
RETRIES = int(os.environ.get("RETRIES", "100"))
LIMITS = os.environ.get("LIMITS", "1")

class RouterCaller:
    def __init__(self, lane: Lane) -> None:
        params = {
            "model": "openai/m",
            "api_base": f"{lane.server}/v1",
            "api_key": "none",
        }
        if LIMITS == "1":
            params["rpm"] = lane.requests_per_minute // lane.workers
            params["tpm"] = lane.tokens_per_minute // lane.workers
        self._router = Router(
            model_list=[{"model_name": "m", "litellm_params": params}],
            routing_strategy=STRATEGY,
            num_retries=RETRIES,
            optional_pre_call_checks=[CHECKS] if CHECKS else None,
        )
        self.errors = {}
        import asyncio
        self._places = asyncio.Semaphore(max(1, int(os.environ.get("PLACES","48")) // lane.workers))

    async def call(self, work: Work) -> None:
        async with self._places:
            await self._call(work)

    async def _call(self, work: Work) -> None:
        while True:
            try:
                await self._router.acompletion(
                    model="m",
                    messages=[{"role": "user", "content": work.prompt}],
                    max_tokens=work.max_tokens,
                )
                return
            except Exception as error:
                key = f"{type(error).__name__}: {str(error)[:200]}"
                import sys, asyncio
                if key not in self.errors: open("/tmp/litellm_errors","a").write(key+"\n")
                self.errors[key] = self.errors.get(key, 0) + 1
                await asyncio.sleep(0.5)


@asynccontextmanager
async def open_caller(lane: Lane) -> AsyncIterator[Caller]:
    litellm.suppress_debug_info = True
    yield RouterCaller(lane)


def main(argv: Sequence[str]) -> None:
    run_lane("python -m bench.limiter_peers litellm", argv, open_caller)
