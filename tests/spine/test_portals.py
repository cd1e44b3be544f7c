"""Portals: several requests for one listing, many tenants, documents with parents."""

import json
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest

from assay.app import App
from assay.model.ids import doc_id_of_url
from assay.model.records import Endpoint, Source
from assay.sdk.pack import Pack
from assay.sdk.sources import Portal, PortalItem, PortalPage, PortalRequest, TenantSettings
from assay.settings import Settings
from assay.store import tables as t
from tests.spine.sites import HOME, Watch, Workplace, act, watching


class Council(TenantSettings):
    """A tenant of the made-up vendor."""

    client: str


def start(tenant: Council, today: date, since: date | None) -> list[PortalRequest]:
    return [PortalRequest(url=f"{HOME}/{tenant.client}/calendar", step="calendar")]


def read(data: bytes, request: PortalRequest, tenant: Council) -> PortalPage:
    told = json.loads(data)
    if request.step == "calendar":
        return PortalPage(
            requests=[
                PortalRequest(
                    url=f"{HOME}/{tenant.client}/meeting/{meeting['id']}",
                    step="meeting",
                    changed=meeting["changed"],
                    context={"held": meeting["held"]},
                )
                for meeting in told
            ]
        )
    agenda = f"{HOME}/{tenant.client}/{told['agenda']}"
    return PortalPage(
        items=[
            PortalItem(url=agenda, title="Agenda", published=request.context["held"]),
            *(
                PortalItem(url=f"{HOME}/{tenant.client}/{name}", title=name, parent=agenda)
                for name in told["attachments"]
            ),
        ]
    )


COUNCILS = Portal(name="councils", settings=Council, start=start, read=read)
PACK = Pack(name="meetings", version="1", title="Meetings", portals=(COUNCILS,))


@pytest.fixture
def watch(
    make_app: Callable[..., App], settings: Settings, shared_workplace: Workplace
) -> Iterator[Watch]:
    packs: dict[str, Any] = {"meetings": PACK}
    with watching(make_app, settings, shared_workplace, packs=packs) as made:
        yield made


def tenant(watch: Watch, client: str, **more: Any) -> None:
    """Watch one tenant of the portal."""
    watch.store(
        Source(source_slug=client, name=client, base_url=f"{HOME}/{client}"),
        Endpoint(
            endpoint_id=f"{client}/portal",
            source_slug=client,
            url=f"{HOME}/{client}/",
            strategy="councils",
            options={"client": client, **more},
        ),
    )


def show(watch: Watch, client: str, *meetings: tuple[int, str]) -> None:
    """A calendar with these meetings, each with an agenda and an attachment."""
    calendar = [{"id": n, "changed": day, "held": "2026-03-01"} for n, day in meetings]
    watch.show(f"/{client}/calendar", json.dumps(calendar).encode())
    for n, _ in meetings:
        told = {"agenda": f"agenda-{n}", "attachments": [f"plan-{n}"]}
        watch.show(f"/{client}/meeting/{n}", json.dumps(told).encode())
        watch.show(f"/{client}/agenda-{n}", act(n))
        watch.show(f"/{client}/plan-{n}", act(n + 100))


def test_a_calendar_leads_to_meetings_and_these_to_documents(watch: Watch) -> None:
    tenant(watch, "split")
    show(watch, "split", (1, "2026-03-01"), (2, "2026-03-08"))
    watch.run()
    assert watch.asked() == [
        "/split/agenda-1", "/split/agenda-2", "/split/calendar", "/split/meeting/1",
        "/split/meeting/2", "/split/plan-1", "/split/plan-2",
    ]  # fmt: skip
    assert len(watch.rows(t.evidence)) == 4
    assert {row["published"] for row in watch.rows(t.item)} == {"2026-03-01", None}


def test_a_document_knows_what_it_is_part_of(watch: Watch) -> None:
    tenant(watch, "split")
    show(watch, "split", (1, "2026-03-01"))
    watch.run()
    agenda = doc_id_of_url(f"{HOME}/split/agenda-1")
    for table in (t.document, t.item):
        parents = {row["url"]: row["parent_doc_id"] for row in watch.rows(table)}
        assert parents == {f"{HOME}/split/agenda-1": None, f"{HOME}/split/plan-1": agenda}


def test_a_meeting_that_has_not_changed_is_not_asked_for_again(watch: Watch) -> None:
    tenant(watch, "split")
    show(watch, "split", (1, "2026-03-01"), (2, "2026-03-08"))
    watch.run()
    watch.asked()
    show(watch, "split", (1, "2026-03-01"), (2, "2026-03-09"))
    watch.run()
    assert [path for path in watch.asked() if "meeting" in path] == ["/split/meeting/2"]


def test_many_tenants_are_rows_and_one_that_fails_stops_no_other(watch: Watch) -> None:
    for number in range(5):
        tenant(watch, f"city{number}")
        show(watch, f"city{number}", (1, "2026-03-01"))
    watch.show("/city3/calendar", b"<html>the vendor is down</html>")
    watch.run()
    assert {row["source_slug"] for row in watch.rows(t.evidence)} == {
        "city0", "city1", "city2", "city4",
    }  # fmt: skip
    (letter,) = watch.dead()
    assert "Portal 'councils' (calendar) fails at" in letter


def test_a_tenant_that_is_described_wrongly_is_reported_with_its_field(watch: Watch) -> None:
    tenant(watch, "split", clinet="x")
    watch.run()
    (letter,) = watch.dead()
    assert "'clinet' of portal 'councils'" in letter and "Known settings: client" in letter
