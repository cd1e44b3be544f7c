"""The plain HTTP client of the peers that bring none."""

import asyncio

import aiohttp

from bench.limiter_work import Work


async def ask_until_granted(session: aiohttp.ClientSession, server: str, work: Work) -> None:
    """Try, and after each refusal wait as long as the provider says."""
    wait_s = await _ask(session, server, work)
    while wait_s is not None:
        await asyncio.sleep(wait_s)
        wait_s = await _ask(session, server, work)


async def _ask(session: aiohttp.ClientSession, server: str, work: Work) -> float | None:
    """One try; the seconds to wait where the provider refuses it."""
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": work.prompt}],
        "max_tokens": work.max_tokens,
    }
    async with session.post(f"{server}/v1/chat/completions", json=body) as response:
        if response.status == 429:
            # Tried with the exact milliseconds too: the same share, with sixteen times the
            # refusals, because all who wait come back at the moment when one of them has room.
            return float(response.headers["Retry-After"])
        response.raise_for_status()
        await response.json()
        return None
