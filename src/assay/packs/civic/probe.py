"""Probing a site before it is watched: which vendor it belongs to, and whether it can be read."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import urlencode

from assay.packs.civic.jobs import day_of
from assay.packs.civic.portals.detect import Detected, detect_vendor
from assay.packs.civic.portals.listed import ListedMeeting
from assay.sdk.errors import ContentUnsupported, InvalidInput
from assay.sdk.services import Services
from assay.sdk.sources import Portal, PortalItem, PortalPage, PortalRequest

_MOST_REQUESTS = 3
_OK = 200


@dataclass(frozen=True)
class Probe:
    """What a look at a site found."""

    meetings: int
    documents: int
    first: str | None
    """The earliest meeting, with its date."""
    last: str | None
    warnings: tuple[str, ...]

    def describe(self) -> str:
        """The result in a sentence."""
        if not self.meetings:
            return "The portal answers, but lists no meetings in the next weeks."
        span = self.first if self.first == self.last else f"{self.first} … {self.last}"
        return f"Found {self.meetings} meetings and {self.documents} documents: {span}."


async def probe_portal(services: Services, portal: Portal, options: dict[str, Any]) -> Probe:
    """Ask a portal what a first check would ask, without following it to every meeting."""
    tenant = portal.parse_tenant(options)
    waiting = list(portal.start(tenant, day_of(services.clock.now_ms()), None))
    steps = {request.step for request in waiting}
    items: list[PortalItem] = []
    warnings: list[str] = []
    for _ in range(_MOST_REQUESTS):
        if not waiting:
            break
        request = waiting.pop(0)
        page = await _ask(services, portal, tenant, request)
        items += page.items
        warnings += page.warnings
        if not page.items:
            # What comes instead of a list, or leads to it.
            waiting += page.requests
        else:
            waiting += [each for each in page.requests if each.step in steps]
    return _summarize(items, warnings)


async def _ask(
    services: Services, portal: Portal, tenant: Any, request: PortalRequest
) -> PortalPage:
    asked: dict[str, Any] = {
        "headers": dict(request.headers),
        "pace": portal.choose_pace(Random()),
    }
    if request.form is not None:
        asked["form"] = urlencode(request.form)
    elif request.body is not None:
        asked["json"] = json.loads(request.body)
    answer = await services.fetcher.fetch(request.url, **asked)
    if answer.status == _OK:
        return portal.read(answer.body, request, tenant)
    instead = portal.recover(request, answer.status, tenant) if portal.recover else None
    if instead is None:
        raise ContentUnsupported(
            f"{request.url} answered {answer.status}.",
            advice="Check the vendor and the site's name; 'assay civic detect URL' may find them.",
        )
    return instead


def _summarize(items: Iterable[PortalItem], warnings: list[str]) -> Probe:
    entries = [item for item in items if item.content is not None]
    meetings = [
        ListedMeeting.model_validate_json(item.content)
        for item in entries
        if item.content is not None and b'"kind":"meeting"' in item.content.replace(b" ", b"")
    ]
    names = [f"{m.title} on {m.starts[:10]}" for m in sorted(meetings, key=lambda m: m.starts)]
    documents = sum(1 for item in items if item.content is None)
    first, last = (names[0], names[-1]) if names else (None, None)
    return Probe(len(meetings), documents, first, last, tuple(warnings))


async def detect_site(services: Services, url: str) -> Detected:
    """The vendor behind an address: by the address itself, or by the links on its page."""
    found = detect_vendor(url)
    if found is None:
        answer = await services.fetcher.fetch(url)
        if answer.status == _OK:
            found = detect_vendor(answer.final_url, answer.body)
    if found is None:
        raise InvalidInput(
            f"No known vendor is behind {url}.",
            advice="Try the page that lists the city's agendas, or its calendar.",
        )
    return found
