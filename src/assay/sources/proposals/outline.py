"""The links of a page and the elements around them, without the page's menus."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import urlsplit

from assay.sources.listing.builder import ListingBuilder
from assay.sources.listing.markup import Node
from assay.sources.listing.options import ListingOptions
from assay.sources.listing.pages import LINKS, find_link_title

_MENU_TAGS = frozenset({"nav", "aside"})
_EDGE_TAGS = frozenset({"header", "footer"})
"""They are menus of a page, but parts of an entry within one."""
_ENTRY_TAGS = frozenset({"article", "li", "tr", "section"})
_MENU_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "complementary", "menu"})
_MENU_NAME = re.compile(
    r"^(?:nav|navbar|navigation|menu|breadcrumbs?|sidebar|pager|pagination|social|share|skip)"
    r"(?:$|[-_])"
    r"|^(?!has|with|no)(?:.*[-_])?(?:nav|navbar|navigation|menu|breadcrumbs?|sidebar|footer|pager|"
    r"pagination)$",
    re.IGNORECASE,
)
_WHOLE = frozenset({"html", "body", "main", "form"})
_UNSEEN = frozenset({"script", "style", "template", "noscript", "head"})
_NO_ADDRESSES = ("#", "mailto:", "tel:", "sms:", "data:", "about:")
_MOST_ELEMENTS = 60_000
_DEEPEST = 60
_PASSING = re.compile(
    r"\d{3,}|^(?:odd|even|first|last|active|current|alt|selected|hidden|show|open)$"
    r"|[-_](?:odd|even|first|last|\d+)$",
    re.IGNORECASE,
)
"""Classes that say which entry this is, rather than what an entry is."""
_BESIDE = re.compile(
    r"\bical(?:endar)?\b|\badd to calendar\b|\boutlook\b|\bvideo\b|\baudio\b|\bwebcast\b",
    re.IGNORECASE,
)
_LONGEST_LABEL = 45
_VIDEO_HOSTS = frozenset({"youtube.com", "youtu.be", "vimeo.com"})
_LAYOUT = re.compile(
    r"^(?:col|row|clearfix|[dmp]|[mp][tblrxy]|text|flex|grid|container|js|is)(?:$|-)"
)
_NAME = re.compile(r"[A-Za-z_][\w-]*\Z")


@dataclass(frozen=True, slots=True)
class OutlineLink:
    """A link of a page, and where it leads."""

    node: Node
    url: str
    text: str


@dataclass(eq=False)
class LinkBlock:
    """An element of a page that has links somewhere in it."""

    node: Node
    parent: "LinkBlock | None"
    depth: int
    in_main: bool
    links: list[OutlineLink] = field(default_factory=list)

    @property
    def lasting_names(self) -> tuple[str, ...]:
        """The classes that it shares with its like."""
        return tuple(name for name in self.node.words if not _PASSING.search(name))

    @cached_property
    def path(self) -> str:
        """The names of the elements around it; the same for the parents of entries of one list."""
        above = "" if self.parent is None else self.parent.path
        return f"{above}/{self.node.tag}.{'.'.join(sorted(self.lasting_names))}"

    @cached_property
    def text(self) -> str:
        return self.node.read_text()

    @cached_property
    def urls(self) -> tuple[str, ...]:
        """Where its links lead, each address once."""
        return tuple(dict.fromkeys(link.url for link in self.links))

    @cached_property
    def title(self) -> str:
        """The longest of its links' texts."""
        return max((link.text for link in self.links), key=len, default="")


def list_blocks(root: Node, base_url: str) -> list[LinkBlock]:
    """The elements that contain links, outside of menus; those further out come first."""
    resolver = ListingBuilder(base_url, ListingOptions(hosts=("*",)))
    here = base_url.partition("#")[0]
    blocks: list[LinkBlock] = []
    left = [LinkBlock(root, None, 0, in_main=False)]
    while left and len(blocks) < _MOST_ELEMENTS:
        block = left.pop()
        blocks.append(block)
        if _is_link(block.node):
            link = _read_link(block.node, resolver)
            if link is not None and link.url != here:
                _add_link(block, link)
        if block.depth < _DEEPEST:
            below = [
                LinkBlock(node, block, block.depth + 1, block.in_main or _is_main(node))
                for node in block.node.find_elements()
                if node.tag not in _UNSEEN and not _is_menu(node, block)
            ]
            left.extend(reversed(below))
    return [block for block in blocks if block.links and block.node.tag not in ("html", "body")]


def list_all_links(root: Node, base_url: str) -> Iterator[OutlineLink]:
    """Every link of a page, also those of its menus."""
    resolver = ListingBuilder(base_url, ListingOptions(hosts=("*",)))
    for node in root.find_all(LINKS):
        if link := _read_link(node, resolver):
            yield link


def is_name(word: str) -> bool:
    """Whether it can be written in a selector as it is."""
    return _NAME.match(word) is not None


def is_layout(word: str) -> bool:
    """Whether a class says how something looks rather than what it is."""
    return _LAYOUT.match(word) is not None


def is_beside(link: OutlineLink) -> bool:
    """Whether a link leads to a diary or a recording rather than a document."""
    parts = urlsplit(link.url.lower())
    return (
        parts.path.endswith((".ics", ".mp3", ".mp4", ".asx", ".m3u8"))
        or (parts.hostname or "").removeprefix("www.") in _VIDEO_HOSTS
        # A title may well mention a video; what leads to one says little else.
        or (len(link.text) <= _LONGEST_LABEL and _BESIDE.search(link.text) is not None)
    )


def is_document(url: str) -> bool:
    """Whether an address looks like that of a file rather than a page."""
    return urlsplit(url).path.lower().endswith((".pdf", ".doc", ".docx", ".rtf", ".odt", ".xml"))


def _is_link(node: Node) -> bool:
    return node.tag in ("a", "area") and node.get("href") is not None


def _read_link(node: Node, resolver: ListingBuilder) -> OutlineLink | None:
    written = (node.get("href") or "").strip()
    if not written or written.lower().startswith(_NO_ADDRESSES):
        return None
    url = resolver.resolve_address(written)
    if url is None:
        return None
    return OutlineLink(node, url, " ".join((find_link_title(node) or "").split()))


def _add_link(block: LinkBlock, link: OutlineLink) -> None:
    around: LinkBlock | None = block
    while around is not None:
        around.links.append(link)
        around = around.parent


def _is_main(node: Node) -> bool:
    names = (node.get("id") or "", *node.words)
    return (
        node.tag == "main"
        or node.get("role") == "main"
        or any(name.lower() in ("main", "content", "main-content") for name in names)
    )


def _is_menu(node: Node, around: LinkBlock) -> bool:
    if node.tag in _WHOLE:
        return False
    if node.tag in _MENU_TAGS or node.get("role") in _MENU_ROLES:
        return True
    if node.tag in _EDGE_TAGS:
        return not _is_within_entry(around)
    return any(_MENU_NAME.search(name) for name in (node.get("id") or "", *node.words) if name)


def _is_within_entry(block: LinkBlock | None) -> bool:
    while block is not None:
        if block.node.tag in _ENTRY_TAGS:
            return True
        block = block.parent
    return False


def sort_names(names: Iterable[str]) -> list[str]:
    """The classes that can be written, those about layout last."""
    usable = [name for name in names if is_name(name)]
    return sorted(usable, key=is_layout)
