"""Assay's own worker process in the limiter bench: `python -m bench.limiter_assay …`."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assay.llm.limits import Policy, ProviderLimits
from assay.llm.messages import ModelRequest
from assay.llm.plane import ControlPlane
from assay.llm.providers.openai import openai
from bench.limiter_peers.lane import Caller, Lane, run_lane
from bench.limiter_work import Work

UNCAPPED = Policy(
    daily_tokens=None,
    daily_tokens_per_source=None,
    evidence_tokens=None,
    max_concurrent_cloud=None,
    cloud_gap_ms=0,
)
"""Only the provider's own limits are at issue here."""


class PlaneCaller:
    """Calls through the control plane."""

    def __init__(self, plane: ControlPlane) -> None:
        self._plane = plane

    async def call(self, work: Work) -> None:
        await self._plane.ask(ModelRequest(user=work.prompt, max_tokens=work.max_tokens))


@asynccontextmanager
async def open_caller(lane: Lane) -> AsyncIterator[Caller]:
    assert lane.database_url is not None
    limits = ProviderLimits(
        requests_per_minute=lane.requests_per_minute, tokens_per_minute=lane.tokens_per_minute
    )
    provider = openai("m", base_url=f"{lane.server}/v1", name="strict", limits=limits)
    async with ControlPlane.open(lane.database_url, [provider], policy=UNCAPPED) as plane:
        yield PlaneCaller(plane)


def main() -> None:
    run_lane("python -m bench.limiter_assay", sys.argv[1:], open_caller)


if __name__ == "__main__":
    main()
