"""The portals of the civic bench: a local site for each vendor, and recorded pages.

A local site answers everything that Assay asks for. Some peers ask the same vendors at other
addresses; `PeerPages` answers those, in the form that the peer expects, from the same meetings.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

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

Answer = tuple[int, str, bytes]
CITY: Final = "elmford"
BACK, AHEAD = 30, 60
"""Days of the window that everyone is asked for."""


@dataclass(frozen=True)
class LocalPortal:
    """A vendor, the settings with which Assay follows it, and a city's site."""

    vendor: str
    """As the pack calls it."""
    settings: Mapping[str, Any]
    site: Site


@dataclass(frozen=True)
class Recording:
    """Pages recorded from a real portal, by the path at which they were found."""

    name: str
    vendor: str
    settings: Mapping[str, Any]
    host: str
    day: date
    """Near which its meetings are."""
    files: Mapping[str, str]
    columns: Sequence[str] = ()
    """The columns of its table that link to documents, which a peer has to be told."""


RECORDINGS: Final = (
    Recording(
        "Legistar calendar of Chicago", "legistar",
        {"site": "chicago", "api": False}, "chicago.legistar.com", date(2019, 1, 15),
        {"/Calendar.aspx": "legistar_calendar_chicago.html"},
        ("Notice", "Agenda", "Summary"),
    ),
    Recording(
        "Legistar calendar of Los Angeles Metro", "legistar",
        {"site": "metro", "api": False}, "metro.legistar.com", date(2019, 1, 15),
        {"/Calendar.aspx": "legistar_calendar_lametro.html"},
        ("Agenda", "Recap/Minutes"),
    ),
    Recording(
        "CivicPlus search of Las Cruces", "civicplus",
        {"site": "nm-lascruces"}, "nm-lascruces.civicplus.com", date(2020, 12, 1),
        {"/AgendaCenter/Search/": "civicplus_search_results.html",
         "/AgendaCenter": "civicplus_search_results.html"},
    ),
)  # fmt: skip
"""Those whose pages both Assay and a peer ask for."""


def make_portals(today: date) -> tuple[list[LocalPortal], Sequence[SiteMeeting]]:
    """A city on every vendor's site, with the same meetings around a day."""
    meetings = _make_meetings(datetime(today.year, today.month, today.day, 18, 30), 24)
    city = {CITY: meetings}
    granicus = GranicusSite(city)
    granicus.today = today
    plain = {"site": CITY}
    return [
        LocalPortal("legistar", plain, LegistarSite(city, today=today)),
        LocalPortal("primegov", plain, PeerPages(PrimeGovSite(city, today), meetings)),
        LocalPortal("granicus", plain | {"views": (2,)}, granicus),
        LocalPortal("civicclerk", plain, CivicClerkSite(city)),
        LocalPortal("civicplus", plain, CivicplusSite(city)),
        LocalPortal("novusagenda", plain, NovusAgendaSite(city)),
        LocalPortal("iqm2", plain, PeerPages(Iqm2Site(city), meetings)),
        LocalPortal("escribe", plain, EscribeSite(city)),
        LocalPortal("civicweb", plain, CivicWebSite(city)),
        LocalPortal("municode", {"site": "elmford-oh"}, MunicodeSite({"elmford-oh": meetings})),
        LocalPortal("boarddocs", {"site": "oh/elmford"}, BoarddocsSite({"oh/elmford": meetings})),
    ], meetings


