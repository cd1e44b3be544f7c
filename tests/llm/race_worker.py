"""One worker of the race: asks as fast as it is let, in every manner, until it is killed."""

import argparse
import asyncio
import contextlib
import logging
import random
import secrets
import signal

from assay.errors import CallDenied, ProviderFailed
from assay.llm.doubles.words import WordEstimator
from assay.llm.limits import Policy, ProviderLimits
from assay.llm.messages import ModelRequest
from assay.llm.plane import ControlPlane
from assay.llm.providers import openai
from assay.llm.scope import CallScope
from assay.store.database import open_engine
from tests.waiting import PATIENCE_S

SOURCES = ("alpha", "beta", "gamma")


def request_of(dice: random.Random, nonce: str, manner: str) -> ModelRequest:
    """A question whose prompt, answer and estimate all differ from the next one's."""
    says = dice.randint(4, 40)
    padding = " ".join(["word"] * dice.randint(1, 40))
    return ModelRequest(
        user=f"{nonce} {manner} say {says} words {padding}",
        max_tokens=says + dice.randint(0, 30),
    )


async def one_call(plane: ControlPlane, dice: random.Random) -> None:
    nonce = f"n{secrets.token_hex(8)}"
    manner = dice.choices(["plain", "slow", "cut", "stopped"], [70, 12, 10, 8])[0]
    request = request_of(dice, nonce, manner)
    scope = CallScope(
        request_id=nonce,
        source=dice.choice(SOURCES),
        priority=dice.randint(0, 2),
        step=manner,
        wait_s=2.0,
    )
    if manner == "slow":
        async with plane.stream(request, scope=scope) as live:
            wanted = dice.randint(1, 6)
            async for _ in live:
                wanted -= 1
                if wanted == 0:
                    break
    elif manner == "stopped":
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(dice.uniform(0.0, 0.3)):
                await plane.ask(request, scope=scope)
    else:
        await plane.ask(request, scope=scope)


async def work(told: argparse.Namespace) -> None:
    limits = ProviderLimits(
        requests_per_minute=told.rpm,
        tokens_per_minute=told.tpm,
        max_concurrent=told.concurrent,
        burst=told.burst,
        smooth_s=told.smooth_s,
    )
    policy = Policy(
        daily_tokens=told.cap, daily_tokens_per_source=told.source_cap, evidence_tokens=None,
        max_concurrent_cloud=None, cloud_gap_ms=0, lease_ms=told.lease_ms,
        circuit_failures=10**9,
    )  # fmt: skip
    provider = openai("m", key=None, base_url=told.server, name="raced", limits=limits)
    engine = open_engine(told.database, wait_s=PATIENCE_S, pool_size=4)
    plane = ControlPlane(
        engine, [provider], policy=policy, estimator=WordEstimator(), retry_delays_s=()
    )
    dice = random.Random(told.seed)
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)

    async def asker() -> None:
        while not stopping.is_set():
            try:
                await one_call(plane, dice)
            except ProviderFailed:
                continue
            except CallDenied:
                # A smaller call may still fit; and another day would come.
                await asyncio.sleep(0.05)

    async with plane, asyncio.TaskGroup() as group:
        for _ in range(told.askers):
            group.create_task(asker())
    engine.dispose()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--database", required=True)
    parser.add_argument("--server", required=True)
    for name in ("seed", "askers", "rpm", "tpm", "concurrent", "burst", "cap", "source-cap",
                 "lease-ms", "smooth-s"):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    # Thousands of denials are what the race is about; nobody needs to read them.
    logging.disable(logging.ERROR)
    asyncio.run(work(arguments()))
