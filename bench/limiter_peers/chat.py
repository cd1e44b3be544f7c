"""The plain HTTP client of the peers that bring none."""

import asyncio

import aiohttp

from bench.limiter_work import Work


async def ask(session: aiohttp.ClientSession, server: str, work: Work) -> int | None:
    """One try; milliseconds to wait where the provider refuses it."""
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": work.prompt}],
        "max_tokens": work.max_tokens,
    }
    async with session.post(f"{server}/v1/chat/completions", json=body) as response:
        if response.status == 429:
            import os; return int(response.headers["retry-after-ms"]) if os.environ.get("MS") else 1000*int(response.headers["retry-after"])
        response.raise_for_status()
        await response.json()
        return None


async def ask_until_granted(session: aiohttp.ClientSession, server: str, work: Work) -> None:
    """Try, and after each refusal wait exactly as long as the provider says."""
    while (wait_ms := await ask(session, server, work)) is not None:
        await asyncio.sleep(wait_ms / 1000)
