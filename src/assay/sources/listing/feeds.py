"""Feeds: RSS 0.9 to 2.0, Atom, JSON Feed."""

import re
from typing import Any
from urllib.parse import urljoin
from xml.parsers import expat

from assay.errors import ContentBroken, ContentUnsupported
from assay.model.markup import decoded
from assay.sources.listing.dates import told
from assay.sources.listing.gathering import NO_ADDRESS, Gathering, plain
from assay.sources.listing.instead import wrong_body
from assay.sources.listing.json_api import parsed_json
from assay.sources.listing.markup import tolerant_xml
from assay.sources.listing.mending import known_entities
from assay.sources.listing.unpacking import Unpacker
from assay.sources.listing.xml_events import XmlEvents

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


def read_feed(body: bytes, gathering: Gathering) -> str | None:
    """The entries of a feed; gives the address of the feed's next page, if it has one."""
    unpacked = b"".join(Unpacker(_MAX_UNPACKED).feed(body))
    if unpacked.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _json_feed(unpacked, gathering)
    reading = _strictly(unpacked, gathering)
    reading.give(gathering)
    gathering.require_addresses("the feed")
    return reading.next_page


def _strictly(body: bytes, gathering: Gathering) -> "_Feed":
    """A first try by the rules, and a second one that forgives."""
    url = gathering.base_url
    feed = _Feed(url)
    events = XmlEvents(feed.start, feed.end)
    try:
        events.feed(
            body if body.startswith(_WIDE) else body.lstrip(b"\xef\xbb\xbf \t\r\n"), last=True
        )
    except _NoFeed:
        raise wrong_body(body, "a feed", url) from None
    except expat.ExpatError as error:
        return _tolerantly(body, gathering, error)
    return feed


def _tolerantly(body: bytes, gathering: Gathering, error: expat.ExpatError) -> "_Feed":
    """Every entry by itself, so that one that is broken does not spoil the next."""
    text = _decoded(body).lstrip(_BLANK)
    if "<!ENTITY" in text:
        raise ContentUnsupported("The file declares entities, which no listing needs.")
    root = _ROOT.search(text[:_HEAD])
    if root is None:
        raise wrong_body(body, "a feed", gathering.base_url)
    feed = _Feed(gathering.base_url, relaxed=True)
    for entry in _ENTRY.finditer(text):
        fragment = f"{root.group()}{known_entities(entry.group())}</{root.group(1)}>"
        tolerant_xml(fragment, feed.start, feed.end)
        feed.restart()
    if not feed.entries:
        raise ContentBroken(
            f"The feed at {gathering.base_url} is not well-formed, and no entry of it can be read:"
            f" {error}.",
            advice="The next look tells whether it is whole again.",
        )
    gathering.notes.append(f"the feed is not well-formed ({error}); entries may be missing")
    return feed


def _decoded(body: bytes) -> str:
    named = _ENCODING.match(body.lstrip(b"\xef\xbb\xbf \t\r\n"))
    encoding = "utf-16" if body.startswith(_WIDE) else named.group(1).decode() if named else ""
    try:
        return body.decode(encoding, "replace") if encoding else decoded(body)
    except LookupError:
        return decoded(body)


class _NoFeed(Exception):
    """The root of the document is that of something else."""


class _Feed:
    """Collects the entries while the XML is read."""

    def __init__(self, url: str, *, relaxed: bool = False) -> None:
        self.entries: list[dict[str, Any]] = []
        self.next_page: str | None = None
        self._url = url
        self._relaxed = relaxed
        """Whether an entry's fields may stand deeper than they should: a tag was left open."""
        self._bases = [url]
        self._depth: int | None = None
        """How deep the entry at hand is."""

    def restart(self) -> None:
        """Forgets what was left open."""
        self._bases = [self._url]
        self._depth = None

    def start(self, path: list[str], attributes: dict[str, str]) -> None:
        name = path[-1]
        if len(path) == 1 and name not in _ROOTS:
            raise _NoFeed
        has = {key.rpartition(":")[2]: value for key, value in attributes.items()}
        base = has.get("base")
        self._bases.append(_joined(self._bases[-1], base) if base else self._bases[-1])
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
        address = _joined(self._bases[-1], has["href"])
        if self._depth is None:
            if relation == "next" and len(path) <= 3:
                self.next_page = self.next_page or address
        elif self._is_field(path):
            self.entries[-1].setdefault(f"rel:{relation}", address)

    def give(self, gathering: Gathering) -> None:
        """Hands the entries on."""
        formats = gathering.options.date_formats
        for entry in self.entries:
            address = _address(entry)
            if address is None:
                gathering.leave_out(NO_ADDRESS)
                continue
            gathering.add(
                address,
                plain(entry.get("title")),
                _first_date(entry, _PUBLISHED, formats),
                _first_date(entry, _CHANGED, formats),
                base_url=entry["base"],
            )


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address.strip())
    except ValueError:
        return address


def _address(entry: dict[str, Any]) -> str | None:
    """The page of an entry: its link, else an id that is an address, else the entry itself."""
    guid = entry.get("guid") if entry.get("permanent", True) else None
    candidates = (
        entry.get("rel:alternate"),
        entry.get("link"),
        _if_address(guid),
        _if_address(entry.get("id")),
        entry.get("about"),
        entry.get("rel:self"),
    )
    return next((found for found in candidates if found), None)


def _if_address(text: str | None) -> str | None:
    return text if text and text.lower().startswith(("http://", "https://")) else None


def _first_date(entry: dict[str, Any], names: tuple[str, ...], formats: Any) -> str | None:
    return next((date for name in names if (date := told(entry.get(name), formats))), None)


def _json_feed(body: bytes, gathering: Gathering) -> str | None:
    whole = parsed_json(body, gathering.base_url, "a feed")
    entries = whole.get("items") if isinstance(whole, dict) else None
    if "jsonfeed.org" not in str(whole.get("version", "")) or not isinstance(entries, list):
        raise wrong_body(body, "a feed", gathering.base_url, "JSON_API reads any other JSON.")
    for entry in entries:
        address = _json_address(entry)
        if address is None:
            gathering.leave_out(NO_ADDRESS)
            continue
        gathering.add(
            address,
            plain(_text(entry.get("title"))),
            told(_text(entry.get("date_published"))),
            told(_text(entry.get("date_modified"))),
        )
    gathering.require_addresses("the feed")
    return _text(whole.get("next_url"))


def _json_address(entry: Any) -> str | None:
    if not isinstance(entry, dict):
        return None
    identity = _if_address(_text(entry.get("id")))
    return _text(entry.get("url")) or _text(entry.get("external_url")) or identity


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
