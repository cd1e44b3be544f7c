"""Follows a portal's requests against a local site, in process, until none is left."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlencode, urlsplit

from assay.packs.civic.portals.listed import ListedAgenda, ListedMeeting
from assay.sdk.sources import Portal, PortalItem, PortalRequest

MOST_REQUESTS = 500


class Site(Protocol):
    """A vendor's site for generated cities."""

    def answer(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes,
        headers: Mapping[str, str],
    ) -> tuple[int, str, bytes]:
        """The status, the content type and the body of an answer."""
        ...


@dataclass
class Crawled:
    """What a crawl found, and what it asked for."""

    items: list[PortalItem] = field(default_factory=list)
    requests: list[PortalRequest] = field(default_factory=list)

    @property
    def meetings(self) -> list[ListedMeeting]:
        return [
            ListedMeeting.model_validate_json(item.content)
            for item in self.items
            if item.content is not None and "?meeting=" in item.url
        ]

    @property
    def agendas(self) -> dict[str, ListedAgenda]:
        found = [
            ListedAgenda.model_validate_json(item.content)
            for item in self.items
            if item.content is not None and "?agenda=" in item.url
        ]
        return {agenda.meeting: agenda for agenda in found}

    @property
    def documents(self) -> list[str]:
        return [item.url for item in self.items if item.content is None]


def crawl(portal: Portal, tenant: Any, site: Site, today: date) -> Crawled:
    """The items of a check, and the requests made."""
    crawled = Crawled()
    left = list(portal.start(tenant, today, None))
    while left:
        request = left.pop(0)
        crawled.requests.append(request)
        assert len(crawled.requests) <= MOST_REQUESTS, f"{request.url} never ends"
        status, body = _ask(site, request)
        if status >= 400:
            page = portal.recover(request, status, tenant) if portal.recover else None
            assert page is not None, f"{request.url} answered {status}"
        else:
            seen = PortalRequest(
                url=request.url, step=request.step, changed=request.changed, context=request.context
            )
            page = portal.read(body, seen, tenant)
        crawled.items += page.items
        left += page.requests
    return crawled


def _ask(site: Site, request: PortalRequest) -> tuple[int, bytes]:
    parts = urlsplit(request.url)
    sent = request.body if request.form is None else urlencode(request.form)
    headers = {"Host": parts.netloc, **request.headers}
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    method = "GET" if sent is None else "POST"
    status, _, body = site.answer(method, parts.path, query, (sent or "").encode(), headers)
    return status, body
