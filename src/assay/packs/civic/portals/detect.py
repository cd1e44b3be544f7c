"""Which vendor a city uses: from an address, or from the links and frames of a page of the city."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import SplitResult, parse_qs, unquote, urljoin, urlsplit

from assay.sdk.sources import parse_html

_GENERIC: Final = frozenset(
    {
        *("www", "api", "app", "apps", "go", "help", "info", "login", "meetings", "portal", "pub"),
        *("blog", "cdn", "docs", "legal", "s3", "static", "status", "support", "webapi", "media"),
        *("video", "webcontent", "archive-video", "archive-stream"),
    }
)
"""Hosts of a vendor that belong to no city."""
_DOCUMENTS = re.compile(r"/([a-z0-9]+)-(?:pubu|meet)\b", re.IGNORECASE)
_LINKS: Final = (
    ("a", "href"),
    ("area", "href"),
    ("iframe", "src"),
    ("frame", "src"),
    ("embed", "src"),
    ("object", "data"),
    ("form", "action"),
    ("script", "src"),
    ("meta", "content"),
    ("option", "value"),
    ("[onclick]", "onclick"),
    ("[data-src]", "data-src"),
    ("[data-url]", "data-url"),
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d)", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:https?:)?//[^\s'\"<>()]+", re.IGNORECASE)


@dataclass(frozen=True)
class Detected:
    """A vendor, and what it calls the city."""

    vendor: str
    """The name of the portal, such as `legistar`."""
    site: str
    options: tuple[tuple[str, Any], ...] = ()
    """Further settings of the tenant that the address names, such as the view at Granicus."""
    others: tuple["Detected", ...] = ()
    """Other vendors that the page refers to equally often: a person must choose."""

    @property
    def is_ambiguous(self) -> bool:
        return bool(self.others)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the tenant."""
        return {"site": self.site, **dict(self.options)}


def detect_vendor(url: str, page: bytes | None = None) -> Detected | None:
    """The vendor and the city's name there, from an address, or from the page at that address.

    On a page, the vendor that it refers to most often wins; None: it refers to none.
    """
    if found := _match(url):
        return found
    if page is None:
        return None
    counts = Counter[Detected]()
    for link in _find_addresses(page, url):
        if found := _match(link):
            counts[found] += 1
    return _choose(counts)


def _choose(counts: Counter[Detected]) -> Detected | None:
    """The vendor with most links; of its sites, the one with most, with the usual options."""
    totals, sites = Counter[str](), Counter[tuple[str, str]]()
    for each, count in counts.items():
        totals[each.vendor] += count
        sites[each.vendor, each.site] += count
    if not totals:
        return None

    def rank(each: Detected) -> tuple[bool, int, bool, int]:
        # A site of its own says more than the code that a city has at Municode.
        is_own = not each.site.isupper()
        return is_own, sites[each.vendor, each.site], bool(each.options), counts[each]

    most = max(totals.values())
    best = [
        max((each for each in counts if each.vendor == vendor), key=rank)
        for vendor, total in totals.items()
        if total == most
    ]
    return replace(best[0], others=tuple(best[1:]))


def _find_addresses(page: bytes, url: str) -> Iterator[str]:
    """Every address that a page refers to, once for each element."""
    root = parse_html(page, url, "a city's page")
    for tag, attribute in _LINKS:
        for node in root.find_all(tag):
            value = (node.get(attribute) or "").strip()
            if attribute == "onclick" or tag == "meta":
                yield from _ADDRESS.findall(unquote(value))
            elif value:
                yield urljoin(url, value.replace(" ", "%20"))


def _match(url: str) -> Detected | None:
    text = url.strip()
    if text.startswith("//"):
        text = f"https:{text}"
    elif not _SCHEME.match(text):
        text = f"https://{text}"
    try:
        parts = urlsplit(text)
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or "." not in host:
        return None
    for vendor, find_site in _VENDORS:
        if site := find_site(host, parts):
            return Detected(vendor, site, _find_options(vendor, parts))
    return None


