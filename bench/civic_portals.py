"""`python -m bench.civic_portals`: what is found on the portals of eleven vendors, beside others.

The same generated city is on a local site of every vendor; Assay, civic-scraper and
python-legistar-scraper look for its meetings of the same days. The figure is the number of meetings
found on all of them; the detail has it vendor by vendor, with documents, items of agendas and
requests, and the same for pages recorded from real portals (`--samples`): a peer that reads the
recording but fails on the local site would show that the local site is wrong.
"""

import argparse
import json
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

from tests.packs.civic.portals import entries
from tests.packs.civic.portals.crawling import Site, crawl

from assay.packs.civic.portals import PORTALS
from assay.sdk.sources import PortalItem
from bench.civic_portals_sites import (
    AHEAD,
    BACK,
    CITY,
    RECORDINGS,
    Recording,
    is_in_window,
    make_portals,
    open_recording,
    serve,
)
from bench.peers import ROOT, Peer, PeerFailed, install
from bench.report import Report, print_report

SCRAPERS: Final = Peer(
    "civic-scraper and python-legistar-scraper",
    "civic_portals",
    "sqlite",
    ("civic-scraper==1.1.0", "scraper-legistar==0.0.2"),
)
PEER_HOSTS: Final = {
    "legistar": f"{CITY}.legistar.com",
    "civicplus": f"{CITY}.civicplus.com",
    "primegov": f"{CITY}.primegov.com",
    "iqm2": f"{CITY}.iqm2.com",
}
SUPPORTED: Final = {
    "civic-scraper": ("legistar", "civicplus", "primegov", "iqm2"),
    "python-legistar-scraper": ("legistar",),
}
UNMEASURED: Final = {
    ("civic-scraper", "civicclerk"): "not measured: reads the vendor's former pages "
    "(Web/Home.aspx), which neither the local site nor a recording has",
}
NOTES: Final = {
    "civic-scraper": "lists documents: it does not find a meeting that has none",
    "civic-scraper on civicplus": "counts an agenda's HTML and PDF as two documents; Assay reads "
    "the items of the one and lists the other",
    "civic-scraper on iqm2": "its class 'granicus', which reads the feed of IQM2's calendar",
    "Los Angeles Metro": "lists every meeting twice, the second time for its Spanish sound; Assay "
    "counts it once",
    "civic-scraper on primegov": "asks for another address than Assay; the local site answers it "
    "in the form that the peer expects",
}
FIGURES: Final = ("meetings", "documents", "items", "requests")
_BY_NAME: Final = {portal.name: portal for portal in PORTALS}


@dataclass(frozen=True)
class Found:
    """What one contender found on one site."""

    meetings: int = 0
    documents: int = 0
    items: int = 0
    requests: int = 0
    error: str | None = None

    def __str__(self) -> str:
        if self.error is not None:
            return f"failed after {self.requests} requests: {self.error}"
        return (
            f"{self.meetings} meetings, {self.documents} documents, {self.items} items, "
            f"{self.requests} requests"
        )


