"""Looks at a site before it is a source: proposes how to read it, and tries what a person wrote."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from assay.app.new_source import STRATEGY_OF, SourceKind
from assay.app.tools import build_bounds, build_fetch_policy
from assay.engine.process_pool import ProcessPool
from assay.errors import AssayError, ContentUnsupported, InvalidInput
from assay.settings import Settings
from assay.sources.fetching import Fetcher
from assay.sources.folders.expectations import MOST_EXAMPLE_BYTES, describe_validation_error
from assay.sources.listing import STRATEGIES, ListingOptions, check_options
from assay.sources.proposals import (
    ListingProposal,
    ListingTrial,
    find_own_address,
    recognize_listing,
    try_listing,
)
from assay.sources.responses import FetchResponse

T = TypeVar("T")
_OK = 200
_SITEMAP, _FEED = "SITEMAP_XML", "RSS_FEED"
_NOWHERE = "https://www.example.org/"
"""Where a saved file is from, if neither it nor the person says so."""
_LISTS = frozenset({"include", "exclude", "hosts", "follow", "date_formats"})
_COLUMNS = "columns."


@dataclass(frozen=True)
class TriedListing:
    """A listing, how it was read, and what that yields."""

    url: str
    body: bytes
    strategy: str
    options: ListingOptions
    trial: ListingTrial
    name: str | None = None
    """What the site calls it."""
    notes: tuple[str, ...] = ()
    """What a person should know about the choice."""

    def values(self) -> dict[str, Any]:
        """Everything but the body, as JSON."""
        trial = self.trial
        return {
            "url": self.url,
            "strategy": self.strategy,
            "options": self.options.model_dump(mode="json", exclude_unset=True),
            "entries": [
                {name: getattr(item, name) for name in ("url", "title", "published", "changed")}
                for item in trial.listing.items
            ],
            "continues_at": [part.url for part in trial.listing.parts],
            "selectors": [
                {"option": s.option, "selector": s.written, "matches": s.matches, "of": s.within}
                for s in trial.selectors
            ],
            "doubts": [*self.notes, *trial.doubts],
            "error": trial.error or None,
        }


def propose_listing(settings: Settings, url: str, kind: SourceKind | None = None) -> TriedListing:
    """Fetch an address, and propose how to read it, or the feed or sitemap that it links to."""

    async def work(desk: _ProposalDesk) -> TriedListing:
        return await desk.propose(url, None if kind is None else STRATEGY_OF[kind])

    return _run_desk(settings, work)


def try_source(
    settings: Settings,
    target: str,
    *,
    strategy: str | None = None,
    selects: Iterable[str] = (),
    url: str | None = None,
) -> TriedListing:
    """Read an address, or a file saved from a site, in the way that a person describes.

    Without a strategy, it is read as `propose_listing` would, with what the person selects.
    """
    if strategy is not None and strategy not in STRATEGIES:
        raise InvalidInput(
            f"{strategy!r} is not a strategy.", advice=f"Use {', '.join(STRATEGIES)}."
        )
    selected = _parse_selects(selects)

    async def work(desk: _ProposalDesk) -> TriedListing:
        if target.startswith(("http://", "https://")):
            answer = await desk.fetch(target)
            return await desk.try_body(answer.body, answer.final_url, strategy, selected)
        return await desk.try_file(Path(target), url, strategy, selected)

    return _run_desk(settings, work)


def _run_desk(settings: Settings, work: "Callable[[_ProposalDesk], Awaitable[T]]") -> T:
    async def run() -> T:
        async with (
            Fetcher(build_fetch_policy(settings)) as fetcher,
            ProcessPool(1, build_bounds(settings)) as pool,
        ):
            return await work(_ProposalDesk(fetcher, pool))

    return asyncio.run(run())


@dataclass(frozen=True)
class _ProposalDesk:
    """Fetches politely, and reads in the process that may fail."""

    fetcher: Fetcher
    pool: ProcessPool

    async def fetch(self, url: str) -> FetchResponse:
        answer = await self.fetcher.fetch(url)
        if answer.status != _OK:
            raise ContentUnsupported(
                f"{url} answered {answer.status}.",
                advice="Open it in a browser; it may have moved, or the site may block programs.",
            )
        return answer

    async def propose(self, url: str, strategy: str | None) -> TriedListing:
        answer = await self.fetch(url)
        body, here = answer.body, answer.final_url
        if strategy in (_FEED, _SITEMAP) and (linked := await self._follow(body, here, strategy)):
            return linked
        proposal = await self.pool.run(recognize_listing, body, here, strategy)
        own = None
        if proposal.strategy is not None:
            own = await self._try_proposal(proposal, body)
            if strategy is not None or not (proposal.links.feeds or proposal.links.sitemaps):
                return own
        return await self._choose(proposal, own)

    async def _follow(self, body: bytes, here: str, strategy: str) -> TriedListing | None:
        """The feed or sitemap that a page links to, if it is a page."""
        try:
            proposal = await self.pool.run(recognize_listing, body, here)
        except AssayError:
            return None
        links = proposal.links.feeds if strategy == _FEED else proposal.links.sitemaps
        if proposal.strategy == strategy or not links:
            return None
        return await self._try_address(links[0], strategy)

    async def _choose(self, proposal: ListingProposal, own: TriedListing | None) -> TriedListing:
        """Prefer a feed about the same documents, then a page with dates, then a sitemap."""
        other: TriedListing | None = None
        for url, strategy in (
            *((url, _FEED) for url in proposal.links.feeds[:1]),
            *((url, _SITEMAP) for url in proposal.links.sitemaps[:1]),
        ):
            if own is not None and strategy == _SITEMAP and proposal.dated:
                continue
            other = await self._try_address_quietly(url, strategy)
            if other is not None and (own is None or _is_better(other, own, proposal)):
                kind = "feed" if strategy == _FEED else "sitemap"
                note = f"The page links to this {kind}; --kind listing reads the page itself."
                return replace(other, notes=(note, *other.notes), name=other.name or proposal.name)
        if own is None:
            raise ContentUnsupported(
                f"Nothing on the page at {proposal.url} repeats as a list of documents does, and it"
                " names no feed or sitemap that can be read.",
                advice="Give the address of the page that lists the documents, or try selectors "
                "with 'assay sources try'.",
            )
        if proposal.links.feeds:
            note = f"The page also links to a feed, {proposal.links.feeds[0]}, with other entries."
            return replace(own, notes=(*own.notes, note))
        return own

    async def _try_address(self, url: str, strategy: str) -> TriedListing:
        answer = await self.fetch(url)
        proposal = await self.pool.run(recognize_listing, answer.body, answer.final_url, strategy)
        return await self._try_proposal(proposal, answer.body)

    async def _try_address_quietly(self, url: str, strategy: str) -> TriedListing | None:
        """None: what the page links to cannot be fetched, or is empty."""
        try:
            tried = await self._try_address(url, strategy)
        except AssayError:
            return None
        listing = tried.trial.listing
        return tried if listing.items or listing.parts else None

    async def _try_proposal(self, proposal: ListingProposal, body: bytes) -> TriedListing:
        assert proposal.strategy is not None
        if proposal.strategy == _SITEMAP:
            # The beginning of a sitemap can be read; it is also what an example may contain.
            body = body[:MOST_EXAMPLE_BYTES]
        options = ListingOptions.model_validate(dict(proposal.options))
        trial = await self.pool.run(try_listing, proposal.strategy, body, proposal.url, options)
        return TriedListing(
            proposal.url, body, proposal.strategy, options, trial, proposal.name, proposal.notes
        )

    async def try_body(
        self, body: bytes, url: str, strategy: str | None, selected: Mapping[str, Any]
    ) -> TriedListing:
        options: dict[str, Any] = dict(selected)
        if strategy is None:
            proposal = await self.pool.run(recognize_listing, body, url)
            if proposal.strategy is None:
                strategy = "HTML_LIST"
            else:
                strategy, options = proposal.strategy, {**proposal.options, **selected}
        checked = _check_selected(strategy, options)
        trial = await self.pool.run(try_listing, strategy, body, url, checked)
        return TriedListing(url, body, strategy, checked, trial)

    async def try_file(
        self, file: Path, url: str | None, strategy: str | None, selected: Mapping[str, Any]
    ) -> TriedListing:
        try:
            body = file.read_bytes()
        except OSError as error:
            raise InvalidInput(
                f"{file} cannot be read: {error.strerror}.",
                advice="Give an http address, or the path of a saved file.",
            ) from error
        own = url or await self.pool.run(find_own_address, body)
        tried = await self.try_body(body, own or _NOWHERE, strategy, selected)
        if own is not None:
            return tried
        note = f"The file does not say where it is from; {_NOWHERE} stands for it. Give --url."
        return replace(tried, notes=(note,))


def _is_better(other: TriedListing, own: TriedListing, proposal: ListingProposal) -> bool:
    """Whether a feed or sitemap is about what the page lists, or the page is not worth much."""
    if not proposal.dated or other.strategy == _SITEMAP:
        return True
    listed = {item.url for item in own.trial.listing.items}
    return any(item.url in listed for item in other.trial.listing.items)


def _parse_selects(selects: Iterable[str]) -> dict[str, Any]:
    """`item=li.act` and its like, as the options of an endpoint."""
    found: dict[str, Any] = {}
    for written in selects:
        name, sign, value = written.partition("=")
        name = name.strip()
        known = name.removeprefix(_COLUMNS) if name.startswith(_COLUMNS) else name
        if not sign or not value or not known:
            raise InvalidInput(
                f"{written!r} is not an option with its value.",
                advice="Write --select item=li.act, for example.",
            )
        if name in _LISTS:
            found.setdefault(name, []).append(value)
        elif name.startswith(_COLUMNS):
            found.setdefault("columns", {})[known] = int(value) if value.isdecimal() else value
        else:
            found[name] = value
    return found


def _check_selected(strategy: str, options: Mapping[str, Any]) -> ListingOptions:
    try:
        checked = ListingOptions.model_validate(dict(options))
    except ValidationError as error:
        known = ", ".join(ListingOptions.model_fields)
        raise InvalidInput(
            f"--select: {describe_validation_error(error)}", advice=f"Known options: {known}."
        ) from error
    check_options(strategy, checked)
    return checked
