"""Portals: one module for a vendor's site, however many tenants it has.

A portal turns a tenant's settings into requests, and each response into items and further
requests, as deep as necessary (calendar → meeting → attachments). Five hundred cities with one
vendor are five hundred endpoints of one portal.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from assay.errors import AssayError, ContentBroken, InvalidInput
from assay.model.hashes import content_hash
from assay.model.ids import normalise_url
from assay.sources.listing.results import ListedItem, Listing, ListingPart
from assay.sources.pacing import Pace

ENTRY_SCHEME = "portal"
MOST_ENTRIES = 50_000
"""Items and requests that one response may lead to."""
LONGEST_CHAIN = 200
"""Responses that may lead from one to the next."""


class TenantSettings(BaseModel):
    """The settings that identify one tenant of a portal; a portal derives its own class."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True)
class PortalRequest:
    """One request of a check of a tenant."""

    url: str
    step: str = ""
    """Which kind of response is expected, such as `calendar` or `meeting`."""
    body: str | None = None
    """JSON to send by POST; None means GET."""
    form: Mapping[str, str] | None = None
    """The fields of a form to send by POST."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers that the site insists on, such as Referer; never a key."""
    changed: str | None = None
    """When its response last changed, if an earlier response says so: if it has not changed since,
    the request is not made again."""
    context: Mapping[str, str] = field(default_factory=dict)
    """What the reader of the response needs from earlier responses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortalItem:
    """A document that a response names or contains."""

    url: str
    content: bytes | None = None
    """The document itself, if the response contains it: it is stored as it is, not fetched, and
    the stage that the portal names in `entries` receives it. Its address is then one made
    by `make_entry_url`."""
    content_type: str = "application/json"
    title: str | None = None
    published: str | None = None
    changed: str | None = None
    parent: str | None = None
    """The document that it belongs to: its address, or its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortalPage:
    """The content of one response. An unexpected response is an error, never empty."""

    items: Sequence[PortalItem] = ()
    requests: Sequence[PortalRequest] = ()
    warnings: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Portal:
    """A vendor's site. Its functions are plain module functions, because other processes call
    them."""

    name: str
    """The `strategy` of its endpoints, in lower case."""
    settings: type[TenantSettings]
    start: Callable[[Any, date, date | None], Sequence[PortalRequest]]
    """The requests that a check begins with, from the tenant's settings, the day, and the day of
    the last successful check."""
    read: Callable[[bytes, PortalRequest, Any], PortalPage]
    """Reads a response."""
    recover: Callable[[PortalRequest, int, Any], PortalPage | None] | None = None
    """What to do instead of a request that was answered with an error status, such as asking the
    vendor's pages when its API is switched off; None: nothing, it is an error."""
    pace_s: tuple[float, float] | None = None
    """The least and the most seconds between two requests to the vendor, whichever tenant they
    are for and whichever worker sends them; None: each host has its own pace."""
    break_s: tuple[float, float] = (0.0, 0.0)
    """The least and the most seconds between a check of one of its tenants and a check of a
    tenant of another vendor."""
    entries: str | None = None
    """The stage of the pack that receives items with content."""
    report: str | None = None
    """The stage of the pack that gets a `LookJob` when a check of a tenant was made, succeeded or
    not; None: the pack need not know."""
    pack: str = ""
    """The pack that declares the portal; filled in when packs are loaded."""

    def choose_pace(self, random: Random, *, begins_check: bool = False) -> Pace | None:
        """How the next request is paced; None: as any other request to its host."""
        if self.pace_s is None:
            return None
        break_s = random.uniform(*self.break_s) if begins_check else 0.0
        return Pace(f"{self.name} (vendor)", random.uniform(*self.pace_s), True, break_s)

    def parse_tenant(self, options: Mapping[str, Any]) -> TenantSettings:
        """The settings of a tenant, from the options of its endpoint."""
        try:
            return self.settings.model_validate(dict(options))
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(part) for part in first["loc"]) or "options"
            raise InvalidInput(
                f"'{name}' of portal '{self.name}': {first['msg']}.",
                advice="Known settings: "
                f"{', '.join(sorted(self.settings.model_fields)) or 'none'}.",
            ) from error


NO_PORTALS: Mapping[str, Portal] = {}


def build_first_requests(
    portal: Portal, options: Mapping[str, Any], today: date, since: date | None
) -> list[ListingPart]:
    """The first requests of a check of a tenant."""
    made = portal.start(portal.parse_tenant(options), today, since)
    if not made:
        raise InvalidInput(f"Portal '{portal.name}' asks for nothing with these settings.")
    return [_build_part(request, 1) for request in made]


def read_portal_answer(
    portal: Portal, options: Mapping[str, Any], answer: bytes | int, url: str, part: ListingPart
) -> Listing | None:
    """Read a response, with every address checked; a portal is third-party code.

    For the status of a failed request, return what to do instead, or None.
    """
    request = PortalRequest(
        url=url, step=part.step, body=part.body, changed=part.changed, context=dict(part.context)
    )
    try:
        tenant = portal.parse_tenant(options)
        if isinstance(answer, bytes):
            page = portal.read(answer, request, tenant)
        else:
            instead = portal.recover(request, answer, tenant) if portal.recover else None
            if instead is None:
                return None
            page = instead
        if len(page.items) + len(page.requests) > MOST_ENTRIES:
            raise ContentBroken(f"{url} has more than {MOST_ENTRIES} entries.")
        if page.requests and part.number >= LONGEST_CHAIN:
            raise ContentBroken(
                f"{url} is page {part.number} of a listing that does not come to an end.",
                advice="Open it in a browser: the site may make up pages without end.",
            )
        return Listing(
            items=tuple(_build_item(item) for item in page.items),
            parts=tuple(_build_part(further, part.number + 1) for further in page.requests),
            warnings=tuple(page.warnings),
        )
    except AssayError:
        raise
    except MemoryError:
        # The reading process is replaced after this; continuing in it would fail again.
        raise
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {str(error)[:300]}".rstrip(".")
        raise ContentBroken(
            f"Portal '{portal.name}' ({part.step or 'start'}) fails at {url}: {reason}.",
            advice="The site may have changed; compare the response with the portal's examples.",
        ) from error


def make_entry_url(site: str, *path: str) -> str:
    """The address under which an entry of a site is stored: nothing can be fetched from it."""
    parts = urlsplit(site)
    below = "/".join(quote(part, safe="") for part in path)
    return f"{ENTRY_SCHEME}://{parts.netloc}{parts.path.rstrip('/')}/{below}"


def _build_item(item: PortalItem) -> ListedItem:
    changed = item.changed
    if item.content is not None:
        if urlsplit(item.url).scheme != ENTRY_SCHEME:
            # It could be fetched by mistake, and what is there would replace the entry.
            raise ContentBroken(
                f"{item.url} is the address of an entry, but could be that of a page.",
                advice="Make the addresses of entries with 'make_entry_url'.",
            )
        changed = changed or content_hash(item.content)
    return ListedItem(
        normalise_url(item.url),
        item.title,
        item.published,
        changed,
        parent=item.parent,
        content=item.content,
        content_type=item.content_type,
    )


def _build_part(request: PortalRequest, number: int) -> ListingPart:
    return ListingPart(
        request.url,
        request.changed,
        number,
        request.body if request.form is None else urlencode(request.form),
        is_form=request.form is not None,
        headers=tuple(sorted(request.headers.items())),
        step=request.step,
        context=tuple(sorted(request.context.items())),
    )