Show = Callable[[Found], object]
"""How a report shows what was found: as text to read, or as figures for a program."""


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.civic_portals", description=__doc__)
    parser.add_argument(
        "--samples",
        type=Path,
        default=ROOT.parent / "shared" / "samples" / "civic",
        help="the folder with recorded pages; without it, only local sites are measured",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    show = asdict if given.json else str
    print_report(measure(date.today(), given.samples, show), given.json)


def measure(today: date, samples: Path, show: Show) -> Report:
    """What everyone finds, on local sites and on recordings."""
    portals, meetings = make_portals(today)
    there = [each for each in meetings if is_in_window(each.starts.date(), today)]
    ours = {
        each.vendor: crawl_site(each.vendor, each.settings, each.site, today) for each in portals
    }
    sites = {f".{host.partition('.')[2]}": each.site
             for each in portals if (host := PEER_HOSTS.get(each.vendor))}  # fmt: skip
    peers = {
        peer: dict(zip(vendors, run_peer(peer, vendors, sites, today), strict=True))
        for peer, vendors in SUPPORTED.items()
    }
    return Report(
        name="civic portals",
        unit="meetings found on the local portals of eleven vendors",
        better="higher",
        ours=sum(found.meetings for found in ours.values()),
        peers={
            peer: sum(found.meetings for found in by_vendor.values())
            for peer, by_vendor in peers.items()
        },
        detail={
            "platforms": {
                "Assay": len(ours),
                "civic-scraper": "5 of these, and Digital Towpath",
                "python-legistar-scraper": 1,
            },
            "on each site": f"{len(there)} meetings, {sum(len(m.items) for m in there)} items",
            "local sites": {
                vendor: {"Assay": show(found)}
                | {
                    peer: show(by_vendor[vendor])
                    if vendor in by_vendor
                    else UNMEASURED.get((peer, vendor), "not supported")
                    for peer, by_vendor in peers.items()
                }
                for vendor, found in ours.items()
            },
            "all vendors that the peer reads": {
                peer: {
                    "Assay": show(_add(ours[vendor] for vendor in by_vendor)),
                    peer: show(_add(by_vendor.values())),
                }
                for peer, by_vendor in peers.items()
            },
            "recordings": measure_recordings(samples, show),
            "notes": NOTES,
        },
    )


def crawl_site(vendor: str, settings: Mapping[str, Any], site: Site, today: date) -> Found:
    """What Assay finds on a site, following everything that it would fetch but documents."""
    portal = _BY_NAME[vendor]
    window = {"days_back": BACK, "days_ahead": AHEAD}
    found, requests = crawl(portal, portal.parse_tenant({**settings, **window}), site, today)
    return _count(found, len(requests))


def _count(found: Sequence[PortalItem], requests: int) -> Found:
    meetings, agendas = entries.list_meetings(found), entries.list_agendas(found)
    items = {
        (meeting, item.vendor_id): item
        for meeting, listed in [
            *((each.vendor_id, each.items) for each in meetings),
            *((each.meeting, each.items) for each in agendas),
        ]
        for item in listed
    }
    papers = [paper for meeting in meetings for paper in meeting.papers]
    for agenda in agendas:
        papers += agenda.papers
    papers += [paper for item in items.values() for paper in item.attachments]
    return Found(
        len({each.vendor_id for each in meetings}),
        len({paper.url for paper in papers}),
        len(items),
        requests,
    )


def _add(found: Iterable[Found]) -> Found:
    """The sum of what was found; a site on which a peer failed adds its requests."""
    rows = list(found)
    return Found(*(sum(getattr(row, name) for row in rows) for name in FIGURES))


def measure_recordings(samples: Path, show: Show) -> Mapping[str, Any] | str:
    """What everyone finds on recorded pages, at the addresses where they were found."""
    if not samples.is_dir():
        return f"there is no folder {samples}; name one with --samples"
    return {
        recording.name: {
            "Assay": show(read_recording(recording, samples)),
            **{
                peer: show(run_peer_on(peer, recording, samples))
                for peer, vendors in SUPPORTED.items()
                if recording.vendor in vendors
            },
        }
        for recording in RECORDINGS
    }


def read_recording(recording: Recording, samples: Path) -> Found:
    """What Assay finds on the recorded pages; what they lead to was not recorded."""
    portal, site = _BY_NAME[recording.vendor], open_recording(recording, samples)
    window = {"days_back": BACK, "days_ahead": AHEAD}
    tenant = portal.parse_tenant({**recording.settings, **window})
    left = list(portal.start(tenant, recording.day, None))
    found, asked = list[PortalItem](), list[str]()
    while left:
        request = left.pop(0)
        path = request.url.partition(recording.host)[2].partition("?")[0]
        if path in site.pages and (question := f"{request.url} {request.form}") not in asked:
            asked.append(question)
            page = portal.read(site.pages[path], request, tenant)
            found += page.items
            left += page.requests
    return _count(found, len(asked))


def run_peer(
    peer: str, vendors: Sequence[str], sites: Mapping[str, Site], today: date
) -> list[Found]:
    """What a peer finds on the local sites of the vendors that it supports."""
    tasks = [_make_task(peer, vendor, PEER_HOSTS[vendor], today) for vendor in vendors]
    return _ask_peer(tasks, sites)


def run_peer_on(peer: str, recording: Recording, samples: Path) -> Found:
    """What a peer finds on recorded pages."""
    task = _make_task(peer, recording.vendor, recording.host, recording.day)
    task |= {"api": False, "columns": recording.columns}
    return _ask_peer([task], {recording.host: open_recording(recording, samples)})[0]


def _make_task(peer: str, vendor: str, host: str, today: date) -> dict[str, Any]:
    first, last = today - timedelta(days=BACK), today + timedelta(days=AHEAD)
    return {
        "peer": peer,
        "vendor": vendor,
        "host": host,
        "first": first.isoformat(),
        "last": last.isoformat(),
        "api": True,
        "columns": ("Agenda", "Minutes"),
    }


def _ask_peer(tasks: Sequence[Mapping[str, Any]], sites: Mapping[str, Site]) -> list[Found]:
    with serve(sites) as server:
        done = subprocess.run(
            [str(install(SCRAPERS)), "-m", "bench.civic_peers.portals"],
            cwd=ROOT,
            input=json.dumps({"server": server.url, "tasks": tasks}),
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        raise PeerFailed(f"the peers ended with {done.returncode}:\n{done.stderr[-3000:]}")
    answers = json.loads(done.stdout.strip().splitlines()[-1])
    return [
        Found(**{key: each[key] for key in (*FIGURES, "error") if key in each}) for each in answers
    ]


if __name__ == "__main__":
    main()