def _find_options(vendor: str, parts: SplitResult) -> tuple[tuple[str, Any], ...]:
    asked = {key.lower(): values[0] for key, values in parse_qs(parts.query).items()}
    if vendor == "granicus" and asked.get("view_id", "").isdigit():
        return (("views", (int(asked["view_id"]),)),)
    if vendor == "municode" and asked.get("ppid", "0") != "0":
        return (("page", asked["ppid"]),)
    return ()


def _take_name(host: str, domain: str) -> str | None:
    """The first part of a host in a domain, if it is a city's."""
    if not host.endswith(f".{domain}"):
        return None
    name = host.removesuffix(f".{domain}").rpartition(".")[2]
    return name if name and name not in _GENERIC else None


def _in_domain(domain: str) -> Callable[[str, SplitResult], str | None]:
    return lambda host, parts: _take_name(host, domain)


def _find_legistar(host: str, parts: SplitResult) -> str | None:
    if host == "webapi.legistar.com":
        found = re.match(r"/v\d+/([^/]+)", parts.path, re.IGNORECASE)
        return found[1].lower() if found else None
    if host.startswith("legistar.") and re.search(
        r"/(Calendar|MeetingDetail|LegislationDetail|DepartmentDetail)\.aspx", parts.path, re.I
    ):
        return f"{parts.scheme}://{host}"
    return _take_name(host, "legistar.com") or _take_name(host, "legistar1.com")


def _find_civicclerk(host: str, parts: SplitResult) -> str | None:
    if not host.endswith(".civicclerk.com"):
        return None
    name = host.removesuffix(".civicclerk.com").split(".")[0]
    return name if name not in _GENERIC else None


def _find_escribe(host: str, parts: SplitResult) -> str | None:
    name = _take_name(host, "escribemeetings.com")
    return name.removeprefix("pub-") if name else None


def _find_municode(host: str, parts: SplitResult) -> str | None:
    if host == "meetings.municode.com":
        asked = {key.lower(): value for key, value in parse_qs(parts.query).items()}
        named = asked.get("cid") or asked.get("cc")
        inner = asked.get("u", [""])[0]
        if named is None and (found := _DOCUMENTS.search(inner)):
            return found[1].upper()
        return named[0].upper() if named else None
    if re.match(r"mccmeetings(public)?\.blob\.", host):
        found = _DOCUMENTS.search(parts.path)
        return found[1].upper() if found else None
    return _take_name(host, "municodemeetings.com")


def _find_boarddocs(host: str, parts: SplitResult) -> str | None:
    found = re.match(r"/([^/]+/[^/]+)/[^/]+\.nsf", parts.path, re.IGNORECASE)
    if not found or not (host == "boarddocs.com" or host.endswith(".boarddocs.com")):
        return None
    return found[1].lower() if host == "go.boarddocs.com" else f"https://{host}/{found[1].lower()}"


def _find_civicplus(host: str, parts: SplitResult) -> str | None:
    if not re.match(r"/AgendaCenter(/|$)", parts.path, re.IGNORECASE):
        return None
    return _take_name(host, "civicplus.com") or f"{parts.scheme}://{parts.netloc.lower()}"


_VENDORS: Final[tuple[tuple[str, Callable[[str, SplitResult], str | None]], ...]] = (
    ("legistar", _find_legistar),
    ("primegov", _in_domain("primegov.com")),
    ("granicus", _in_domain("granicus.com")),
    ("civicclerk", _find_civicclerk),
    ("novusagenda", _in_domain("novusagenda.com")),
    ("iqm2", _in_domain("iqm2.com")),
    ("escribe", _find_escribe),
    ("civicweb", _in_domain("civicweb.net")),
    ("municode", _find_municode),
    ("boarddocs", _find_boarddocs),
    ("civicplus", _find_civicplus),
)
