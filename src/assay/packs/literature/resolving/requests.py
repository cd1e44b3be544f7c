"""A request to a service, and what its answer can be."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from assay.packs.literature.resolving.works import FoundWork
from assay.sdk.errors import ContentBroken, InvalidInput, TransientError


@dataclass(frozen=True, kw_only=True)
class ServiceRequest:
    """One request to a service. It contains no key: that is added when it is sent."""

    service: str
    url: str
    key: str
    """What it asks for, in one spelling; the answer is cached under it."""
    cost_micros: int = 0
    """What the service charges for it, in millionths of a dollar."""
    wanted: tuple[str, ...] = ()
    """The ids that it asks for; empty: it is a search, which may answer with anything."""


@dataclass(frozen=True)
class ServicePage:
    """The works in an answer, and the request for the next ones, if there are more."""

    works: tuple[FoundWork, ...] = ()
    missing: tuple[str, ...] = ()
    """Ids that were asked for and that the service does not know."""
    refused: tuple[str, ...] = ()
    """Why works in the answer were left out: they are not what was asked for."""
    following: ServiceRequest | None = None


class ServiceLimitReached(TransientError):
    """A service refuses requests because of its limits, or because of a missing key."""

    code = "service_limit_reached"
    advice = "It is tried again later; check the service's key and your allowance with it."


class WrongWorkAnswered(ContentBroken):
    """A service answered with a different work than the one it was asked for."""

    code = "wrong_work_answered"
    advice = "The answer is not used; the reference stays in the queue."


def make_request(
    service: str,
    url: str,
    query: Iterable[tuple[str, str]],
    *,
    cost_micros: int = 0,
    wanted: Iterable[str] = (),
) -> ServiceRequest:
    """A request whose key is its address without what only identifies the sender."""
    kept = [(name, value) for name, value in query if value]
    text = urlencode([pair for pair in kept if pair[0] != "mailto"], quote_via=quote, safe=":|,*")
    sent = urlencode(kept, quote_via=quote, safe=":|,*@")
    return ServiceRequest(
        service=service,
        url=f"{url}?{sent}" if sent else url,
        key=f"{service} {url}?{text}",
        cost_micros=cost_micros,
        wanted=tuple(wanted),
    )


def check_status(service: str, status: int, request: ServiceRequest) -> None:
    """Raise an error for a status that is neither success nor "not found"."""
    if status in (401, 403, 429):
        raise ServiceLimitReached(f"{service} answered {status} to {request.key}.")
    if status >= 500:
        raise _ServiceFailed(f"{service} answered {status} to {request.key}.")
    if status != 200:
        raise InvalidInput(
            f"{service} answered {status} to {request.key}.",
            advice="The reference stays in the queue; check its id.",
        )


class _ServiceFailed(TransientError):
    """A service is out of order."""

    code = "service_failed"
    advice = "It is tried again later."


def choose_works(request: ServiceRequest, works: Iterable[FoundWork]) -> ServicePage:
    """Keep the works that were asked for; a search may answer with anything."""
    found = tuple(works)
    if not request.wanted:
        return ServicePage(found)
    wanted = set(request.wanted)
    kept = tuple(work for work in found if wanted & {*work.ids, *work.same_work_ids})
    strange = tuple(
        f"{work.ids[0] if work.ids else work.title[:80]!r} was not asked for"
        for work in found
        if work not in kept
    )
    known = {each for work in kept for each in (*work.ids, *work.same_work_ids)}
    missing = tuple(each for each in request.wanted if each not in known)
    if strange and not kept:
        raise WrongWorkAnswered(
            f"{request.service} was asked for {request.wanted[0]}: {strange[0]}."
        )
    return ServicePage(kept, missing, strange)


__all__ = [
    "ServiceLimitReached",
    "ServicePage",
    "ServiceRequest",
    "WrongWorkAnswered",
    "check_status",
    "choose_works",
    "make_request",
]
