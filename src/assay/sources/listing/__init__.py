"""Finding items at endpoints: sitemaps, feeds, pages, tables, JSON, and what leads further.

Everything here is a function of bytes: nothing is fetched and nothing is stored.
"""

from assay.sources.listing.options import Columns, ListingOptions
from assay.sources.listing.results import Found, Listing, Part
from assay.sources.listing.sitemaps import SitemapReader, sitemap_stream
from assay.sources.listing.strategies import STRATEGIES, check_options, listed
from assay.sources.listing.windows import first_addresses, first_parts

__all__ = [
    "STRATEGIES",
    "Columns",
    "Found",
    "Listing",
    "ListingOptions",
    "Part",
    "SitemapReader",
    "check_options",
    "first_addresses",
    "first_parts",
    "listed",
    "sitemap_stream",
]
