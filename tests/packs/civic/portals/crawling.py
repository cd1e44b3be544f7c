"""Follow a portal's requests against a local site, in process, until none is left."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Protocol
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from assay.sdk.sources import Portal, PortalItem, PortalRequest

_MOST_REQUESTS = 1000


class Site(Protocol):
    """A vendor's site."""

    def answer(
        self, method: str, path: str, query: Mapping[str, str], body: bytes,
        headers: Mapping[str, str],
    ) -> tuple[int, str, bytes]: ...  # fmt: skip


def crawl(
    portal: Portal, tenant: Any, site: Site, today: date
) -> tuple[list[PortalItem], list[PortalRequest]]:
    """The items that a check finds, one for each address, and the requests that it makes."""
    left = list(portal.start(tenant, today, None))
    items: dict[str, PortalItem] = {}
    made: list[PortalRequest] = []
    while left:
        request = left.pop(0)
        made.append(request)
        assert len(made) <= _MOST_REQUESTS, "the portal does not come to an end"
        status, _, body = _ask(site, request)
        if status < 400:
            page = portal.read(body, request, tenant)
        else:
            instead = portal.recover(request, status, tenant) if portal.recover else None
            assert instead is not None, f"{request.url} answered {status}"
            page = instead
        for item in page.items:
            items.setdefault(item.url, item)
        left += page.requests
    return list(items.values()), made


def _ask(site: Site, request: PortalRequest) -> tuple[int, str, bytes]:
    parts = urlsplit(request.url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    headers = {"Host": parts.netloc, **request.headers}
    body = request.body or (urlencode(request.form) if request.form is not None else None)
    method = "GET" if body is None else "POST"
    return site.answer(method, unquote(parts.path), query, (body or "").encode(), headers)
