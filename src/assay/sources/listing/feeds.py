"""Feeds: RSS 0.9 to 2.0, Atom, JSON Feed."""

import re
from typing import Any
from urllib.parse import urljoin
from xml.parsers import expat

from assay.errors import ContentBroken, ContentUnsupported
from assay.model.markup import decode_markup
from assay.sources.decompression import GzipUnpacker
from assay.sources.listing.builder import NO_ADDRESS, ListingBuilder, clean_title
from assay.sources.listing.dates import parse_date
from assay.sources.listing.json_api import parse_json_body
from assay.sources.listing.markup import parse_tolerant_xml
from assay.sources.listing.wrong_content import wrong_body_error
from assay.sources.listing.xml_events import XmlEvents, replace_entities

_ROOTS = frozenset({"rss", "RDF", "feed", "channel"})
_PUBLISHED = ("published", "pubDate", "date", "issued", "created")
_CHANGED = ("updated", "modified")
_MAX_UNPACKED = 200_000_000
_BLANK = "\ufeff \t\r\n"
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_HEAD = 20_000
_ROOT = re.compile(r"<((?:[\w.-]{1,40}:)?(?:rss|RDF|feed))(?:\s[^<>]{0,4000})?>")
_ENTRY = re.compile(
    r"<(?:[\w.-]{1,40}:)?(item|entry)[\s>].*?(?:</(?:[\w.-]{1,40}:)?\1\s*>|\Z)", re.DOTALL
)
_ENCODING = re.compile(rb"<\?xml[^<>]{0,100}encoding\s*=\s*[\"']([\w.-]{1,40})[\"']")


def read_feed(body: bytes, gathering: ListingBuilder) -> str | None:
    """Read the entries of a feed; return the address of its next page, if it has one."""
    unpacked = b"".join(GzipUnpacker(_MAX_UNPACKED).feed(body))
    if unpacked.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _read_json_feed(unpacked, gathering)
    reading = _parse_strictly(unpacked, gathering)
    reading.give(gathering)
    gathering.require_addresses("the feed")
    return reading.next_page


def _parse_strictly(body: bytes, gathering: ListingBuilder) -> "_Feed":
    """Parse by the rules first, and tolerantly if that fails."""
    url = gathering.base_url
    feed = _Feed(url)
    events = XmlEvents(feed.start, feed.end)
    try:
        events.feed(
            body if body.startswith(_WIDE) else body.lstrip(b"\xef\xbb\xbf \t\r\n"), last=True
        )
    except _NotAFeed:
        raise wrong_body_error(body, "a feed", url) from None
    except expat.ExpatError as error:
        return _parse_tolerantly(body, gathering, error)
    return feed


def _parse_tolerantly(body: bytes, gathering: ListingBuilder, error: expat.ExpatError) -> "_Feed":
    """Parse every entry separately, so a broken one does not spoil the next."""
    text = _decode_feed(body).lstrip(_BLANK)
    if "<!ENTITY" in text:
        raise ContentUnsupported("The file declares entities, which no listing needs.")
    root = _ROOT.search(text[:_HEAD])
    if root is None:
        raise wrong_body_error(body, "a feed", gathering.base_url)
    feed = _Feed(gathering.base_url, relaxed=True)
    for entry in _ENTRY.finditer(text):
        fragment = f"{root.group()}{replace_entities(entry.group())}</{root.group(1)}>"
        parse_tolerant_xml(fragment, feed.start, feed.end)
        feed.restart()
    if not feed.entries:
        raise ContentBroken(
            f"The feed at {gathering.base_url} is not well-formed, and no entry of it can be read:"
            f" {error}.",
            advice="The next check will show whether it is complete again.",
        )
    gathering.notes.append(f"the feed is not well-formed ({error}); entries may be missing")
    return feed


def _decode_feed(body: bytes) -> str:
    named = _ENCODING.match(body.lstrip(b"\xef\xbb\xbf \t\r\n"))
    encoding = "utf-16" if body.startswith(_WIDE) else named.group(1).decode() if named else ""
    try:
        return body.decode(encoding, "replace") if encoding else decode_markup(body)
    except (LookupError, UnicodeError):
        # Also `idna` and `punycode`, which are encodings of names and know no replacements.
        return decode_markup(body)


class _NotAFeed(Exception):
    """The root element is not that of a feed."""


