"""What a stage reads of the store, beside a reference in plain Python."""

import asyncio
from dataclasses import replace

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings, strategies

from assay.app import App
from assay.engine.contract import (
    QueueLimits,
    Stage,
)
from assay.engine.reader import Reader, count_rows, read_first_rows, read_last_rows, read_rows
from assay.errors import ContractViolation, CorruptBlob
from assay.model.records import DiscoveredItem, EndpointPart, Evidence, RoutingDecision, TextBand
from assay.model.storage import AtLeast, Contains, ValuesOf
from assay.spine.payloads import RouterJob
from assay.store import tables as t
from assay.store.upserts import upsert_records

STAGE = Stage(
    name="reading",
    version=1,
    payload=RouterJob,
    queue=QueueLimits(),
    reads=frozenset({TextBand, EndpointPart, DiscoveredItem, RoutingDecision}),
)
BIGGEST = 2**63 - 1
BANDS = strategies.sampled_from([-BIGGEST - 1, -1, 0, 1, 7, BIGGEST])
ROWS = strategies.sets(
    strategies.tuples(BANDS, strategies.integers(0, 40).map("ev_{:02x}".format)), max_size=60
)


def reader(app: App, stage: Stage = STAGE) -> Reader:
    return Reader(stage, app.engine, app.blobs, app.clock.now_ms())


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rows=ROWS, bands=strategies.sets(BANDS), most=strategies.integers(1, 9))
def test_the_least_of_each_value_are_those_of_the_reference(
    app: App, rows: set[tuple[int, str]], bands: set[int], most: int
) -> None:
    upserted = [TextBand(band=band, evidence_id=key) for band, key in rows]
    with app.engine.begin() as connection:
        upsert_records(connection, upserted)
    with app.engine.connect() as connection:
        everything = [
            (row.band, row.evidence_id) for row in connection.execute(sa.select(t.text_band))
        ]
    found = asyncio.run(reader(app).find_first_per_value(TextBand, "band", bands, most))
    wanted = [
        pair
        for band in sorted(bands)
        for pair in sorted(pair for pair in everything if pair[0] == band)[:most]
    ]
    assert [(row.band, row.evidence_id) for row in found] == wanted


async def test_more_values_than_fit_in_one_statement_are_found(app: App) -> None:
    rows = [TextBand(band=band, evidence_id=f"ev_{n}") for band in range(1200) for n in range(3)]
    with app.engine.begin() as connection:
        upsert_records(connection, rows)
    read = reader(app)
    assert len(await read.find_first_per_value(TextBand, "band", range(1200), 2)) == 2400
    assert len(await read.find_where(TextBand, "band", range(1200))) == 3600
    assert await read.find_first_per_value(TextBand, "band", [], 2) == []


async def test_rows_are_chosen_by_more_than_one_column(app: App) -> None:
    parts = [
        EndpointPart(endpoint_id=endpoint, url=url, read_ms=ms)
        for endpoint, url, ms in (("a", "/1", 0), ("a", "/2", 5), ("b", "/1", 0), ("B", "/3", 0))
    ]
    with app.engine.begin() as connection:
        upsert_records(connection, parts)
    read = reader(app)
    found = await read.find_where(EndpointPart, "url", ["/1", "/2"], beside={"endpoint_id": "a"})
    assert [(part.endpoint_id, part.url) for part in found] == [("a", "/1"), ("a", "/2")]
    (unread,) = await read.find_where(EndpointPart, "endpoint_id", ["a"], beside={"read_ms": 0})
    assert unread.url == "/1"
    # In the same order on every database, whatever it was set up with.
    every = await read.find_where(EndpointPart, "url", ["/1", "/2", "/3"])
    assert [part.endpoint_id for part in every] == ["B", "a", "a", "b"]


async def test_rows_of_several_packs_come_together_and_never_as_one(app: App) -> None:
    rows = [
        RoutingDecision(evidence_id=key, pack=pack, decision="SKIP", reason="", worth_it_score=0.0,
                        threshold=0.4)
        for key, pack in (("ev_1", "b"), ("ev_1", "a"), ("ev_2", ""))
    ]  # fmt: skip
    with app.engine.begin() as connection:
        upsert_records(connection, rows)
    read = reader(app)
    found = await read.get_groups(RoutingDecision, ["ev_2", "ev_1", "ev_3"])
    packs = {key: [row.pack for row in of_key] for key, of_key in found.items()}
    assert packs == {"ev_1": ["a", "b"], "ev_2": [""]}
    assert await read.get_groups(RoutingDecision, ["ev_1"]) == {"ev_1": found["ev_1"]}
    with pytest.raises(ContractViolation, match="RoutingDecision has a key of several columns"):
        await read.get_many(RoutingDecision, ["ev_1"])


