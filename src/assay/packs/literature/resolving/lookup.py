"""Asking services: in their order and at their pace, with one error for each request at most."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from assay.packs.literature.resolving import arxiv, crossref, openalex
from assay.packs.literature.resolving.requests import (
    ServiceLimitReached,
    ServicePage,
    ServiceRequest,
)
from assay.packs.literature.resolving.works import FoundWork
from assay.sdk.errors import AssayError, CallDenied
from assay.sdk.services import Services
from assay.sdk.sources import ServiceAnswer, ServiceTerms

OPENALEX: Final = ServiceTerms(
    name=openalex.SERVICE,
    base_url="https://api.openalex.org/",
    gap_s=0.1,
    daily_micros=1_000_000,
    daily_micros_without_key=10_000,
)
"""A free key gives a dollar per day; without one it is a cent."""
CROSSREF: Final = ServiceTerms(
    name=crossref.SERVICE, base_url="https://api.crossref.org/", gap_s=0.5
)
ARXIV: Final = ServiceTerms(
    name=arxiv.SERVICE, base_url="https://export.arxiv.org/", gap_s=3.0, keep_days=7.0
)
"""One request per three seconds and one connection, over all of arXiv's interfaces. Its answers
are kept for a shorter time, because papers get new versions."""
SERVICES: Final = {terms.name: terms for terms in (OPENALEX, CROSSREF, ARXIV)}

ParseResponse = Callable[[int, bytes, ServiceRequest, str], ServicePage]
PARSERS: Final[Mapping[str, ParseResponse]] = {
    openalex.SERVICE: openalex.parse_openalex_response,
    crossref.SERVICE: crossref.parse_crossref_response,
    arxiv.SERVICE: arxiv.parse_arxiv_response,
}
SendRequest = Callable[[ServiceRequest], Awaitable[ServiceAnswer]]
_MOST_PAGES = 5


@dataclass(frozen=True, kw_only=True)
class LookupResult:
    """What became of a request: the works found, or the error."""

    request: ServiceRequest
    works: tuple[FoundWork, ...] = ()
    missing: tuple[str, ...] = ()
    """Ids that the service does not know."""
    refused: tuple[str, ...] = ()
    """Why works in the answer were not used."""
    error: AssayError | None = None
    is_cached: bool = False
    """Whether nothing was sent."""


def make_sender(services: Services) -> SendRequest:
    """Sends requests with Assay's services: cached, paced, and charged to the allowances."""

    async def send(request: ServiceRequest) -> ServiceAnswer:
        access = services.open_service(SERVICES[request.service])
        return await access.send(request.url, key=request.key, micros=request.cost_micros)

    return send


async def look_up(requests: Iterable[ServiceRequest], send: SendRequest) -> list[LookupResult]:
    """Send requests and read the answers; results are in the order of the requests.

    Services are asked at the same time, each of them one request after the other. After a service
    has refused a request because of a limit, it is not asked again in this call.
    """
    kept = list(dict.fromkeys(requests))
    by_service: dict[str, list[ServiceRequest]] = {}
    for request in kept:
        by_service.setdefault(request.service, []).append(request)
    groups = await asyncio.gather(*(_ask_in_turn(group, send) for group in by_service.values()))
    found = {result.request: result for group in groups for result in group}
    return [found[request] for request in kept]


async def _ask_in_turn(requests: Iterable[ServiceRequest], send: SendRequest) -> list[LookupResult]:
    results: list[LookupResult] = []
    stopped: AssayError | None = None
    for request in requests:
        # A used-up allowance does not stop requests that cost nothing.
        is_stopped = stopped is not None and (
            not isinstance(stopped, CallDenied) or request.cost_micros > 0
        )
        result = (
            LookupResult(request=request, error=stopped)
            if is_stopped
            else await _ask(request, send)
        )
        if isinstance(result.error, CallDenied | ServiceLimitReached):
            stopped = result.error
        results.append(result)
    return results


async def _ask(request: ServiceRequest, send: SendRequest) -> LookupResult:
    works: dict[FoundWork, None] = {}
    refused: list[str] = []
    cached, page = True, ServicePage()
    following: ServiceRequest | None = request
    try:
        for _ in range(_MOST_PAGES):
            if following is None:
                break
            answer = await send(following)
            cached = cached and answer.is_cached
            parse = PARSERS[request.service]
            page = parse(answer.status, answer.body, following, answer.final_url)
            works.update(dict.fromkeys(page.works))
            refused.extend(page.refused)
            following = page.following
    except AssayError as error:
        return LookupResult(
            request=request, works=tuple(works), refused=tuple(refused), error=error
        )
    known = {each for work in works for each in (*work.ids, *work.same_work_ids)}
    return LookupResult(
        request=request,
        works=tuple(works),
        missing=tuple(each for each in request.wanted if each not in known),
        refused=tuple(refused),
        is_cached=cached,
    )
