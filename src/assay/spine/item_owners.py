"""Which source an item belongs to: the source of its endpoint, or that of its own host.

A listing may lead to other hosts, if its description allows that. A host becomes a source the
first time that a listing leads to it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from assay.engine.reader import Reader
from assay.events import Event, SourceFound
from assay.model.records import Endpoint, Source


@dataclass(frozen=True, slots=True)
class Owners:
    """The sources of all hosts that a page leads to."""

    own: str
    """The source of the endpoint itself."""
    of_host: Mapping[str, Source] = field(default_factory=dict)
    records: tuple[Source, ...] = ()
    events: tuple[Event, ...] = ()

    def source_of(self, url: str) -> str:
        """The source that a URL belongs to."""
        found = self.of_host.get(host_of(url))
        return self.own if found is None else found.source_slug

    def is_off(self, url: str) -> bool:
        """Whether a person has switched off the source that a URL belongs to."""
        found = self.of_host.get(host_of(url))
        return found is not None and not found.active


def host_of(url: str) -> str:
    """The host of a URL, without "www.": for few sites it matters, and many use both."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


async def find_owners(
    endpoint: Endpoint, found_at: str, urls: Collection[str], read: Reader
) -> Owners:
    """The sources of these URLs; `found_at` is the final URL of the page that contains them."""
    hosts = sorted({host_of(url) for url in urls} - {host_of(endpoint.url), host_of(found_at)})
    if not hosts:
        return Owners(endpoint.source_slug)
    known = await _load_known_sources(hosts, read)
    named = await read.get_many(Source, [_make_slug(host) for host in hosts])
    of_host: dict[str, Source] = {}
    changed: list[Source] = []
    events: list[Event] = []
    for host in hosts:
        source = known.get(host) or named.get(_make_slug(host))
        if source is None:
            source = _make_source(host, endpoint, read.now_ms)
            changed.append(source)
            events.append(SourceFound(found=source.source_slug, base_url=source.base_url))
        elif source.found_at is not None and endpoint.endpoint_id < source.found_at:
            # Which of two endpoints leads there first is chance, and must not show in the data.
            changed.append(source.model_copy(update={"found_at": endpoint.endpoint_id}))
        of_host[host] = source
    return Owners(endpoint.source_slug, of_host, tuple(changed), tuple(events))


async def _load_known_sources(hosts: Collection[str], read: Reader) -> dict[str, Source]:
    """The sources whose base URL is one of these hosts; if there are two, the first by name."""
    pages = {
        f"{scheme}://{www}{host}{slash}": host
        for host in hosts
        for scheme in ("https", "http")
        for www in ("", "www.")
        for slash in ("", "/")
    }
    known: dict[str, Source] = {}
    for source in await read.find_where(Source, "base_url", pages):
        known.setdefault(pages[source.base_url], source)
    return known


def _make_source(host: str, endpoint: Endpoint, now_ms: int) -> Source:
    return Source(
        source_slug=_make_slug(host),
        name=host,
        base_url=f"https://{host}",
        found_at=endpoint.endpoint_id,
        created_ms=now_ms,
    )


def _make_slug(host: str) -> str:
    """A distinct name for each host: `a-b.test` and `a.b.test` are two sites."""
    return host.replace("-", "--").replace(".", "-").replace(":", "-")
