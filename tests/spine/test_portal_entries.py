"""Documents that a portal's response contains: stored without being fetched, handed to the pack."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any

import pytest
import sqlalchemy as sa

from assay.app import App
from assay.app.pack_validation import validate_packs
from assay.engine.contract import Outcome, QueueLimits, Result, Stage
from assay.engine.reader import Reader
from assay.errors import InvalidInput
from assay.model.ids import doc_id_of_url
from assay.model.records import Endpoint, Source
from assay.sdk.pack import Pack, PackStage
from assay.sdk.sources import (
    Portal,
    PortalItem,
    PortalPage,
    PortalRequest,
    TenantSettings,
    make_entry_url,
)
from assay.settings import Settings
from assay.spine.payloads import PackJob
from assay.store import tables as t
from tests.bad_site.behaviours import serve_page
from tests.spine.sites import HOME, Watch, Workplace, act, watching

CALENDAR, PAGES = f"{HOME}/calendar", f"{HOME}/pages"
RECEIVED: list[PackJob] = []
RECEIVE = Stage(
    name="receive", version=1, payload=PackJob, queue=QueueLimits(), batch=10, purpose="receives"
)


class Town(TenantSettings):
    """A tenant without settings."""


def start(tenant: Town, today: date, since: date | None) -> list[PortalRequest]:
    return [PortalRequest(url=CALENDAR, step="calendar")]


def read(data: bytes, request: PortalRequest, tenant: Town) -> PortalPage:
    items = []
    for row in json.loads(data):
        url = make_entry_url(HOME, "meeting", str(row["id"]))
        items.append(PortalItem(url=url, content=json.dumps(row).encode(), title=row["title"]))
        if "agenda" in row:
            agenda = f"https://files.test{row['agenda']}"
            items.append(PortalItem(url=agenda, title="Agenda", changed="1", parent=url))
    return PortalPage(items=items)


def recover(request: PortalRequest, status: int, tenant: Town) -> PortalPage | None:
    if request.step == "calendar":
        instead = PortalRequest(
            url=PAGES,
            step="pages",
            form={"year": "2026", "view": "list"},
            headers={"Referer": CALENDAR},
        )
        return PortalPage(requests=[instead])
    return None


async def receive(jobs: Sequence[PackJob], _read: Reader, _services: object) -> Sequence[Result]:
    RECEIVED.extend(jobs)
    return [Outcome() for _ in jobs]


TOWNS = Portal(
    name="towns", settings=Town, start=start, read=read, recover=recover, entries="receive"
)
PACK = Pack(
    name="meetings",
    version="1",
    title="Meetings",
    portals=(TOWNS,),
    stages=(PackStage(RECEIVE, receive),),
)


@pytest.fixture
def watch(
    make_app: Callable[..., App], settings: Settings, shared_workplace: Workplace
) -> Iterator[Watch]:
    packs: dict[str, Any] = {"meetings": PACK}
    RECEIVED.clear()
    with watching(make_app, settings, shared_workplace, packs=packs) as made:
        made.store(
            Source(source_slug="town", name="Town", base_url=HOME, packs=["meetings"]),
            Endpoint(
                endpoint_id="town/portal", source_slug="town", url=f"{HOME}/", strategy="towns"
            ),
        )
        yield made


def show(watch: Watch, *rows: dict[str, Any], path: str = "/calendar") -> None:
    watch.show(path, json.dumps(rows).encode())


def stored_contents(watch: Watch) -> list[Any]:
    hashes = [row["content_hash"] for row in watch.rows(t.evidence)]
    return [json.loads(watch.app.blobs.get(name)) for name in hashes]


def test_a_document_in_a_response_is_evidence_and_goes_to_the_pack(watch: Watch) -> None:
    show(watch, {"id": 1, "title": "Budget"}, {"id": 2, "title": "Zoning"})
    watch.run()
    assert watch.asked() == ["/calendar"]
    assert sorted(entry["title"] for entry in stored_contents(watch)) == ["Budget", "Zoning"]
    assert {job.evidence_id for job in RECEIVED} == {
        row["evidence_id"] for row in watch.rows(t.evidence)
    }
    assert {(job.pack, job.source) for job in RECEIVED} == {("meetings", "town")}
    assert {row["state"] for row in watch.rows(t.candidate)} == {"ready"}
    assert not watch.dead()


def test_nothing_is_stored_or_handed_on_again_until_it_changes(watch: Watch) -> None:
    first = {"id": 1, "title": "Budget"}
    show(watch, first, {"id": 2, "title": "Zoning"})
    watch.run()
    watch.run()
    assert len(RECEIVED) == 2
    show(watch, {"id": 1, "title": "Budget, cancelled"}, {"id": 2, "title": "Zoning"})
    watch.run()
    assert len(RECEIVED) == 3 and len(watch.rows(t.evidence)) == 3
    # It takes place after all: old evidence, but the pack must hear of it.
    show(watch, first, {"id": 2, "title": "Zoning"})
    watch.run()
    assert len(RECEIVED) == 4 and len(watch.rows(t.evidence)) == 3
    assert RECEIVED[3].evidence_id in {job.evidence_id for job in RECEIVED[:2]}


def test_its_documents_belong_to_it_and_to_the_tenant_wherever_they_are(watch: Watch) -> None:
    show(watch, {"id": 1, "title": "Budget", "agenda": "/agenda"})
    watch.show("/agenda", act(1))
    watch.run()
    (agenda,) = [row for row in watch.rows(t.document) if "files.test" in row["url"]]
    assert agenda["parent_doc_id"] == doc_id_of_url(make_entry_url(HOME, "meeting", "1"))
    assert {row["source_slug"] for row in watch.rows(t.document)} == {"town"}
    assert {row["source_slug"] for row in watch.rows(t.source)} == {"town"}


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_portal_says_what_to_ask_instead_of_what_failed(watch: Watch, status: int) -> None:
    watch.do("/calendar", serve_page(b"No.", status=status))
    show(watch, {"id": 1, "title": "Budget"}, path="/pages")
    watch.run()
    assert [entry["title"] for entry in stored_contents(watch)] == ["Budget"]
    assert not watch.dead()


def test_a_portal_sends_forms_and_headers(watch: Watch) -> None:
    watch.do("/calendar", serve_page(b"No.", status=404))
    show(watch, {"id": 1, "title": "Budget"}, path="/pages")
    watch.run()
    (seen,) = [each for each in watch.site.seen if each.path == "/pages"]
    assert (seen.method, seen.body) == ("POST", b"year=2026&view=list")
    assert seen.headers["content-type"] == "application/x-www-form-urlencoded"
    assert seen.headers["referer"] == CALENDAR


def test_a_failure_without_another_way_is_an_error(watch: Watch) -> None:
    watch.do("/calendar", serve_page(b"No.", status=404))
    watch.do("/pages", serve_page(b"No.", status=404))
    watch.run()
    (letter,) = watch.dead()
    assert "/pages answered 404" in letter


def test_what_was_in_a_response_is_never_fetched(watch: Watch) -> None:
    show(watch, {"id": 1, "title": "Budget"})
    watch.run()
    (item,) = watch.rows(t.item)
    watch.asked()
    with watch.app.engine.begin() as connection:
        # As if the listing had said that it changed, and its page could not be read again.
        connection.execute(sa.update(t.item).values(changed="later"))
    watch.run()
    assert watch.asked() == ["/calendar"]
    assert item["url"].startswith("portal://")
    assert len(watch.rows(t.evidence)) == 1 and not watch.dead()


def test_a_stage_that_is_not_declared_is_refused_at_start_up() -> None:
    pack = Pack(name="meetings", version="1", title="Meetings", portals=(TOWNS,))
    with pytest.raises(InvalidInput, match="hands documents to the stage 'receive'"):
        validate_packs({"meetings": pack})