def _make_meetings(around: datetime, count: int) -> Sequence[SiteMeeting]:
    """Meetings every four days: past ones with minutes, some cancelled, some without an agenda."""
    made = []
    for place in range(count):
        starts, number = around + timedelta(days=4 * (place - count // 2)), 500 + place
        cancelled = place % 7 == 3
        items = tuple(
            SiteItem(
                number=str(line),
                title=f"Ordinance {number}-{line} on kerbs & gutters",
                file=f"26-{number}{line}" if line % 2 else None,
                attachments=tuple(f"Report {number}-{line}-{n}.pdf" for n in range(line % 3)),
            )
            for line in range(1, 1 + (0 if cancelled else place % 5))
        )
        body = ("City Council", "Planning Board", "Parks Committee")[place % 3]
        minutes = starts < around and bool(items)
        made.append(
            SiteMeeting(
                number, f"{body} Meeting", body, starts, "1 Main St", cancelled, items, minutes
            )
        )
    return made


def is_in_window(day: date, today: date) -> bool:
    return today - timedelta(days=BACK) <= day <= today + timedelta(days=AHEAD)


@dataclass
class PeerPages:
    """A local site, and what only civic-scraper asks of the same vendor."""

    site: Site
    meetings: Sequence[SiteMeeting]

    def answer(
        self, method: str, path: str, query: Mapping[str, str], body: bytes,
        headers: Mapping[str, str],
    ) -> Answer:  # fmt: skip
        if path == "/api/meeting/search":
            first, last = (datetime.strptime(query[key], "%m/%d/%Y") for key in ("from", "to"))
            rows = [m for m in self.meetings if first <= m.starts < last + timedelta(days=1)]
            return 200, "application/json", json.dumps([_show_found(m) for m in rows]).encode()
        if path == "/Services/RSS.aspx":
            entries = "".join(_show_entry(m, headers["Host"]) for m in self.meetings)
            feed = f'<?xml version="1.0"?><rss version="2.0"><channel>{entries}</channel></rss>'
            return 200, "text/xml; charset=utf-8", feed.encode()
        return self.site.answer(method, path, query, body, headers)


def _show_found(meeting: SiteMeeting) -> dict[str, Any]:
    """A meeting as PrimeGov's search finds it."""
    files = [{"id": meeting.number * 10 + form, "compileOutputType": form} for form in (1, 3)]
    template = {"title": "Agenda", "compiledMeetingDocumentFiles": files}
    return {
        "id": meeting.number,
        "title": meeting.title,
        "dateTime": f"{meeting.starts:%Y-%m-%dT%H:%M:%S}",
        "templates": [template] if meeting.items else [],
    }


def _show_entry(meeting: SiteMeeting, host: str) -> str:
    """A meeting in IQM2's feed of the calendar."""
    name = f"{meeting.body} - Regular Meeting - {meeting.starts:%b %d, %Y %I:%M %p}"
    link = f"http://{host}/Citizens/Detail_Meeting.aspx?ID={meeting.number}"
    return f"<item><title>{escape(name)}</title><link>{link}</link></item>"


@dataclass
class RecordedSite:
    """Answers with recorded pages, and nothing else."""

    pages: Mapping[str, bytes]

    def answer(
        self, method: str, path: str, query: Mapping[str, str], body: bytes,
        headers: Mapping[str, str],
    ) -> Answer:  # fmt: skip
        if path not in self.pages:
            return 404, "text/html", b"<html><body>Not recorded</body></html>"
        return 200, "text/html; charset=utf-8", self.pages[path]


def open_recording(recording: Recording, samples: Path) -> RecordedSite:
    pages = {path: (samples / name).read_bytes() for path, name in recording.files.items()}
    return RecordedSite(pages)


@dataclass
class LocalServer:
    """Sites behind one address; the `Host` of a request says which is meant."""

    sites: Mapping[str, Site]
    """By the end of the host's name."""
    url: str = ""
    requests: dict[str, int] = field(default_factory=dict)
    """How many each site has answered since they were last forgotten."""

    def answer(self, method: str, target: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        host = headers.get("Host", "")
        found = next((end for end in self.sites if host.endswith(end)), None)
        if found is None:
            return 502, "text/plain", f"there is no local site for {host}".encode()
        self.requests[found] = self.requests.get(found, 0) + 1
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        return self.sites[found].answer(method, unquote(parts.path), query, body, headers)


@contextmanager
def serve(sites: Mapping[str, Site]) -> Iterator[LocalServer]:
    """Serve the sites on the loopback interface until the context ends."""
    server = LocalServer(sites)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, kind, data = server.answer(
                self.command, self.path, body, dict(self.headers.items())
            )
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        do_POST = do_HEAD = do_GET  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        server.url = f"http://127.0.0.1:{listening.server_port}"
        thread = Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            listening.shutdown()
            thread.join()
