"""Collect the addresses of one page: absolute, filtered, each once, with losses counted."""

import html
import math
import re
from collections.abc import Callable, Iterable
from urllib.parse import unquote, urljoin, urlsplit

from assay.errors import ContentBroken, ContentHostile, ContentUnsupported, InvalidInput
from assay.model.ids import normalise_url
from assay.sources.listing.options import ListingOptions
from assay.sources.listing.results import ListedItem, Listing, ListingPart


def matches_glob(text: str, pattern: str) -> bool:
    """Whether the whole text matches the pattern; `*` is any run, `?` any one character."""
    # Only the last star ever needs to be retried: the number of paths stays linear.
    at = here = 0
    star, held = -1, 0
    while at < len(text):
        if here < len(pattern) and pattern[here] == "*":
            star, held = here, at
            here += 1
        elif here < len(pattern) and pattern[here] in ("?", text[at]):
            at += 1
            here += 1
        elif star >= 0:
            held += 1
            at, here = held, star + 1
        else:
            return False
    return all(letter == "*" for letter in pattern[here:])


def address_matches(url: str, patterns: Iterable[str]) -> bool:
    """Whether an address matches one of the patterns; one that begins with `/` means the path."""
    parts = urlsplit(url)
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    for pattern in patterns:
        text = path if pattern.startswith("/") else url
        # Patterns are written as people read addresses, `/zakon/č*`, unescaped.
        if matches_glob(text, pattern) or matches_glob(unquote(text), pattern):
            return True
    return False


_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_ONE_SLASH = re.compile(r"(?i)(https?):/(?=[^/\s]+\.[^/\s])")
_LONGEST_ADDRESS = 4000
_LONGEST_TITLE = 500
_EXAMPLES = 3
_MOST_ENTRIES = 2_000_000

UNREADABLE = "cannot be read|cannot be read"
NO_ADDRESS = "is missing from its entry|are missing from their entries"
_OTHER_HOST = "is on another host|are on another host"
_FILTERED = "is left out by the patterns|are left out by the patterns"
_TOO_MANY = "is more than max_items|are more than max_items"
_ONE_SLASH_MENDED = "had one slash after its scheme|had one slash after their scheme"
_SCRIPTED = "is reached by a script, which is not run|are reached by a script, which is not run"


def clean_title(text: str | None) -> str | None:
    """A title without markup and with single spaces; None if nothing is left."""
    if not text:
        return None
    if "<" in text or "&" in text:
        text = html.unescape(_TAG.sub("", html.unescape(text[: _LONGEST_TITLE * 8])))
    return " ".join(text.split())[:_LONGEST_TITLE] or None


