"""The local sites of all eleven vendors behind one server, each under its real names.

A city called `elm7` is at `elm7.primegov.com`, `elm7.granicus.com` and so on; the settings map
these names to the server. What no site knows is a document, with words that depend on its address.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, unquote

from tests.bad_site import serve_in_thread
from tests.bad_site.site import Behaviour, Exchange
from tests.packs.civic.portals.crawling import Site
from tests.packs.civic.portals.sites.boarddocs import BoarddocsSite
from tests.packs.civic.portals.sites.civicclerk import CivicClerkSite
from tests.packs.civic.portals.sites.civicplus import CivicplusSite
from tests.packs.civic.portals.sites.civicweb import CivicWebSite
from tests.packs.civic.portals.sites.escribe import EscribeSite
from tests.packs.civic.portals.sites.granicus import GranicusSite
from tests.packs.civic.portals.sites.iqm2 import Iqm2Site
from tests.packs.civic.portals.sites.legistar import LegistarSite
from tests.packs.civic.portals.sites.model import SiteItem, SiteMeeting
from tests.packs.civic.portals.sites.municode import MunicodeSite
from tests.packs.civic.portals.sites.novusagenda import NovusAgendaSite
from tests.packs.civic.portals.sites.primegov import PrimeGovSite

Meetings = dict[str, list[SiteMeeting]]
_BOARDS = ("City Council", "Planning Commission", "Parks Board")
_FIRST_DAY, _LAST_DAY = -25, 55


@dataclass(frozen=True)
class Vendor:
    """How to reach the cities of a vendor."""

    make: Callable[[Meetings, date], Site]
    hosts: Sequence[str]
    """Names with `{}` for the city; the first is where a check begins."""
    site: str = "{}"
    """What a city's settings say."""


def _make_granicus(meetings: Meetings, today: date) -> Site:
    site = GranicusSite(meetings)
    site.today = today
    return site


VENDORS: Mapping[str, Vendor] = {
    "boarddocs": Vendor(lambda m, _: BoarddocsSite(m), ("go.boarddocs.com",), "oh/{}"),
    "civicclerk": Vendor(lambda m, _: CivicClerkSite(m), ("{}.api.civicclerk.com",)),
    "civicplus": Vendor(lambda m, _: CivicplusSite(m), ("{}.civicplus.com",)),
    "civicweb": Vendor(lambda m, _: CivicWebSite(m), ("{}.civicweb.net",)),
    "escribe": Vendor(lambda m, _: EscribeSite(m), ("pub-{}.escribemeetings.com",)),
    "granicus": Vendor(_make_granicus, ("{}.granicus.com",)),
    "iqm2": Vendor(lambda m, _: Iqm2Site(m), ("{}.iqm2.com",)),
    "legistar": Vendor(
        lambda m, today: LegistarSite(m, today=today),
        ("webapi.legistar.com", "{}.legistar.com", "{}.legistar1.com"),
    ),
    "municode": Vendor(
        lambda m, _: MunicodeSite(m),
        ("{}-oh.municodemeetings.com", "meetings.municode.com"),
        "{}-oh",
    ),
    "novusagenda": Vendor(lambda m, _: NovusAgendaSite(m), ("{}.novusagenda.com",)),
    "primegov": Vendor(lambda m, today: PrimeGovSite(m, today), ("{}.primegov.com",)),
}
_FILE_HOSTS = ("mccmeetings.blob.core.usgovcloudapi.net",)
"""Where documents are that a vendor keeps for all its cities."""


def name_key(vendor: str, city: str) -> str:
    """What a vendor's site calls a city."""
    return {"boarddocs": f"oh/{city}", "municode": f"{city}-oh"}.get(vendor, city)


def make_meetings(today: date, count: int, seed: int = 0) -> list[SiteMeeting]:
    """So many meetings in the usual window, the past ones with minutes."""
    begin = datetime(today.year, today.month, today.day, 18, 30)
    made = []
    for number in range(count):
        days = _FIRST_DAY + (_LAST_DAY - _FIRST_DAY) * number // max(1, count - 1)
        body = _BOARDS[number % 3]
        items = tuple(
            SiteItem(
                number=str(place + 1),
                title=f"{subject} {seed}-{number} of the {body.lower()}",
                file=f"{today.year}-{1000 * seed + 10 * number + place}",
                attachments=("Report.pdf",) if place == 0 else (),
            )
            for place, subject in enumerate(("Contract for street lights", "Ordinance on kerbs"))
        )
        made.append(
            SiteMeeting(
                number=1000 + number,
                title=f"{body} Regular Meeting",
                body=body,
                starts=begin + timedelta(days=days, minutes=15 * (number % 3)),
                location="12 Main Street",
                items=items,
                minutes=days < 0 and number % 2 == 0,
            )
        )
    return made


