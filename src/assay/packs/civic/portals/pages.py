"""What vendors' pages share: links in any attribute, dates as clerks write them, and names."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from assay.packs.civic.portals.shared import absolute_url, clean, is_http, parse_clock, parse_moment
from assay.sdk.sources import Node, PortalPage, PortalRequest

US_DATES: Final = ("%m/%d/%Y", "%m/%d/%y", "%m-%d-%Y", "%B %d %Y", "%B %d, %y")

_LINKED = "a, area, option, button, [onclick], [data-href], [data-url]"
_ADDRESSES: Final = ("href", "oldhref", "data-href", "data-url", "value", "onclick")
_QUOTED = re.compile(r"""(["'])(.*?)\1""")
_ADDRESS = re.compile(r"^(https?:)?//|^[\w./-]+\.(php|aspx|ashx|pdf|html?)\b|^/\w", re.IGNORECASE)
_EPOCH = re.compile(r"(?<!\d)1\d{9}(?=\s*(?:\d{1,2}\s*/|[A-Z][a-z]{2}))")
_SLASH = re.compile(r"(?<=\d)\s*/\s*(?=\d)")
_ORDINAL = re.compile(r"(?<=\d)(st|nd|rd|th|º|er)\b|(?<=\s)(de|del)(?=\s)", re.IGNORECASE)
"""`June 9th, 2026` and `9 de junio de 2026`."""
_MONTHS: Final = {
    "enero": "january", "febrero": "february", "marzo": "march", "abril": "april", "mayo": "may",
    "junio": "june", "julio": "july", "agosto": "august", "septiembre": "september",
    "octubre": "october", "noviembre": "november", "diciembre": "december",
    "janvier": "january", "février": "february", "mars": "march", "avril": "april", "mai": "may",
    "juin": "june", "juillet": "july", "août": "august", "septembre": "september",
    "octobre": "october", "novembre": "november", "décembre": "december",
}  # fmt: skip
"""Months in Spanish and French, the other languages of cities in North America."""
_FOREIGN = re.compile(rf"(?<=\d )({'|'.join(_MONTHS)})\b", re.IGNORECASE)
_DAY_WORDS = re.compile(
    r"\b\d{4}-\d{2}-\d{2}(T[\d:.]+Z?)?\b|\b\d{1,2}[/-]\d{1,2}[/-]\d{2,4}\b"
    r"|\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,2}(st|nd|rd|th)?,?\s+"
    r"(\d{4}|\d{2})\b",
    re.IGNORECASE,
)
_CLOCK_WORDS = re.compile(
    r"(?<!\d)\d{1,2}([:.]\d{2})?\s*[ap]\.?\s*m\b\.?|(?<!\d)\d{1,2}:\d{2}(?!\d)", re.IGNORECASE
)
_WEEKDAY = re.compile(r"\b(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?\b,?", re.IGNORECASE)
_REMARKS = re.compile(
    r"\b(cancel+ed|cancel+ation|postponed|rescheduled|revised|amended|updated|in progress|live)\b",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W\d_]{3}")


class PageLink(NamedTuple):
    """A link of a page."""

    name: str
    """Its text, or what its picture or tooltip says."""
    url: str


def find_links(node: Node, base: str) -> list[PageLink]:
    """Every address that an element leads to, by a link, a script or a choice, each once."""
    found: dict[str, PageLink] = {}
    for linked in node.find_all(_LINKED):
        for address in _iter_addresses(linked):
            url = absolute_url(base, address)
            if is_http(url):
                found.setdefault(url, PageLink(_name_link(linked), url))
    return list(found.values())


def _iter_addresses(node: Node) -> Iterator[str]:
    for attribute in _ADDRESSES:
        value = (node.get(attribute) or "").strip()
        if attribute == "onclick" or value.lower().startswith("javascript:"):
            yield from (quoted for _, quoted in _QUOTED.findall(value) if _ADDRESS.match(quoted))
        elif value and not value.startswith("#") and (attribute != "value" or "/" in value):
            yield value


def _name_link(node: Node) -> str:
    if text := clean(node.read_text()):
        return text
    named = [node, *node.find_all("img")]
    said = (clean(each.get(key)) for each in named for key in ("alt", "title", "aria-label"))
    return next((words for words in said if words), "Document")


def read_when(text: str | None) -> str | None:
    """The local moment that a cell names: numeric dates are American, a hidden timestamp glued
    before the date does not count."""
    if text is None:
        return None
    text = _SLASH.sub("/", _EPOCH.sub(" ", clean(text) or ""))
    text = " ".join(_ORDINAL.sub("", text).split())
    text = _FOREIGN.sub(lambda month: _MONTHS[month[1].lower()], text)
    return parse_moment(text, US_DATES)


def drop_when(text: str) -> str:
    """A text without its dates, times and weekdays."""
    text = _SLASH.sub("/", _EPOCH.sub(" ", clean(text) or ""))
    for words in (_DAY_WORDS, _CLOCK_WORDS, _WEEKDAY):
        text = words.sub(" ", text)
    text = re.sub(r"\(\s*\)|\b(on|at|@)(?=\s*([-–|,)]|$))", " ", text, flags=re.IGNORECASE)
    return " ".join(text.split()).strip(" -–|,:@*")


def add_clock(starts: str, *texts: str | None) -> str:
    """A moment with the first time of day that one of the texts names, if it has none itself."""
    if len(starts) > 10:
        return starts
    clock = next((found for text in texts if (found := parse_clock(text))), None)
    return starts if clock is None else f"{starts}T{clock}"


def has_words(text: str | None) -> bool:
    """Whether a text contains a word, not only signs and numbers."""
    return text is not None and _LETTERS.search(text) is not None


def make_name_key(name: str) -> str:
    """A meeting's name as part of an id: without dates, times, remarks, case and punctuation."""
    words = re.findall(r"\w+", _REMARKS.sub(" ", drop_when(name)).casefold())
    return "-".join(words)[:120] or "meeting"


def find_site(address: str) -> str:
    """The scheme and host of an address."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def skip_missing_page(request: PortalRequest, status: int, *steps: str) -> PortalPage | None:
    """Do without a page of one meeting or item that is not there; the list is still good."""
    if request.step not in steps or status not in (404, 410):
        return None
    return PortalPage(warnings=[f"{request.url} answered {status}; what it lists is left out."])
