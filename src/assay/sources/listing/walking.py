"""One look at an endpoint, page by page, within its limits."""

from collections import deque
from collections.abc import Sequence

from assay.model.ids import normalised_url
from assay.sources.listing.options import ListingOptions
from assay.sources.listing.paging import Known
from assay.sources.listing.results import Found, Listing, Part
from assay.sources.listing.strategies import listed

_MOST_SITEMAPS = 100_000


class Walk:
    """Knows which pages of a listing are still to be read, and when to stop.

    Ask `next()` for a page, fetch it, and hand its bytes to `read()`. A page is asked for once,
    an item is given once, and a listing that leads back to itself, or repeats itself under
    ever new addresses, comes to an end.
    """

    def __init__(
        self,
        strategy: str,
        first: Sequence[Part],
        options: ListingOptions | None = None,
        *,
        known: Known | None = None,
    ) -> None:
        self._strategy = strategy
        self._options = options or ListingOptions()
        self._known = known
        self._waiting: deque[Part] = deque()
        self._asked: set[tuple[str, str | None]] = set()
        self._found: set[str] = set()
        self.pages = 0
        """How many pages were read."""
        # The pages that the endpoint itself names are all read, and so are all its sitemaps.
        most = _MOST_SITEMAPS if strategy == "SITEMAP_XML" else self._options.max_pages
        self._most = max(most, len(first))
        for part in first:
            self._wait_for(part)

    def next(self) -> Part | None:
        """The page to be read next; None when there is none, or enough were read."""
        if not self._waiting or self.pages >= self._most:
            return None
        self.pages += 1
        return self._waiting.popleft()

    @property
    def left(self) -> int:
        """Pages that are known of, and were not asked for."""
        return len(self._waiting)

    def read(self, part: Part, body: bytes) -> Listing:
        """What a page adds: its items that this look has not met yet, and the pages behind it."""
        listing = listed(
            self._strategy, body, part.url, self._options, known=self._seen, number=part.number
        )
        fresh: list[Found] = [item for item in listing.items if item.url not in self._found]
        self._found.update(item.url for item in fresh)
        parts = tuple(found for found in listing.parts if self._wait_for(found))
        return Listing(tuple(fresh), parts, listing.warnings)

    def _seen(self, url: str) -> bool:
        return url in self._found or (self._known is not None and self._known(url))

    def _wait_for(self, part: Part) -> bool:
        key = (normalised_url(part.url), part.body)
        if key in self._asked:
            return False
        self._asked.add(key)
        self._waiting.append(part)
        return True
