"""The server that every dialect is spoken with."""

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.providers.server import ProviderServer


@pytest_asyncio.fixture
async def server() -> AsyncIterator[ProviderServer]:
    async with ProviderServer() as running:
        yield running
