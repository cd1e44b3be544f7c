"""Listings that mean harm: what they list is bounded, and what they are is told."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from assay.engine.process_pool import PoolLimits, ProcessPool
from assay.errors import AssayError
from assay.model.records import Endpoint
from assay.sources.fetching import Fetcher, FetchPolicy
from assay.sources.listing import ListingPart
from assay.spine.listing_fetcher import ListingFetcher, ListingPage
from tests.bad_site.behaviours import send_bomb, send_endless, serve_page
from tests.bad_site.site import BadSite, Behaviour
from tests.hostile.markup import laughs
from tests.hostile.site import HOST, sitemap
from tests.waiting import PATIENCE_S

_MOST = 50_000
_MANY = [f"/{number}" for number in range(_MOST + 10_000)]


@dataclass
class Eyes:
    """A listing_fetcher, and the site that it looks at."""

    site: BadSite
    listing_fetcher: ListingFetcher

    async def look(self, strategy: str, behaviour: Behaviour, **options: int) -> ListingPage:
        self.site.paths["/list"] = behaviour
        url = f"http://{HOST}/list"
        endpoint = Endpoint(
            endpoint_id="e", source_slug="s", url=url, strategy=strategy, options=options
        )
        return await self.listing_fetcher.fetch_page(
            endpoint, self.listing_fetcher.parse_options(endpoint), ListingPart(url)
        )


@pytest.fixture
async def eyes() -> AsyncIterator[Eyes]:
    async with (
        BadSite() as site,
        ProcessPool(1, PoolLimits(timeout_s=PATIENCE_S, memory_mb=512)) as pool,
    ):
        policy = FetchPolicy(hosts={HOST: site.url}, stream_max_bytes=8_000_000)
        async with Fetcher(policy) as fetcher:
            yield Eyes(site, ListingFetcher(fetcher, pool))


async def test_a_sitemap_of_any_length_gives_so_many_addresses(eyes: Eyes) -> None:
    looked = await eyes.look("SITEMAP_XML", serve_page(sitemap(_MANY)))
    assert len(looked.listing.items) == _MOST
    assert any("max_items" in warning for warning in looked.listing.warnings)


async def test_a_page_of_any_length_gives_so_many_addresses(eyes: Eyes) -> None:
    links = "".join(f"<li><a href={path}>Zakon {path}</a>" for path in _MANY[:3000])
    looked = await eyes.look("HTML_LIST", serve_page(f"<html><ul>{links}".encode()), max_items=1000)
    assert len(looked.listing.items) == 1000
    assert any("max_items" in warning for warning in looked.listing.warnings)


@pytest.mark.parametrize(
    ("strategy", "behaviour", "code", "told"),
    [
        ("SITEMAP_XML", serve_page(laughs().encode()), "content_unsupported", "entities"),
        ("SITEMAP_XML", serve_page(b"<urlset>" + b"<url>" * 9999), "content_hostile", "nested"),
        ("SITEMAP_XML", serve_page(b"<urlset>" + b"&<" * 99_999), "content_broken", "cut short"),
        ("SITEMAP_XML", send_endless(b"<urlset><!-- " + b"x" * 60_000), "content_broken", "1 MB"),
        ("SITEMAP_XML", send_bomb(1024), "content_broken", "sitemap"),
        ("RSS_FEED", serve_page(laughs().encode()), "content_unsupported", "entities"),
        ("RSS_FEED", serve_page(b"<rss>" * 9999), "content_hostile", "nested"),
        ("JSON_API", serve_page(b"[" * 1_000_000), "content_broken", "nested"),
        ("HTML_LIST", serve_page(b"<div>" * 2_000_000), "content_hostile", "nested"),
    ],
)
async def test_a_listing_that_is_none_is_refused_with_a_reason(
    eyes: Eyes, strategy: str, behaviour: Behaviour, code: str, told: str
) -> None:
    with pytest.raises(AssayError) as caught:
        await eyes.look(strategy, behaviour)
    assert caught.value.code == code, str(caught.value)
    assert told in str(caught.value)
