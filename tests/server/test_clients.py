"""Requests belong to the client that made them."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from assay.app import App
from tests.packs.graph.provider import Script
from tests.server.test_extraction import BEARER, BODY, SLOW, Site, site

OTHER = {"Authorization": f"Bearer {'other' * 8}"}
ID = BODY["request_id"]


@pytest.fixture
async def hanging(home: Path, make_app: Callable[..., App]) -> AsyncIterator[Site]:
    async with site(home, make_app, Script(entityExtraction=[SLOW])) as found:
        yield found


async def ask(found: Site, method: str, path: str, headers: dict[str, str]) -> tuple[int, Any]:
    async with found.session.request(method, path, headers=headers) as answered:
        return answered.status, await answered.json()


PLACES = [("GET", f"/extract/{ID}"), ("GET", f"/extract/{ID}/events"), ("DELETE", f"/extract/{ID}")]


@pytest.mark.parametrize(("method", "path"), PLACES)
async def test_nobody_reads_or_cancels_what_another_asked_for(
    hanging: Site, method: str, path: str
) -> None:
    await hanging.post(BODY, 202, Prefer="respond-async")
    status, told = await ask(hanging, method, path, OTHER)
    assert (status, told["code"]) == (404, "not_found")
    status, told = await ask(hanging, "GET", "/extract", BEARER)
    assert [each["state"] for each in told["requests"]] == ["running"]
    await hanging.delete(f"/extract/{ID}?mode=abort")


async def test_nobody_lists_what_others_asked_for(hanging: Site) -> None:
    await hanging.post(BODY, 202, Prefer="respond-async")
    assert await ask(hanging, "GET", "/extract", OTHER) == (200, {"requests": []})
    await hanging.delete(f"/extract/{ID}?mode=abort")


@pytest.mark.parametrize(("method", "path"), [("GET", "/extract"), *PLACES])
@pytest.mark.parametrize("given", ["", "Basic x", "Bearer short", "Bearer " + "x" * 129])
async def test_without_a_token_nothing_is_said(
    hanging: Site, method: str, path: str, given: str
) -> None:
    status, told = await ask(hanging, method, path, {"Authorization": given})
    assert (status, told["code"]) == (401, "token_missing")


async def test_two_clients_may_use_the_same_name(hanging: Site) -> None:
    for owner in (BEARER, OTHER):
        await hanging.post(BODY, 202, Prefer="respond-async", **owner)
    for owner in (BEARER, OTHER):
        status, told = await ask(hanging, "DELETE", f"/extract/{ID}?mode=abort", owner)
        assert (status, told["request_id"]) == (202, ID)


async def test_a_result_in_the_store_belongs_to_its_client(
    home: Path, make_app: Callable[..., App]
) -> None:
    async with site(home, make_app, Script()) as first:
        await first.post(BODY)
    async with site(home, make_app, Script()) as second:
        assert (await ask(second, "GET", f"/extract/{ID}", OTHER))[0] == 404
        status, told = await ask(second, "GET", f"/extract/{ID}", BEARER)
        assert (status, told["request_id"]) == (200, ID)


async def test_a_client_without_a_token_gets_one(home: Path, make_app: Callable[..., App]) -> None:
    async with site(home, make_app, Script()) as found:
        del found.session.headers["Authorization"]
        async with found.session.post("/extract", json=BODY) as answered:
            assert answered.status == 200
            token = answered.headers["Assay-Token"]
        assert len(token) >= 43
        status, told = await ask(
            found, "GET", f"/extract/{ID}", {"Authorization": f"Bearer {token}"}
        )
        assert (status, told["request_id"]) == (200, ID)
