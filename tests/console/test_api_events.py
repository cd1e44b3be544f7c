"""`GET /api/events`: what happens, as it happens, also through the server in front."""

import asyncio
import json
from typing import Any

import aiohttp
import pytest
import sqlalchemy as sa

from assay.app import App
from assay.app.event_stream import LATE_MS, EventStream, parse_position
from assay.console.api import events
from assay.errors import InvalidInput
from assay.events import SourceUnpaused
from assay.store import tables as t
from assay.store.event_log import write_event
from tests.console.conftest import AskedApi, asking, serving_console
from tests.waiting import PATIENCE_S

AT_MS = 1_700_000_000_000


def write(app: App, *slugs: str, at_ms: int = AT_MS) -> None:
    with app.engine.begin() as connection:
        for slug in slugs:
            write_event(connection, SourceUnpaused(source_slug=slug), at_ms, source_slug=slug)
            at_ms += 1


def slugs_of(stream: EventStream) -> list[str | None]:
    return [event.source_slug for event in stream.read_next()]


def test_events_are_read_once_in_their_order(app: App) -> None:
    now_ms = app.clock.now_ms()
    write(app, "before", at_ms=now_ms - 60_000)
    stream = EventStream(app)
    assert slugs_of(stream) == []
    write(app, "a", "b", at_ms=now_ms + 5_000)
    assert slugs_of(stream) == ["a", "b"]
    write(app, "late", at_ms=now_ms + 3_000)
    write(app, "c", at_ms=now_ms + 6_000)
    assert slugs_of(stream) == ["c"]
    # What was stored after later ones is found, too.
    assert slugs_of(stream) == ["late"]
    assert slugs_of(stream) == []


def test_a_stream_goes_on_where_another_ended(app: App) -> None:
    write(app, "a", "b", "c")
    stream = EventStream(app, f"{AT_MS - LATE_MS}-x")
    first = stream.read_next()
    assert [event.source_slug for event in first] == ["a", "b", "c"]
    write(app, "d", at_ms=AT_MS + 2 * LATE_MS)
    assert slugs_of(EventStream(app, f"{AT_MS + LATE_MS + 5}-x")) == ["d"]
    # Those shortly before may come again, but not the one that was named.
    assert slugs_of(EventStream(app, first[1].position)) == ["a", "c", "d"]


@pytest.mark.parametrize("text", ["", "x", "1", "-1", "1-", "é-x", "٣-x", "9" * 30 + "-x", "1-\0"])
def test_a_position_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_position(text)


async def next_event(lines: aiohttp.StreamReader) -> dict[str, Any]:
    """The next event, without heartbeats."""
    found: dict[str, str] = {}
    async for line in lines:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name:
            found[name] = value
        elif not line.strip() and "data" in found:
            return {**found, "data": json.loads(found["data"])}
    raise AssertionError("The stream has ended.")


async def test_events_come_through_the_server_until_the_client_goes(
    published: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving_console(published) as url, aiohttp.ClientSession(url) as session:
        async with asyncio.timeout(PATIENCE_S):
            first = {"Last-Event-ID": f"{AT_MS}-x"}
            async with session.get("/api/events", headers=first) as answer:
                assert answer.content_type == "text/event-stream"
                assert answer.headers["Cache-Control"] == "no-store"
                write(published, "a", at_ms=AT_MS + LATE_MS)
                event = await next_event(answer.content)
                assert event["event"] == "source.unpaused"
                assert event["data"]["source_slug"] == "a"
                position = event["id"]
            write(published, "b", at_ms=AT_MS + LATE_MS + 5)
            async with session.get("/api/events", params={"after": position}) as answer:
                assert (await next_event(answer.content))["data"]["source_slug"] == "b"
            # Their streams have ended: as many as are allowed can be opened one after the other.
            for _ in range(events.MOST_STREAMS + 6):
                async with session.get("/api/events") as answer:
                    assert answer.status == 200
                    assert await answer.content.readline() == b"retry: 3000\n"


async def test_too_many_streams_are_refused(api: AskedApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "MOST_STREAMS", 0)
    answer = await api.client.get("/api/events")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")


async def test_a_wrong_position_is_refused(published: App) -> None:
    async with asking(published) as api:
        status, told = await api.refused("/api/events?after=soon")
        assert (status, told["code"]) == (400, "invalid_input")


def test_the_index_gives_events_in_their_order(app: App) -> None:
    if app.engine.dialect.name != "sqlite":
        return
    query = sa.select(t.event).where(t.event.c.at_ms >= 1).order_by("at_ms", "event_id").limit(5)
    text = str(query.compile(app.engine, compile_kwargs={"literal_binds": True}))
    with app.engine.connect() as connection:
        plan = str(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}").all())
    assert "ix_events_at_ms" in plan and "TEMP B-TREE" not in plan


async def test_the_server_says_which_methods_its_own_addresses_have(published: App) -> None:
    async with serving_console(published) as url, aiohttp.ClientSession(url) as session:
        for path, allowed in (("/extract", {"GET", "POST"}), ("/health", {"GET", "HEAD"})):
            async with session.put(path) as answer:
                told = await answer.json()
                assert (answer.status, told["code"]) == (405, "http")
                assert set(answer.headers["Allow"].split(",")) == allowed
        forged = {"X-Assay-Role": "reader", "X-Assay-User": "eve"}
        async with session.get("/api/nothing", headers=forged) as answer:
            assert answer.status == 404 and "openapi.json" in (await answer.json())["advice"]
