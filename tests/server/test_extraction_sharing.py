"""Equal requests that share their work, and a server that ends while it works."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.app import App
from assay.errors import InvalidInput
from assay.packs.graph import routes
from assay.packs.graph.clients import Client
from assay.packs.graph.ontology.cache import IndexedOntology, OntologyCache
from assay.packs.graph.options import GraphOptions
from assay.packs.graph.routes import GraphRequests
from assay.packs.graph.service import GraphOrder, GraphService
from assay.sdk.models import CancellationMode
from tests.conftest import quick_settings
from tests.packs.graph.provider import ENTITIES, ONTOLOGY, TEXT, Script, write_answer
from tests.providers.behaviour import Behaviour
from tests.providers.server import ProviderServer
from tests.server.test_extraction import BODY, Site, site
from tests.waiting import until_async

M = CancellationMode
CLIENT = Client("somebody-")
SLOW = Behaviour(text=write_answer("entities", ENTITIES), piece_chars=20, hang_after=8)
LONG = "\n\n".join(f"{TEXT} {'Nothing more is said of it. ' * 30} {n}." for n in range(12))


@pytest.fixture
async def hanging(home: Path, make_app: Callable[..., App]) -> AsyncIterator[Site]:
    async with site(home, make_app, Script(entityExtraction=[SLOW])) as found:
        yield found


class Office:
    """A desk, and the model that it asks."""

    def __init__(self, app: App, model: ProviderServer) -> None:
        self.app = app
        self.requests = app.services.share(GraphRequests)
        self.desk, self.model = self.requests.graphs, model

    def order(self, request_id: str, text: str = TEXT) -> GraphOrder:
        return GraphOrder(
            text=text,
            ontology=ONTOLOGY.encode(),
            options=GraphOptions(tokens=4096 if text is LONG else 8000),
            request_id=request_id,
        )

    async def until_asked(self, calls: int) -> None:
        await self.model.until(lambda books: books.under_way == calls)


@pytest.fixture
async def office(home: Path, make_app: Callable[..., App]) -> AsyncIterator[Office]:
    async with ProviderServer(Script(entityExtraction=[SLOW])) as model:
        provider = {"kind": "openai", "base_url": f"{model.url}/v1", "model": "m", "lane": "local"}
        found = Office(make_app(quick_settings(home, providers={"local": provider})), model)
        yield found
        await found.app.services.close()


@pytest.mark.parametrize("who", ["first", "second"])
async def test_either_of_two_equal_requests_can_be_stopped_by_its_name(
    office: Office, who: str
) -> None:
    other = "second" if who == "first" else "first"
    running = {
        name: asyncio.create_task(office.desk.extract(office.order(name)))
        for name in ("first", "second")
    }
    await office.until_asked(1)
    assert office.desk.cancel(who, M.IMMEDIATE)
    left = await running[who]
    assert left.request_id == who and left.completeness.value == "empty"
    assert not running[other].done()
    await office.until_asked(1)
    assert office.desk.cancel(other, M.IMMEDIATE)
    stopped = await running[other]
    assert stopped.entities
    await office.until_asked(0)
    assert office.desk.list_running() == () and office.app.services.models.count_permits() == 0


async def test_a_request_that_shares_is_listed_with_its_stage(hanging: Site) -> None:
    names = ("first", "second")
    for name in names:
        await hanging.post(BODY | {"request_id": name}, 202, Prefer="respond-async")
    await hanging.model.until(lambda books: books.under_way == 1)
    told = (await hanging.get("/extract"))["requests"]
    assert {each["request_id"]: each["stages"] for each in told} == {
        name: ["entityExtraction"] for name in names
    }
    for name in names:
        await hanging.delete(f"/extract/{name}?mode=abort")


async def test_a_milder_wish_does_not_undo_a_harder_one(office: Office) -> None:
    running = asyncio.create_task(office.desk.extract(office.order("mine", LONG)))
    await office.until_asked(5)
    assert office.desk.cancel("mine", M.ABORT)
    assert office.desk.cancel("mine", M.GRACEFUL)
    result = await running
    assert result.completeness.value == "empty"
    assert result.entities == ()
    assert any("abort" in warning for warning in result.warnings)
    assert await office.desk.find_result("mine") is None


async def test_a_request_is_taken_on_once_under_a_name(office: Office) -> None:
    first = asyncio.create_task(office.desk.extract(office.order("mine")))
    await office.until_asked(1)
    with pytest.raises(InvalidInput, match="already running"):
        await office.desk.extract(office.order("mine"))
    assert office.desk.is_under_way("mine")
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert not office.desk.is_under_way("mine")
    assert not office.desk.cancel("mine", M.ABORT)


async def test_a_server_that_ends_begins_no_further_part(office: Office) -> None:
    running = office.requests.begin(office.order("mine", LONG), CLIENT)
    await office.until_asked(5)
    asked = len(office.model.books.calls)
    await office.requests.close()
    assert running.task is not None
    result = running.task.result()
    assert len(office.model.books.calls) == asked
    assert result.failed_stages == () or {f.code for f in result.failed_stages} == {"cancelled"}
    assert any("shutdown" in warning for warning in result.warnings)
    assert office.desk.list_running() == () and not office.desk.is_under_way(running.request_id)


async def test_an_office_that_is_idle_closes(office: Office) -> None:
    await office.requests.close()
    assert office.desk.list_running() == ()


async def test_what_has_just_ended_is_remembered_however_long_ago_it_began(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "_REMEMBERED", 2)
    long = office.requests.begin(office.order("long"), CLIENT)
    await office.until_asked(1)
    for number in range(3):
        order = replace(office.order(f"r{number}"), use_model=False)
        quick = office.requests.begin(order, CLIENT)
        assert quick.task is not None
        await quick.task
    assert office.desk.cancel(long.request_id, M.ABORT)
    assert long.task is not None
    await long.task
    await asyncio.sleep(0)
    assert [each.name for each in office.requests.list_of(CLIENT)] == ["r2", "long"]


async def test_orders_that_compute_wait_for_a_place_until_they_are_cancelled(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    go_on = asyncio.Event()

    async def read(desk: GraphService, order: GraphOrder) -> IndexedOntology:
        begun.append(order.request_id)
        await go_on.wait()
        return OntologyCache().get(order.ontology)

    monkeypatch.setattr(GraphService, "read_ontology", read)
    orders = [replace(office.order(f"r{n}", f"{TEXT} {n}"), use_model=False) for n in range(4)]
    running = [asyncio.create_task(office.desk.extract(order)) for order in orders]
    await until_async(lambda: len(begun) == 2)
    assert office.desk.cancel("r3", M.IMMEDIATE)
    await until_async(lambda: len(begun) == 3)
    assert begun == ["r0", "r1", "r3"]
    go_on.set()
    results = await asyncio.gather(*running)
    assert begun[-1] == "r2"
    assert [each.completeness.value for each in results] == ["complete"] * 3 + ["empty"]
