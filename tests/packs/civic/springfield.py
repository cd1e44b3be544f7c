"""A city at PrimeGov, as a site and a store have it."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from assay.app import App
from assay.model.records import Endpoint, Record, Source
from assay.packs.civic import pack
from assay.packs.civic.records import City
from assay.settings import Settings
from assay.store.record_tables import table_of
from tests.spine.sites import HOME, Watch, Workplace, watching

CITY = "springfieldOR"
UPCOMING = "/api/v2/PublicPortal/ListUpcomingMeetings"


@contextmanager
def watching_springfield(
    make_app: Callable[..., App], settings: Settings, shared: Workplace, **changed: Any
) -> Iterator[Watch]:
    """An application that watches one city at PrimeGov."""
    packs: dict[str, Any] = {"civic": pack()}
    with watching(make_app, settings, shared, packs=packs, **changed) as made:
        add_springfield(made)
        yield made


def add_springfield(watch: Watch) -> None:
    """Watch the city."""
    watch.store(
        Source(source_slug=CITY, name="Springfield", base_url=HOME, packs=["civic"]),
        Endpoint(
            endpoint_id=f"{CITY}/portal",
            source_slug=CITY,
            url=f"{HOME}/",
            strategy="primegov",
            options={"site": HOME, "timezone": "America/Los_Angeles", "days_back": 0},
        ),
        City(
            banana=CITY,
            name="Springfield",
            state="OR",
            vendor="primegov",
            site=HOME,
            timezone="America/Los_Angeles",
        ),
    )


def meeting(number: int, title: str, starts: str, *papers: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": number, "dateTime": starts, "title": title, "documentList": list(papers),
        "meetingState": 1, "videoUrl": None,
    }  # fmt: skip


def paper(template: int, name: str, published: str = "2026-01-02T10:00:00") -> dict[str, Any]:
    return {
        "templateId": template, "templateName": name, "compileOutputType": 1,
        "publishDate": published,
    }  # fmt: skip


def show(watch: Watch, *meetings: dict[str, Any]) -> None:
    watch.show(UPCOMING, json.dumps(meetings).encode())
    watch.show("/api/v2/PublicPortal/ListArchivedMeetings?year=2023", b"[]")


def show_document(watch: Watch, template: int, *sentences: str) -> None:
    body = "".join(f"<p>{sentence}</p>" for sentence in sentences)
    page = f"<html><body><main><h1>City of Springfield</h1>{body}</main></body></html>"
    path = f"/Public/CompiledDocument?compileOutputType=1&meetingTemplateId={template}"
    watch.show(path, page.encode())


def stored(watch: Watch, record: type[Record]) -> list[Any]:
    return [record.from_row(row) for row in watch.rows(table_of(record))]


BUDGET = (
    "The council will consider the budget for the fiscal year 2027 and the hearing on it.",
    "Staff recommends that the council approve a contract of $1,250,000 for the bridge repair.",
    "The bridge on Main Street was built in 1931 and carries nine thousand vehicles every day.",
    "Residents may speak for three minutes on any subject that is listed on this agenda.",
)