class ListingBuilder:
    """The content of one page of a listing while it is being read.

    `keep` receives each item and part every time it is found; without it they are collected here,
    each once.
    """

    def __init__(
        self,
        base_url: str,
        options: ListingOptions,
        *,
        keep: Callable[[ListedItem | ListingPart], None] | None = None,
    ) -> None:
        self.base_url = base_url
        self.options = options
        self.items: dict[str, ListedItem] = {}
        self.parts: dict[tuple[str, str | None], ListingPart] = {}
        self.entries = 0
        """Addresses that were examined, whether kept or not."""
        self.kept = 0
        """Items and parts that were kept."""
        self.notes: list[str] = []
        self._keep = keep or self._collect
        # Only what is collected needs a bound; and nested entries repeat their links.
        self._most = _MOST_ENTRIES if keep is None else math.inf
        self._own = _strip_www(urlsplit(base_url).hostname or "")
        self._left: dict[str, tuple[int, dict[str, None]]] = {}

    def add(
        self,
        address: str,
        title: str | None = None,
        published: str | None = None,
        changed: str | None = None,
        *,
        base_url: str | None = None,
    ) -> None:
        """Add one entry of the listing, if its address counts."""
        self.entries += 1
        if self.entries > self._most:
            raise ContentHostile(f"{self.base_url} has more than {self._most:,} links.")
        resolved = self._resolve_address(address, base_url)
        if resolved is None:
            return
        url = resolved[1]
        if not self._is_wanted(url):
            self.leave_out(_FILTERED)
        elif len(self.items) >= self.options.max_items and url not in self.items:
            self.leave_out(_TOO_MANY)
        else:
            self.kept += 1
            self._keep(ListedItem(url, title, published, changed))

    def add_part(
        self, address: str, changed: str | None = None, number: int = 0, body: str | None = None
    ) -> None:
        """Add another page of the same listing, if its address counts."""
        resolved = self._resolve_address(address, None)
        if resolved is not None:
            self.kept += 1
            self._keep(ListingPart(resolved[0], changed, number, body))

    def resolve_address(self, written: str) -> str | None:
        """The absolute address; None, and counted, for one that must not be followed."""
        resolved = self._resolve_address(written, None)
        return None if resolved is None else resolved[0]

    def _resolve_address(self, written: str, base_url: str | None) -> tuple[str, str] | None:
        """An address as it is written, but absolute, and in its normalized spelling."""
        written = written.strip()
        try:
            if not 0 < len(written) <= _LONGEST_ADDRESS:
                raise ValueError("an address is not that long or that short")
            if not written.startswith(("https://", "http://")):
                written = urljoin(base_url or self.base_url, self._two_slashes(written))
            parts = urlsplit(written)
            if parts.scheme == "javascript":
                self.leave_out(_SCRIPTED)
                return None
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise ValueError("it is not a web address")
            url = normalise_url(written)
        except (ValueError, InvalidInput):
            self.leave_out(UNREADABLE, example=repr(written[:80]))
            return None
        if not self._is_ours(parts.hostname):
            self.leave_out(_OTHER_HOST, example=parts.hostname)
            return None
        return (written.partition("#")[0], url)

    def _two_slashes(self, written: str) -> str:
        """Some gazettes write `https:/host/…`, which would be read as a path on their own site."""
        found = _ONE_SLASH.match(written)
        if found is None:
            return written
        self.leave_out(_ONE_SLASH_MENDED)
        return f"{found.group(1)}://{written[found.end() :]}"

    def leave_out(self, reason: str, *, example: str | None = None, count: int = 1) -> None:
        """Count entries that are left out; the reason has a singular and a plural form."""
        known, examples = self._left.get(reason, (0, {}))
        if example is not None and len(examples) <= _EXAMPLES:
            examples[example] = None
        self._left[reason] = (known + count, examples)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was left out and why."""
        left_out = (_format_warning(reason, *counted) for reason, counted in self._left.items())
        return (*self.notes, *left_out)

    def build_listing(self) -> Listing:
        """Everything that was collected."""
        return Listing(tuple(self.items.values()), tuple(self.parts.values()), self.warnings)

    def require_addresses(self, what: str) -> None:
        """Refuse a listing whose entries have no address, or all lead to another host."""
        missing, _ = self._left.get(NO_ADDRESS, (0, {}))
        if missing and not self.entries and not self.kept:
            raise ContentBroken(f"None of {missing} entries of {what} at {self.base_url} has an"
                                " address.")  # fmt: skip
        away, examples = self._left.get(_OTHER_HOST, (0, {}))
        if away and not self.kept:
            hosts = _format_examples(examples)
            raise ContentUnsupported(
                f"All addresses of {what} at {self.base_url} are on another host ({hosts}).",
                advice="Add that host to 'hosts' if its documents are wanted.",
            )

    def _collect(self, item: ListedItem | ListingPart) -> None:
        if isinstance(item, ListingPart):
            self.parts.setdefault((item.url, item.body), item)
            return
        known = self.items.get(item.url)
        if known is None:
            self.items[item.url] = item
        elif known != item:
            # The same address may be listed twice, once as an image without words.
            self.items[item.url] = ListedItem(
                item.url,
                known.title or item.title,
                known.published or item.published,
                known.changed or item.changed,
            )

    def _is_wanted(self, url: str) -> bool:
        only, never = self.options.include, self.options.exclude
        if only and not address_matches(url, only):
            return False
        return not (never and address_matches(url, never))

    def _is_ours(self, host: str) -> bool:
        # Few sites treat "www." as a different host, and many mix both.
        if _strip_www(host) == self._own:
            return True
        return any(matches_glob(host, pattern.lower()) for pattern in self.options.hosts)


def _strip_www(host: str) -> str:
    return host.lower().rstrip(".").removeprefix("www.")


def _format_examples(examples: dict[str, None]) -> str:
    shown = list(examples)[:_EXAMPLES]
    return ", ".join(shown) + (", …" if len(examples) > _EXAMPLES else "")


def _format_warning(reason: str, count: int, examples: dict[str, None]) -> str:
    one, _, many = reason.partition("|")
    sentence = f"{count} address {one}" if count == 1 else f"{count} addresses {many}"
    return f"{sentence} ({_format_examples(examples)})" if examples else sentence
