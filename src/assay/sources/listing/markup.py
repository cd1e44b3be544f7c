"""HTML pages as trees with CSS selectors: the only place that uses lxml for HTML.

lxml rather than a faster parser, because its time and depth are bounded whatever the page does:
others take time quadratic in the depth for tags that are never closed.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from lxml import etree  # type: ignore[import-untyped]

from assay.errors import ContentHostile
from assay.model.markup import decode_markup
from assay.sources.listing.selectors import parse_selector
from assay.sources.listing.xml_events import EndHandler, StartHandler

_ATTRIBUTE = re.compile(r"^(.*?)@([A-Za-z_][\w:.-]*)$", re.DOTALL)
_UNSEEN = frozenset({"script", "style", "template", "noscript"})
_QUOTED = re.compile(r"""["']([^"'\s]{1,2000})["']""")
_DEPTHS = "ERR_RESOURCE_LIMIT"
_LEAST_WORK = 500_000
_MOST_PIECES = 500
"""Enough for any title or date; it keeps nested entries from costing more than others."""


class WorkBudget:
    """How much of a page may still be examined: nested entries could require endless work."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, count: int = 1) -> None:
        self.left -= count
        if self.left < 0:
            raise ContentHostile("The page is nested too deeply to be searched.")


class Node:
    """An element of a page."""

    __slots__ = ("_element", "_work")

    def __init__(self, element: Any, work: WorkBudget) -> None:
        self._element = element
        self._work = work

    def find_all(self, rule: str) -> list["Node"]:
        """The elements that the selector matches, this one and those below it, in order."""
        return list(self._matches(rule))

    def find_first(self, rule: str) -> "Node | None":
        return next(self._matches(rule), None)

    def _matches(self, rule: str) -> Iterator["Node"]:
        for element in parse_selector(rule).matches(self._element):
            self._work.spend()
            if element is not None:
                yield Node(element, self._work)

    def get(self, attribute: str) -> str | None:
        value: str | None = self._element.get(attribute)
        return value

    @property
    def tag(self) -> str:
        return str(self._element.tag)

    @property
    def markup(self) -> str:
        """The element's own HTML."""
        text: str = etree.tostring(
            self._element, encoding="unicode", method="html", with_tail=False
        )
        self._work.spend(len(text) // 100)
        return text

    def find_children(self, *tags: str) -> Iterator["Node"]:
        """The direct children with one of these names."""
        return (Node(child, self._work) for child in self._element.iterchildren(*tags))

    def find_elements(self) -> Iterator["Node"]:
        """The direct children that are elements."""
        for child in self._element.iterchildren("*"):
            self._work.spend()
            yield Node(child, self._work)

    @property
    def words(self) -> tuple[str, ...]:
        """Its classes."""
        return tuple((self._element.get("class") or "").split())

    def read_text(self, *, most: int | None = _MOST_PIECES) -> str:
        """The text that a reader sees, with single spaces; the first pieces of a long one."""
        pieces = islice(_iter_texts(self._element, self._work), most)
        return " ".join(" ".join(pieces).split())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self._element is other._element

    def __hash__(self) -> int:
        return hash(self._element)


def _iter_texts(element: Any, work: WorkBudget) -> Iterator[str]:
    skipped = 0
    for event, node in etree.iterwalk(element, events=("start", "end", "comment", "pi")):
        work.spend()
        unseen = node.tag in _UNSEEN
        if event == "start":
            skipped += unseen
            if not skipped and node.text:
                yield node.text
            continue
        if event == "end":
            skipped -= unseen
        if not skipped and node.tail and node is not element:
            yield node.tail


def parse_page(body: bytes, *, work: WorkBudget | None = None) -> Node | None:
    """The tree of a page; None if there is no element in it."""
    # Decoded first and passed as UTF-8, so the encoding of a page is decided in one place.
    data = decode_markup(body).replace("\0", " ").encode("utf-8", "replace")
    root, too_deep = _parse_tree(data, huge=False)
    if too_deep:
        root, too_deep = _parse_tree(data, huge=True)
    if too_deep:
        raise ContentHostile("The page has elements nested more than 2,000 deep.")
    return None if root is None else Node(root, work or WorkBudget(_LEAST_WORK + len(data) // 10))


def _parse_tree(data: bytes, *, huge: bool) -> tuple[Any, bool]:
    """The root, and whether the parser stopped at its depth limit: 256, or 2,048 if huge."""
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, recover=True, huge_tree=huge, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return None, False
    return root, any(error.type_name == _DEPTHS for error in parser.error_log)


def split_selector(rule: str) -> tuple[str, str | None]:
    """A rule such as `a.file@data-href` as the selector and the attribute."""
    found = _ATTRIBUTE.match(rule)
    if found is None:
        return rule, None
    return found.group(1).strip(), found.group(2)


def check_selector(rule: str) -> None:
    """Refuse a rule that is not CSS."""
    where, _ = split_selector(rule)
    if where:
        parse_selector(where)


def select_nodes(node: Node, rule: str) -> list[tuple[Node, str | None]]:
    """The elements that a rule matches, each with the attribute that it asks for.

    Without a selector before the `@`, it is the attribute of the element itself. If an attribute
    contains a script, the first quoted string is taken.
    """
    where, attribute = split_selector(rule)
    nodes = node.find_all(where) if where else [node]
    if attribute is None:
        return [(found, None) for found in nodes]
    return [(found, _read_attribute(found, attribute)) for found in nodes]


def _read_attribute(node: Node, attribute: str) -> str | None:
    value = node.get(attribute)
    if value is not None and attribute.startswith("on"):
        quoted = _QUOTED.search(value)
        return quoted.group(1) if quoted else None
    return value


def select_text(node: Node, rule: str) -> str | None:
    """The text, or the attribute, of the first match of a rule that has any."""
    for found, value in select_nodes(node, rule):
        text = (
            found.read_text()
            if split_selector(rule)[1] is None
            else " ".join((value or "").split())
        )
        if text:
            return text
    return None


class _Target:
    """Receives what lxml reads from a document while it repairs it."""

    def __init__(self, start: StartHandler, end: EndHandler) -> None:
        self._start = start
        self._end = end
        self._path: list[str] = []
        self._texts: list[list[str]] = []

    def start(self, tag: str, attributes: Any) -> None:
        self._path.append(_local_name(tag))
        self._texts.append([])
        self._start(self._path, {_local_name(name): value for name, value in attributes.items()})

    def data(self, text: str) -> None:
        if self._texts:
            self._texts[-1].append(text)

    def end(self, _tag: str) -> None:
        self._end(self._path, "".join(self._texts.pop()))
        self._path.pop()

    def close(self) -> None:
        while self._path:
            self.end("")


def _local_name(name: str) -> str:
    return name.rpartition("}")[2].rpartition(":")[2]


def parse_tolerant_xml(text: str, start: StartHandler, end: EndHandler) -> None:
    """Read XML that is not well-formed as far as possible."""
    parser = etree.XMLParser(
        target=_Target(start, end), recover=True, resolve_entities=False, no_network=True,
        load_dtd=False, dtd_validation=False, huge_tree=False, encoding="utf-8",
    )  # fmt: skip
    with suppress(etree.XMLSyntaxError):
        etree.fromstring(text.encode("utf-8", "replace"), parser)
