"""Find items at endpoints: sitemaps, feeds, pages, tables, JSON, and links to further pages.

Everything here is a function of bytes: nothing is fetched and nothing is stored.
"""

from assay.sources.listing.options import Columns, ListingOptions
from assay.sources.listing.paging import build_first_parts
from assay.sources.listing.results import ListedItem, Listing, ListingPart
from assay.sources.listing.sitemaps import SitemapReader
from assay.sources.listing.strategies import STRATEGIES, check_options, read_listing

__all__ = [
    "STRATEGIES",
    "Columns",
    "ListedItem",
    "Listing",
    "ListingOptions",
    "ListingPart",
    "SitemapReader",
    "build_first_parts",
    "check_options",
    "read_listing",
]