class VendorServer:
    """All vendors' cities, the requests that were made, and how it answers them."""

    def __init__(self, today: date, cities: Mapping[str, Mapping[str, list[SiteMeeting]]]) -> None:
        """`cities` are the meetings by vendor and city."""
        self.meetings: dict[str, Meetings] = {
            vendor: {name_key(vendor, city): list(held) for city, held in own.items()}
            for vendor, own in cities.items()
        }
        self._sites = {v: VENDORS[v].make(held, today) for v, held in self.meetings.items()}
        self.hosts = {
            host.format(city): vendor
            for vendor, own in cities.items()
            for city in own
            for host in VENDORS[vendor].hosts
        }
        self.instead: dict[str, Behaviour] = {}
        """What is done instead of answering a request whose address contains a word."""
        self.asked: list[tuple[str, str]] = []
        """The host and path of every request."""
        self.documents_asked = 0
        self.url = ""

    @property
    def stand_ins(self) -> dict[str, str]:
        """For the setting `hosts`."""
        return dict.fromkeys((*self.hosts, *_FILE_HOSTS), self.url)

    async def answer(self, exchange: Exchange) -> None:
        host = exchange.seen.headers.get("host", "").partition(":")[0]
        path, _, query = exchange.seen.path.partition("?")
        if path == "/robots.txt":
            await exchange.answer(b"", 404)
            return
        self.asked.append((host, exchange.seen.path))
        for word, behave in self.instead.items():
            if word in f"{host}{exchange.seen.path}":
                await behave(exchange)
                return
        status, content_type, body = self._ask_site(host, path, query, exchange)
        if status in (403, 404) or content_type == "application/pdf" or b"<p>Document with" in body:
            self.documents_asked += 1
            status, content_type = 200, "text/html; charset=utf-8"
            body = self._write_document(f"{host}{exchange.seen.path}").encode()
        await exchange.answer(body, status, {"Content-Type": content_type})

    def _ask_site(
        self, host: str, path: str, query: str, exchange: Exchange
    ) -> tuple[int, str, bytes]:
        site = self._sites.get(self.hosts.get(host, ""))
        if site is None:
            return 404, "text/html", b""
        seen = exchange.seen
        # The sites look for names as browsers write them.
        headers = {"-".join(map(str.capitalize, n.split("-"))): v for n, v in seen.headers.items()}
        asked = dict(parse_qsl(query, keep_blank_values=True))
        try:
            return site.answer(seen.method, unquote(path), asked, seen.body, headers)
        except (KeyError, StopIteration, ValueError, IndexError):
            # It is the address of a document, which the site does not know.
            return 404, "text/html", b""

    @staticmethod
    def _write_document(address: str) -> str:
        return (
            f"<html><body><main><h1>Report on {address}</h1>"
            f"<p>Staff recommends that the council approve a contract of ${len(address)},250 for "
            f"the work that {address} describes.</p><p>The council will consider the budget for "
            "the coming fiscal year at a public hearing, and welcomes comments from residents.</p>"
            "</main></body></html>"
        )

    def change_meetings(self, every: int) -> int:
        """Change every so many-th meeting; return how many those are."""
        changed, place = 0, 0
        for vendor, own in self.meetings.items():
            for held in own.values():
                for index, meeting in enumerate(held):
                    place += 1
                    if place % every == 0:
                        changed += 1
                        held[index] = _change_meeting(vendor, meeting)
        return changed


def _change_meeting(vendor: str, meeting: SiteMeeting) -> SiteMeeting:
    """The meeting with another time, title and document."""
    first, *others = meeting.items
    added = replace(first, attachments=(*first.attachments, "Amendment.pdf"))
    starts = meeting.starts + timedelta(minutes=45)
    # Granicus has no ids for what is planned: with another name it would be another meeting.
    title = meeting.title if vendor == "granicus" else f"Special {meeting.title}"
    return replace(meeting, title=title, starts=starts, items=(added, *others))


class _AnyPath(dict[str, Behaviour]):
    """One behaviour for every path."""

    def __init__(self, behaviour: Behaviour) -> None:
        super().__init__()
        self._behaviour = behaviour

    def get(self, key: str, default: Any = None) -> Behaviour:
        return self._behaviour


@contextmanager
def serve_vendors(
    today: date, cities: Mapping[str, Mapping[str, list[SiteMeeting]]]
) -> Iterator[VendorServer]:
    """The server, running."""
    server = VendorServer(today, cities)
    with serve_in_thread({}) as site:
        site.paths = _AnyPath(server.answer)
        server.url = site.url
        yield server
