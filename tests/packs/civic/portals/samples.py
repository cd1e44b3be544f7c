"""The real payloads, which are not part of the repository, and what a page of a portal lists."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from assay.packs.civic.portals.listed import ListedAgenda, ListedMeeting
from assay.sdk.sources import Portal, PortalPage, PortalRequest
from tests.packs.civic.portals import entries
from tests.packs.civic.portals.crawling import Site, crawl
from tests.packs.civic.portals.entries import SAMPLES, needs_samples

__all__ = ["SAMPLES", "needs_samples"]


def read_sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


def list_meetings(page: PortalPage) -> list[ListedMeeting]:
    return entries.list_meetings(page.items)


def list_agendas(page: PortalPage) -> list[ListedAgenda]:
    return entries.list_agendas(page.items)


def show_papers(entry: ListedMeeting) -> list[tuple[str, str]]:
    return [(paper.kind.value, paper.url) for paper in entry.papers]


@dataclass(frozen=True)
class Crawled:
    """What a check of a local site finds, and the requests that it makes."""

    meetings: list[ListedMeeting]
    agendas: dict[str, ListedAgenda]
    documents: list[str]
    requests: list[PortalRequest]


def crawl_entries(portal: Portal, tenant: Any, site: Site, today: date) -> Crawled:
    items, requests = crawl(portal, tenant, site, today)
    page = PortalPage(items=items)
    agendas = {agenda.meeting: agenda for agenda in list_agendas(page)}
    return Crawled(list_meetings(page), agendas, entries.list_paper_urls(items), requests)
