"""Assay's own measuring process of the calls bench: `python -m bench.calls_assay …`.

The same provider makes the calls bare and through the control plane, each over one connection.
"""

import asyncio
import sys

from assay.llm.limits import Policy, ProviderLimits
from assay.llm.messages import ModelRequest, Provider
from assay.llm.plane import ControlPlane
from assay.llm.providers.openai import openai
from assay.llm.scope import CallScope
from assay.packs.graph.steps import plan_budget
from bench.calls_peers.timing import ANSWER_WORDS, Ask, Run, cpu_ms, prompt, read_run, tell

AMPLE = 10**9
POLICY = Policy(
    daily_tokens=AMPLE,
    daily_tokens_per_source=AMPLE,
    evidence_tokens=AMPLE,
    max_concurrent_cloud=100,
    cloud_gap_ms=0,
)
"""Every cap is checked, and none is reached."""
LIMITS = ProviderLimits(requests_per_minute=AMPLE, tokens_per_minute=AMPLE, max_concurrent=100)
MINUTE_S = 61.0
SPACING_S = 0.1
"""One call in each slot of the limiter's window makes the window as long as it can be."""


async def measure(run: Run) -> dict[str, float]:
    """CPU of a bare call and of a controlled one; when asked, of one after a busy minute too."""
    assert run.database_url is not None
    provider = openai("m", base_url=f"{run.server}/v1", name="ample", limits=LIMITS)
    async with ControlPlane.open(run.database_url, [provider], policy=POLICY) as plane:
        found = {
            "bare_ms": await cpu_ms(_bare(provider), run.calls),
            "without_scope_ms": await cpu_ms(_plain(plane), run.calls, first=AMPLE),
            "controlled_ms": await cpu_ms(_controlled(plane), run.calls, first=2 * AMPLE),
        }
        if run.busy_minute:
            await _fill_minute(_controlled(plane))
            found["controlled_after_busy_minute_ms"] = await cpu_ms(
                _controlled(plane), run.calls, first=4 * AMPLE, warm_up=0
            )
    return found


def _bare(provider: Provider) -> Ask:
    async def ask(text: str, _: int) -> object:
        said = []
        async with provider.open(ModelRequest(user=text, max_tokens=ANSWER_WORDS)) as stream:
            async for piece in stream:
                said.append(piece.text)
        return "".join(said)

    return ask


def _plain(plane: ControlPlane) -> Ask:
    async def ask(text: str, _: int) -> object:
        return await plane.ask(ModelRequest(user=text, max_tokens=ANSWER_WORDS))

    return ask


def _controlled(plane: ControlPlane) -> Ask:
    """On the account of a source, a document and a request with its budget."""

    async def ask(text: str, number: int) -> object:
        scope = CallScope(
            step="entityExtraction",
            request_id=f"request-{number}",
            source="gazette",
            evidence=f"document-{number}",
            budget=plan_budget(),
        )
        return await plane.ask(ModelRequest(user=text, max_tokens=ANSWER_WORDS), scope=scope)

    return ask


async def _fill_minute(ask: Ask) -> None:
    for number in range(3 * AMPLE, 3 * AMPLE + int(MINUTE_S / SPACING_S)):
        await asyncio.gather(ask(prompt(number), number), asyncio.sleep(SPACING_S))


def main() -> None:
    run = read_run("python -m bench.calls_assay", sys.argv[1:])
    tell(asyncio.run(measure(run)))


if __name__ == "__main__":
    main()