class _Feed:
    """Collects the entries while the XML is read."""

    def __init__(self, url: str, *, relaxed: bool = False) -> None:
        self.entries: list[dict[str, Any]] = []
        self.next_page: str | None = None
        self._url = url
        self._relaxed = relaxed
        """Whether an entry's fields may be nested deeper than they should: a tag was left open."""
        self._bases = [url]
        self._depth: int | None = None
        """How deep the current entry is."""

    def restart(self) -> None:
        """Forget what was left open."""
        self._bases = [self._url]
        self._depth = None

    def start(self, path: list[str], attributes: dict[str, str]) -> None:
        name = path[-1]
        if len(path) == 1 and name not in _ROOTS:
            raise _NotAFeed
        has = {key.rpartition(":")[2]: value for key, value in attributes.items()}
        base = has.get("base")
        self._bases.append(_join_url(self._bases[-1], base) if base else self._bases[-1])
        if self._depth is None and name in ("item", "entry"):
            self._depth = len(path)
            self.entries.append({"base": self._bases[-1], "about": has.get("about")})
        elif name == "link" and has.get("href"):
            self._link(path, has)
        elif name == "guid" and self._depth is not None and self._is_field(path):
            self.entries[-1]["permanent"] = has.get("isPermaLink", "true").lower() != "false"

    def end(self, path: list[str], text: str) -> None:
        self._bases.pop()
        if self._depth is None:
            return
        if len(path) == self._depth:
            self._depth = None
        elif self._is_field(path) and text.strip():
            self.entries[-1].setdefault(path[-1], text.strip())

    def _is_field(self, path: list[str]) -> bool:
        below = len(path) - (self._depth or 0)
        return below == 1 or (self._relaxed and below > 1)

    def _link(self, path: list[str], has: dict[str, str]) -> None:
        relation = has.get("rel", "alternate").lower()
        address = _join_url(self._bases[-1], has["href"])
        if self._depth is None:
            if relation == "next" and len(path) <= 3:
                self.next_page = self.next_page or address
        elif self._is_field(path):
            self.entries[-1].setdefault(f"rel:{relation}", address)

    def give(self, gathering: ListingBuilder) -> None:
        """Pass the entries on."""
        formats = gathering.options.date_formats
        for entry in self.entries:
            address = _find_address(entry)
            if address is None:
                gathering.leave_out(NO_ADDRESS)
                continue
            gathering.add(
                address,
                clean_title(entry.get("title")),
                _find_first_date(entry, _PUBLISHED, formats),
                _find_first_date(entry, _CHANGED, formats),
                base_url=entry["base"],
            )


def _join_url(base: str, address: str) -> str:
    try:
        return urljoin(base, address.strip())
    except ValueError:
        return address


def _find_address(entry: dict[str, Any]) -> str | None:
    """The page of an entry: its link, otherwise an id that is an address, otherwise the entry."""
    guid = entry.get("guid") if entry.get("permanent", True) else None
    candidates = (
        entry.get("rel:alternate"),
        entry.get("link"),
        _keep_address(guid),
        _keep_address(entry.get("id")),
        entry.get("about"),
        entry.get("rel:self"),
    )
    return next((found for found in candidates if found), None)


def _keep_address(text: str | None) -> str | None:
    return text if text and text.lower().startswith(("http://", "https://")) else None


def _find_first_date(entry: dict[str, Any], names: tuple[str, ...], formats: Any) -> str | None:
    return next((date for name in names if (date := parse_date(entry.get(name), formats))), None)


def _read_json_feed(body: bytes, gathering: ListingBuilder) -> str | None:
    whole = parse_json_body(body, gathering.base_url, "a feed")
    entries = whole.get("items") if isinstance(whole, dict) else None
    if "jsonfeed.org" not in str(whole.get("version", "")) or not isinstance(entries, list):
        raise wrong_body_error(body, "a feed", gathering.base_url, "JSON_API reads any other JSON.")
    for entry in entries:
        address = _find_json_address(entry)
        if address is None:
            gathering.leave_out(NO_ADDRESS)
            continue
        gathering.add(
            address,
            clean_title(_keep_text(entry.get("title"))),
            parse_date(_keep_text(entry.get("date_published"))),
            parse_date(_keep_text(entry.get("date_modified"))),
        )
    gathering.require_addresses("the feed")
    return _keep_text(whole.get("next_url"))


def _find_json_address(entry: Any) -> str | None:
    if not isinstance(entry, dict):
        return None
    identity = _keep_address(_keep_text(entry.get("id")))
    return _keep_text(entry.get("url")) or _keep_text(entry.get("external_url")) or identity


def _keep_text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
