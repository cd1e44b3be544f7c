"""Follow the links of a site, page by page."""

from urllib.parse import urlsplit

from assay.sources.listing.builder import ListingBuilder
from assay.sources.listing.globs import address_matches
from assay.sources.listing.options import ListingOptions
from assay.sources.listing.pages import read_list

_NO_PAGE = (
    ".pdf", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".ods", ".rtf", ".txt",
    ".csv", ".xml", ".json", ".zip", ".gz", ".rar", ".7z", ".jpg", ".jpeg", ".png", ".gif",
    ".svg", ".webp", ".ico", ".css", ".js", ".mp3", ".mp4", ".avi", ".mov", ".wav", ".ics",
)  # fmt: skip


def read_crawled_page(body: bytes, gathering: ListingBuilder, depth: int) -> None:
    """Add the links of a page as items, and those that may be pages as parts one level deeper.

    The caller keeps track of the pages already read: this function sees one page at a time.
    """
    options = gathering.options
    read_list(body, gathering)
    if depth >= options.max_depth:
        return
    # Pages lead on whether or not they are items themselves, so all links are examined again.
    anywhere = ListingBuilder(
        gathering.base_url, ListingOptions(exclude=options.exclude, hosts=options.hosts)
    )
    read_list(body, anywhere)
    for url in anywhere.items:
        if _is_page(url) and (not options.follow or address_matches(url, options.follow)):
            gathering.add_part(url, number=depth + 1)


def _is_page(url: str) -> bool:
    return not urlsplit(url).path.lower().endswith(_NO_PAGE)