async def test_rows_are_counted_without_being_read(app: App) -> None:
    items = [
        DiscoveredItem(item_id=str(n), endpoint_id="ab"[n % 2], source_slug="s", url=str(n),
                       doc_id=str(n), first_seen_ms=n)
        for n in range(10)
    ]  # fmt: skip
    with app.engine.begin() as connection:
        upsert_records(connection, items)
    read = reader(app)
    assert await read.count(DiscoveredItem, {"endpoint_id": "a"}) == 5
    assert await read.count(DiscoveredItem, {"endpoint_id": "a"}, {"first_seen_ms": 4}) == 2
    assert await read.count(DiscoveredItem, {"endpoint_id": "c"}) == 0


def test_commands_choose_rows_by_ranges_and_by_several_values(app: App) -> None:
    parts = [
        EndpointPart(endpoint_id=f"e{n % 3}", url=f"/{n:04}", read_ms=n) for n in range(1200)
    ] + [EndpointPart(endpoint_id="E", url="/Z", read_ms=7)]
    with app.engine.begin() as connection:
        upsert_records(connection, parts)
    with app.engine.connect() as connection:

        def list_urls(**where: object) -> list[str]:
            found = read_rows(connection, EndpointPart, where)
            assert count_rows(connection, EndpointPart, where) == len(found)
            return [part.url for part in found]

        assert list_urls(url=AtLeast("/1198"), endpoint_id="e1") == ["/1198"]
        # Byte by byte, whatever collation the server has.
        assert list_urls(url=AtLeast("/1199")) == ["/Z", "/1199"]
        assert list_urls(url={"/0004", "/Z", "/none"}) == ["/Z", "/0004"]
        assert list_urls(url=[], endpoint_id="e1") == []
        both = list_urls(endpoint_id=["e0", "e2"], url={f"/{n:04}" for n in range(700)})
        assert len(both) == 467 and both[:2] == ["/0000", "/0003"]
        many = {f"/{n:04}" for n in range(1200)}
        assert list_urls(url=many) == list_urls(endpoint_id={"e0", "e1", "e2"})

        last = read_last_rows(connection, EndpointPart, "read_ms", 2, {"endpoint_id": "e0"})
        assert [part.read_ms for part in last] == [1197, 1194]
        last = read_last_rows(connection, EndpointPart, "url", 2, {"url": {"/Z", *many}})
        assert [part.url for part in last] == ["/Z", "/1199"]
        first = read_first_rows(connection, EndpointPart, "url", 2, {"url": {"/Z", *many}})
        assert [part.url for part in first] == ["/0000", "/0001"]
        first = read_first_rows(connection, EndpointPart, "read_ms", 1, {"endpoint_id": "e1"})
        assert [part.read_ms for part in first] == [1]

        assert list_urls(url=Contains(("z",))) == ["/Z"]
        found = {"/0119", "/1119", *(f"/119{n}" for n in range(10))}
        assert set(list_urls(url=Contains(("119", "/", "9")))) == found
        # A sign of the language of patterns is a character like any other.
        assert list_urls(url=Contains(("%",))) == list_urls(url=Contains(("_",))) == []
        assert list_urls(url=ValuesOf(EndpointPart, "url"), endpoint_id="e1") == list_urls(
            endpoint_id="e1"
        )
        assert list_urls(url=ValuesOf(EndpointPart, "endpoint_id")) == []


async def test_what_is_not_declared_is_refused_in_every_way_of_reading(app: App) -> None:
    read = reader(app)
    ways = (
        lambda: read.find_first_per_value(Evidence, "evidence_id", ["x"], 1),
        lambda: read.find_where(Evidence, "evidence_id", ["x"]),
        lambda: read.count(Evidence, {}),
        lambda: read.blob("0" * 64),
        lambda: read.blobs(["0" * 64]),
    )
    for way in ways:
        with pytest.raises(ContractViolation):
            await way()
    with pytest.raises(ContractViolation):
        read.blob_file("0" * 64)
    assert len(read.refusals) == 6


async def test_bytes_are_read_together_and_each_is_checked(app: App) -> None:
    one, other = app.blobs.put_all([b"one", b"other"])
    read = reader(app, replace(STAGE, reads=frozenset({Evidence})))
    assert await read.blobs([one, other, one]) == {one: b"one", other: b"other"}
    file = app.blobs.path(other)
    file.chmod(0o644)
    file.write_bytes(b"altered")
    with pytest.raises(CorruptBlob):
        await read.blobs([one, other])
