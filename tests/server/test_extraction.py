"""`/extract` over real HTTP: the result, the steps on the way, stopping, and what is refused."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from assay.app import App
from assay.packs.graph import routes
from assay.packs.graph.results import GraphResult
from assay.packs.graph.service import GraphService
from tests.conftest import quick_settings
from tests.packs.graph.provider import CLAIMS, ENTITIES, ONTOLOGY, TEXT, Script, write_answer
from tests.providers.behaviour import Behaviour
from tests.providers.server import ProviderServer
from tests.server.sites import serving

BODY: dict[str, Any] = {
    "text": TEXT,
    "ontology": ONTOLOGY,
    "request_id": "mine",
}
JSON = {"Content-Type": "application/json"}
BEARER = {"Authorization": f"Bearer {'mine' * 10}"}
"""The client that asks, unless a test says otherwise."""
SLOW = Behaviour(text=write_answer("entities", ENTITIES), piece_chars=20, hang_after=8)


class Site:
    """A server with a model, and who asks it."""

    def __init__(self, session: aiohttp.ClientSession, model: ProviderServer, script: Script):
        self.session, self.model, self.script = session, model, script

    async def post(self, body: Any, status: int = 200, **headers: str) -> Any:
        data = body if isinstance(body, str | bytes) else json.dumps(body)
        async with self.session.post("/extract", data=data, headers=JSON | headers) as answered:
            told = await answered.json()
            assert answered.status == status, told
            return told

    async def get(self, path: str, status: int | None = 200) -> Any:
        async with self.session.get(path) as answered:
            assert status in (None, answered.status)
            return await answered.json()

    async def delete(self, path: str, status: int = 202) -> Any:
        async with self.session.delete(path) as answered:
            assert answered.status == status
            return await answered.json()


@asynccontextmanager
async def site(
    home: Path, make_app: Callable[..., App], script: Script, **settings: Any
) -> AsyncIterator[Site]:
    async with ProviderServer(script) as model:
        provider = {"kind": "openai", "base_url": f"{model.url}/v1", "model": "m", "lane": "local"}
        # The double counts words, which makes the estimates of a first request cautious.
        given = {"request_tokens": 8000, **settings}
        app = make_app(quick_settings(home, providers={"local": provider}, **given))
        async with serving(app) as url, aiohttp.ClientSession(url, headers=BEARER) as session:
            yield Site(session, model, script)


@pytest.fixture
async def reader(home: Path, make_app: Callable[..., App]) -> AsyncIterator[Site]:
    async with site(home, make_app, Script()) as found:
        yield found


@pytest.fixture
async def hanging(home: Path, make_app: Callable[..., App]) -> AsyncIterator[Site]:
    async with site(home, make_app, Script(entityExtraction=[SLOW]), requests_at_once=2) as found:
        yield found


@pytest.fixture
async def crowded(home: Path, make_app: Callable[..., App]) -> AsyncIterator[Site]:
    """Two requests at a time, which hang, and one that waits."""
    slow, limits = Script(entityExtraction=[SLOW, SLOW]), {"requests_at_once": 2}
    async with site(home, make_app, slow, requests_waiting=1, **limits) as found:
        yield found


async def test_a_text_and_an_ontology_give_a_graph(reader: Site) -> None:
    told = await reader.post(BODY)
    assert told["completeness"] == "complete"
    assert told["by"] == "local:m"
    assert len(told["graph"]["entities"]) == len(ENTITIES)
    assert len(told["graph"]["relations"]) == len(CLAIMS)
    for relation in told["graph"]["relations"]:
        for quote in relation["quotes"]:
            assert TEXT[quote["start"] : quote["end"]] == quote["words"]
    assert "birthPlace" in told["rdf"]["turtle"]


async def test_the_same_again_is_found_and_not_paid_for(reader: Site) -> None:
    first = await reader.post(BODY)
    asked = dict(reader.script.asked)
    again = await reader.post(BODY | {"request_id": "other"})
    assert again["stored"] and again["request_id"] == "other"
    assert again["graph"] == first["graph"] and again["rdf"] == first["rdf"]
    assert dict(reader.script.asked) == asked


async def test_equal_requests_at_the_same_time_are_one(reader: Site) -> None:
    bodies = [BODY | {"request_id": f"r{number}"} for number in range(5)]
    told = await asyncio.gather(*(reader.post(body) for body in bodies))
    assert len({json.dumps(each["graph"], sort_keys=True) for each in told}) == 1
    assert [each["request_id"] for each in told] == [f"r{number}" for number in range(5)]
    assert reader.script.asked["entityExtraction"] == 1


async def test_without_a_model_it_says_who_read(reader: Site) -> None:
    told = await reader.post(BODY | {"model": False})
    assert told["by"] == "deterministic@1"
    assert told["tokens"]["used"] == 0
    assert reader.script.asked == {}


async def test_an_ontology_of_the_home_is_named(reader: Site, home: Path) -> None:
    (home / "ontologies").mkdir()
    (home / "ontologies" / "people.ttl").write_text(ONTOLOGY)
    named = {"text": TEXT, "ontology_name": "people"}
    assert (await reader.post(named))["completeness"] == "complete"
    told = await reader.post({"text": TEXT, "ontology_name": "animals"}, 404)
    assert "Use one of graph, people" in told["advice"]


async def test_the_steps_are_seen_as_they_are_made(reader: Site) -> None:
    async with reader.session.post(
        "/extract", json=BODY, headers={"Accept": "text/event-stream"}
    ) as answered:
        assert answered.content_type == "text/event-stream"
        events = _events(await answered.text())
    assert events[0] == ("request", {"request_id": "mine"})
    steps = [value for name, value in events if name == "progress"]
    ended = [step["stage"] for step in steps if step["what"] == "ended"]
    assert ended == [
        "chunking",
        "entityExtraction",
        "propertyScoping",
        "relationExtraction",
        "grounding",
        "serialization",
    ]
    counts = [
        s["items"] for s in steps if s["stage"] == "entityExtraction" and s["what"] == "items"
    ]
    assert counts == [1, 2, 3, 4, 5]
    name, result = events[-1]
    assert name == "result" and result["completeness"] == "complete"


async def test_whoever_does_not_wait_comes_back_for_it(reader: Site) -> None:
    told = await reader.post(BODY, 202, Prefer="respond-async")
    assert told == {
        "request_id": "mine",
        "result": "/extract/mine",
        "events": "/extract/mine/events",
    }
    async with reader.session.get(told["events"]) as answered:
        events = _events(await answered.text())
    assert events[-1][0] == "result"
    assert (await reader.get(told["result"])) == events[-1][1]


async def test_a_result_outlives_the_server(home: Path, make_app: Callable[..., App]) -> None:
    async with site(home, make_app, Script()) as first:
        made = await first.post(BODY)
    async with site(home, make_app, Script()) as second:
        assert (await second.get("/extract/mine"))["graph"] == made["graph"]
        assert (await second.get("/extract/nobody", 404))["code"] == "not_found"


async def test_many_who_ask_for_a_stored_result_do_not_all_have_it_in_memory_at_once(
    home: Path, make_app: Callable[..., App], monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[int] = [0]
    find, answer = GraphService.find_result, routes._answer_result

    async def find_and_count(service: GraphService, request_id: str) -> GraphResult | None:
        held.append(held[-1] + 1)
        return await find(service, request_id)

    async def answer_and_count(result: GraphResult) -> web.Response:
        answered = await answer(result)
        held.append(held[-1] - 1)
        return answered

    async with site(home, make_app, Script()) as first:
        made = await first.post(BODY)
    monkeypatch.setattr(GraphService, "find_result", find_and_count)
    monkeypatch.setattr(routes, "_answer_result", answer_and_count)
    async with site(home, make_app, Script()) as second:
        told = await asyncio.gather(*(second.get("/extract/mine") for _ in range(20)))
    assert all(each["graph"] == made["graph"] for each in told)
    assert held == [0] + 20 * [1, 0]


@pytest.mark.parametrize("mode", ["immediate", "graceful", "drain", "abort"])
async def test_a_request_is_stopped_in_every_mode(hanging: Site, mode: str) -> None:
    running = asyncio.create_task(hanging.post(BODY))
    await hanging.model.until(lambda books: books.under_way == 1)
    assert (await hanging.get("/extract"))["requests"][0]["state"] == "running"
    await hanging.delete(f"/extract/mine?mode={mode}")
    if mode in ("graceful", "drain"):
        # They wait for an answer that never ends; who stops them now means it.
        await hanging.delete("/extract/mine?mode=immediate")
    told = await running
    assert told["completeness"] in ("partial_entity_only", "empty")
    assert (told["completeness"] == "empty") == (mode == "abort" or not told["graph"]["entities"])
    assert any("cancelled" in warning for warning in told["warnings"])
    await hanging.model.until(lambda books: books.under_way == 0)
    await hanging.delete("/extract/mine", 404)


async def test_whoever_goes_away_is_not_worked_for_any_longer(hanging: Site) -> None:
    running = asyncio.create_task(hanging.post(BODY))
    await hanging.model.until(lambda books: books.under_way == 1)
    running.cancel()
    await hanging.model.until(lambda books: books.under_way == 0)
    # Every look takes a turn of the server, in which it cleans up.
    while (told := await hanging.get("/extract"))["requests"][0]["state"] == "running":
        pass
    assert [each["stages"] for each in told["requests"]] == [[]]


async def test_more_than_can_be_taken_on_waits_or_is_refused(crowded: Site) -> None:
    texts = [TEXT, f"{TEXT} Once more."]
    bodies = [BODY | {"request_id": f"r{n}", "text": text} for n, text in enumerate(texts)]
    for body in bodies:
        await crowded.post(body, 202, Prefer="respond-async")
    other = BODY | {"text": "Another text.", "request_id": "r2", "model": False}
    await crowded.post(other, 202, Prefer="respond-async")
    assert (await crowded.get("/extract/r2", 202))["state"] == "waiting"
    told = await crowded.post(BODY | {"text": "One text more."}, 503)
    assert "2 requests are running and 1 are waiting" in told["detail"]
    assert "requests_waiting" in told["advice"]
    again = await crowded.delete("/extract/r0?mode=abort")
    assert again["cancelled"] == "abort"
    # The one that waited has its turn.
    while (told := await crowded.get("/extract/r2", None)).get("state") in ("waiting", "running"):
        pass
    assert told["completeness"] == "complete"


async def test_a_request_that_waits_can_be_cancelled(crowded: Site) -> None:
    for number in range(3):
        body = BODY | {"request_id": f"r{number}", "text": f"{TEXT} {number}."}
        await crowded.post(body, 202, Prefer="respond-async")
    assert (await crowded.delete("/extract/r2"))["cancelled"] == "graceful"
    told = await crowded.get("/extract/r2", 503)
    assert told["detail"] == "Request 'r2' was cancelled."
    listed = (await crowded.get("/extract"))["requests"]
    assert [each["state"] for each in listed] == ["running", "running", "done"]


BAD: dict[str, tuple[Any, str]] = {
    "no JSON": ("{", "not valid JSON"),
    "a list": ([], "the request"),
    "no text": ({"ontology": ONTOLOGY}, "text"),
    "an empty text": (BODY | {"text": ""}, "text"),
    "a number for a text": (BODY | {"text": 7}, "text"),
    "no ontology": ({"text": TEXT}, "Send either an ontology"),
    "two ontologies": (BODY | {"ontology_name": "x"}, "Send either an ontology"),
    "a broken ontology": (BODY | {"ontology": "@prefix : <"}, "ontology"),
    "an ontology of nothing": (BODY | {"ontology": "# nothing"}, "no class"),
    "an unknown field": (BODY | {"txt": "x"}, "txt"),
    "an unknown format": (BODY | {"formats": ["word"]}, "formats"),
    "an unknown provider": (BODY | {"provider": "nobody"}, "nobody"),
    "an odd id": (BODY | {"request_id": "../x"}, "request_id"),
    "too many tokens": (BODY | {"tokens": 10**9}, "tokens"),
    "a base that is no address": (BODY | {"base": "not one"}, "not a valid base IRI"),
}


@pytest.mark.parametrize("what", BAD)
async def test_bad_requests_are_refused_with_what_to_do(reader: Site, what: str) -> None:
    body, said = BAD[what]
    told = await reader.post(body, 400)
    assert said in told["detail"]
    assert reader.script.asked == {}


async def test_a_request_in_another_type_is_refused(reader: Site) -> None:
    async with reader.session.post("/extract", data=json.dumps(BODY)) as answered:
        told = await answered.json()
    assert answered.status == 400
    assert "application/json" in told["advice"]


async def test_a_text_that_is_too_long_is_refused(home: Path, make_app: Callable[..., App]) -> None:
    async with site(home, make_app, Script(), request_max_characters=1000) as small:
        told = await small.post(BODY | {"text": "x" * 1001}, 413)
    assert "1001 characters" in told["detail"]


async def test_an_unknown_mode_is_refused(reader: Site) -> None:
    told = await reader.delete("/extract/mine?mode=now", 400)
    assert "immediate, graceful, drain, abort" in told["advice"]


def _events(stream: str) -> list[tuple[str, Any]]:
    found = []
    for block in stream.strip().split("\n\n"):
        if block.startswith("event: "):
            name, _, data = block.partition("\ndata: ")
            found.append((name.removeprefix("event: "), json.loads(data)))
    return found


async def test_nobody_spends_more_than_the_home_allows(reader: Site) -> None:
    told = await reader.post(BODY | {"tokens": 8001}, 400)
    assert "at most 8000" in told["detail"]
    assert (await reader.post(BODY | {"tokens": 0}))["tokens"]["allocated"] == 0


async def test_the_ontology_that_comes_with_assay_is_named(reader: Site) -> None:
    told = await reader.post({"text": TEXT, "ontology_name": "graph", "model": False})
    assert told["completeness"] == "complete"
    assert "Ada Lovelace" in {entity["name"] for entity in told["graph"]["entities"]}


async def test_what_is_over_cannot_be_stopped(reader: Site) -> None:
    await reader.post(BODY)
    told = await reader.delete("/extract/mine", 404)
    assert told["detail"] == "Request 'mine' has already finished."
