"""Parsers for adapters: XML and HTML as trees, JSON as values.

Any other body is an error that says what arrived; a page that keeps programs out is never mistaken
for a document.
"""

from collections.abc import Iterator
from typing import Any

from lxml import etree  # type: ignore[import-untyped]

from assay.errors import ContentBroken, ContentUnsupported
from assay.sources.listing.dates import parse_date
from assay.sources.listing.json_api import parse_json_body
from assay.sources.listing.markup import Node, parse_page
from assay.sources.listing.wrong_content import wrong_body_error
from assay.sources.responses import is_bot_wall

__all__ = [
    "Node",
    "XmlElement",
    "parse_date",
    "parse_html",
    "parse_json",
    "parse_xml",
    "wrong_body_error",
]

_BLANK = b"\xef\xbb\xbf \t\r\n"
_PAGES = frozenset({"html"})


class XmlElement:
    """An element of an XML document; names are bare, whatever their namespace."""

    __slots__ = ("_element",)

    def __init__(self, element: Any) -> None:
        self._element = element

    @property
    def name(self) -> str:
        return _local_name(str(self._element.tag))

    def get(self, attribute: str) -> str | None:
        """The value of an attribute, with or without a prefix."""
        for name, value in self._element.attrib.items():
            if _local_name(name) == attribute:
                return str(value)
        return None

    def find_children(self, name: str = "") -> Iterator["XmlElement"]:
        """The direct children with that name; without one, all of them."""
        return (
            found
            for found in map(XmlElement, self._element.iterchildren("*"))
            if name in ("", found.name)
        )

    def find_descendants(self, name: str, *, without: str = "") -> Iterator["XmlElement"]:
        """The elements of that name anywhere below, in order; none inside elements `without`."""
        left = list(self._element.iterchildren("*", reversed=True))
        while left:
            element = left.pop()
            found = XmlElement(element)
            if found.name == without:
                continue
            if found.name == name:
                yield found
            left.extend(element.iterchildren("*", reversed=True))

    def find_first(self, path: str) -> "XmlElement | None":
        """The first element at a path of names such as `Metadata/title`."""
        name, _, rest = path.partition("/")
        for child in self.find_children(name):
            found = child.find_first(rest) if rest else child
            if found is not None:
                return found
        return None

    def read_text(self, *, without: str = "") -> str | None:
        """Its words, with single spaces; those of elements named `without` are left out."""
        words = " ".join("".join(_iter_texts(self._element, without)).split())
        return words or None

    def find_text(self, path: str) -> str | None:
        """The words at a path."""
        found = self.find_first(path)
        return None if found is None else found.read_text()


def _iter_texts(element: Any, without: str) -> Iterator[str]:
    if element.text:
        yield element.text
    for child in element.iterchildren("*"):
        if _local_name(str(child.tag)) != without:
            yield from _iter_texts(child, without)
        if child.tail:
            yield child.tail


def _local_name(name: str) -> str:
    return name.rpartition("}")[2].rpartition(":")[2]


def parse_xml(data: bytes, url: str, expected: str) -> XmlElement:
    """The root of an XML document; `expected` names in an error what should have arrived."""
    clean = data.lstrip(_BLANK)
    if is_bot_wall(data) or not clean.startswith(b"<"):
        raise wrong_body_error(data, expected, url)
    if b"<!ENTITY" in clean[:100_000]:
        raise ContentUnsupported(f"The document from {url} declares entities, and is not read.")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False,
        huge_tree=False, remove_comments=True, remove_pis=True,
    )  # fmt: skip
    try:
        root = etree.fromstring(clean, parser)
    except etree.XMLSyntaxError as error:
        if b"<html" in clean[:2000].lower():
            raise wrong_body_error(data, expected, url) from error
        raise ContentBroken(f"The XML from {url} is broken: {error.msg}.") from error
    found = XmlElement(root)
    if found.name.lower() in _PAGES:
        raise wrong_body_error(data, expected, url)
    return found


def parse_html(data: bytes, url: str, expected: str) -> Node:
    """The root of a page; its parts are found by CSS selectors."""
    if is_bot_wall(data):
        raise wrong_body_error(data, expected, url)
    root = parse_page(data)
    if root is None:
        raise wrong_body_error(data, expected, url)
    return root


def parse_json(data: bytes, url: str, expected: str) -> Any:
    """The value in a JSON document."""
    return parse_json_body(data, url, expected)
