"""Finding the addresses of documents in a sitemap, a feed or a list of links."""

from collections.abc import Callable
from contextlib import suppress
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit
from xml.parsers import expat

from assay.errors import ContentUnsupported, InvalidInput
from assay.model.ids import normalised_url
from assay.model.markup import decoded


def addresses(strategy: str, body: bytes, base_url: str) -> list[str]:
    """The addresses on a page of this kind, in order, each once, on the same host."""
    find = STRATEGIES.get(strategy)
    if find is None:
        raise ContentUnsupported(
            f"Strategy {strategy} is not known here.", advice=f"Use {', '.join(STRATEGIES)}."
        )
    host = urlsplit(base_url).hostname
    found: dict[str, None] = {}
    for address in find(body):
        # One address that nobody can read must not hide the others.
        with suppress(ValueError, InvalidInput):
            absolute = urljoin(base_url, address.strip())
            parts = urlsplit(absolute)
            if parts.scheme in ("http", "https") and parts.hostname == host:
                found.setdefault(normalised_url(absolute))
    return list(found)


def _sitemap(body: bytes) -> list[str]:
    return _xml_texts(body, within="url", wanted="loc")


def _feed(body: bytes) -> list[str]:
    """The links of an RSS feed's items, or of an Atom feed's entries."""
    return _xml_texts(body, within="item", wanted="link", entry_links=True)


def _xml_texts(body: bytes, *, within: str, wanted: str, entry_links: bool = False) -> list[str]:
    """The texts of one element inside another; entities are refused, not expanded."""
    path: list[str] = []
    found: list[str] = []
    text: list[str] = []
    parser = expat.ParserCreate()

    def start(name: str, attributes: dict[str, str]) -> None:
        path.append(name.rpartition(":")[2])
        text.clear()
        is_entry_link = entry_links and path[-2:] == ["entry", "link"]
        if is_entry_link and attributes.get("rel", "alternate") == "alternate":
            found.append(attributes.get("href", ""))
        if path == ["sitemapindex"]:
            raise ContentUnsupported(
                "This is an index of sitemaps, which is not followed yet.",
                advice="Make an endpoint of each sitemap that it names.",
            )

    def end(_name: str) -> None:
        # The parent counts: a sitemap's image has an address of its own, but is no document.
        if path[-1] == wanted and path[-2:-1] == [within]:
            found.append("".join(text))
        path.pop()

    def refuse(*_declared: object) -> None:
        raise ContentUnsupported("The file declares entities, which no listing needs.")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text.append
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(body.lstrip(), True)
    except expat.ExpatError as error:
        raise ContentUnsupported(f"The listing is not well-formed XML: {error}.") from error
    return found


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.found.extend(value for name, value in attrs if name == "href" and value)


def _html_list(body: bytes) -> list[str]:
    parser = _Links()
    parser.feed(decoded(body))
    return [address for address in parser.found if not address.startswith("#")]


STRATEGIES: dict[str, Callable[[bytes], list[str]]] = {
    "SITEMAP_XML": _sitemap,
    "RSS_FEED": _feed,
    "HTML_LIST": _html_list,
}
