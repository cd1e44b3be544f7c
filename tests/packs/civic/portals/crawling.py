"""Follows a portal through a local site, in process, until no request is left."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlencode, urlsplit

from assay.sdk.sources import Portal, PortalItem, PortalRequest

MOST_REQUESTS = 5_000


class Site(Protocol):
    """A local site of a vendor."""

    def answer(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes,
        headers: Mapping[str, str],
    ) -> tuple[int, str, bytes]: ...


def crawl(
    portal: Portal, tenant: Any, site: Site, today: date
) -> tuple[list[PortalItem], list[PortalRequest]]:
    """The items of all responses, and the requests that were made, in order."""
    waiting = list(portal.start(tenant, today, None))
    items: list[PortalItem] = []
    made: list[PortalRequest] = []
    while waiting:
        request = waiting.pop(0)
        made.append(request)
        assert len(made) <= MOST_REQUESTS, f"no end after {request.url}"
        status, body = _ask(site, request)
        # What the reader gets: neither the form nor the headers.
        seen = PortalRequest(
            url=request.url,
            step=request.step,
            body=request.body,
            changed=request.changed,
            context=dict(request.context),
        )
        if status == 200:
            page = portal.read(body, seen, tenant)
        else:
            instead = portal.recover(seen, status, tenant) if portal.recover else None
            assert instead is not None, f"{request.url} answered {status}"
            page = instead
        items += page.items
        waiting += page.requests
    return items, made


def _ask(site: Site, request: PortalRequest) -> tuple[int, bytes]:
    parts = urlsplit(request.url)
    headers = {"Host": parts.netloc, **request.headers}
    body = request.body.encode() if request.body is not None else b""
    if request.form is not None:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        body = urlencode(request.form).encode()
    is_post = request.form is not None or request.body is not None
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    status, _, answer = site.answer("POST" if is_post else "GET", parts.path, query, body, headers)
    return status, answer
