"""Routes of packs: mounted where they should be, and refused where two would answer."""

import aiohttp
import pytest
from aiohttp import web

from assay.app import App
from assay.errors import InvalidInput
from assay.sdk.pack import Pack, Route
from assay.sdk.services import Services
from assay.sdk.web import answer_json
from assay.server.pack_routes import claim_addresses, mount_packs
from tests.server.sites import listening, serving


async def _home(request: web.Request, services: Services) -> web.StreamResponse:
    return answer_json({"home": str(services.home), **request.match_info})


def pack(name: str, *addresses: str) -> Pack:
    """A pack with such routes, each told as `GET /path`."""
    told = [address.split() for address in addresses]
    routes = tuple(Route(method=method, path=path, handler=_home) for method, path in told)
    return Pack(name=name, version="1", title=name, routes=lambda: routes)


async def test_routes_are_answered_with_the_services(empty: App) -> None:
    made = web.Application()
    packs = {"toy": pack("toy", "GET /votes/{id}", "DELETE /votes/{id}")}
    mount_packs(made, packs, empty.services)
    home = str(empty.settings.home)
    async with listening(made) as url, aiohttp.ClientSession(url) as session:
        for method, path, told in (
            ("GET", "/votes/7", {"home": home, "id": "7"}),
            ("DELETE", "/votes/8", {"home": home, "id": "8"}),
        ):
            async with session.request(method, path) as answer:
                assert (answer.status, await answer.json()) == (200, told)
        async with session.get("/list") as answer:
            assert answer.status == 404


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (
            pack("one", "GET /votes"),
            pack("two", "get /votes"),
            "which the pack 'one' already handles",
        ),
        (
            pack("one", "GET /v/{id}"),
            pack("two", "GET /v/{name}"),
            "which the pack 'one' already handles",
        ),
        (pack("one", "GET /votes"), pack("two", "GET /ask"), "which Assay itself already handles"),
        (pack("one"), pack("two", "GET /a", "GET /a"), "which the pack 'two' already handles"),
        (pack("one"), pack("two", "GET votes"), "has a route to 'votes'"),
    ],
    ids=["path", "variable", "own", "itself", "relative"],
)
def test_an_address_that_is_claimed_twice_is_refused(first: Pack, second: Pack, said: str) -> None:
    with pytest.raises(InvalidInput, match=said) as refused:
        claim_addresses([first, second], own=[("GET", "/ask")])
    assert "The pack 'two'" in refused.value.what


def test_methods_share_a_path() -> None:
    found = claim_addresses([pack("one", "GET /votes"), pack("two", "POST /votes")])
    assert [(address.owner, address.method) for address in found] == [
        ("one", "GET"),
        ("two", "POST"),
    ]


def test_the_installed_packs_do_not_collide(empty: App) -> None:
    found = claim_addresses(empty.packs.installed.values())
    assert {(a.method, a.path) for a in found} >= {("POST", "/extract"), ("GET", "/extract/{id}")}


async def test_an_unknown_address_is_answered_with_those_that_there_are(empty: App) -> None:
    async with serving(empty) as url, aiohttp.ClientSession(url) as session:
        async with session.get("/nothing") as answer:
            advice = (await answer.json())["advice"]
    assert "GET /health" in advice and "POST /extract" in advice and "{" not in advice
