"""Calendars and feeds, checked against the rules of RFC 5545 and RFC 4287."""

import re
from datetime import datetime
from pathlib import Path

from lxml import etree  # type: ignore[import-untyped]

from assay.app import App
from assay.packs.civic.dossiers import choose_meetings, iterate_dossiers
from assay.packs.civic.outputs.atom import render_atom
from assay.packs.civic.outputs.calendar import render_calendar
from assay.packs.civic.portals.listed import MeetingStatus
from tests.cli.calls import answer, call
from tests.packs.civic.town import (
    CITY,
    DROPPED,
    EVIL,
    MOVED,
    NEXT,
    PACKET,
    PAST,
    build_meeting,
    store,
)
from tests.packs.civic.town import town as town

ATOM = "{http://www.w3.org/2005/Atom}"
Event = dict[str, str]


def parse_calendar(data: bytes) -> list[Event]:
    """The events of a calendar; fails on whatever the standard does not allow."""
    assert data.endswith(b"\r\n") and b"\n" not in data.replace(b"\r\n", b"")
    assert all(len(line) <= 75 for line in data.split(b"\r\n"))
    lines = data.decode().replace("\r\n ", "").split("\r\n")[:-1]
    assert lines[0] == "BEGIN:VCALENDAR" and lines[-1] == "END:VCALENDAR"
    assert "VERSION:2.0" in lines and any(line.startswith("PRODID:") for line in lines)
    events: list[Event] = []
    for line in lines[1:-1]:
        matched = re.fullmatch(r"([A-Z-]+(?:;VALUE=DATE)?):([^\x00-\x08\x0a-\x1f\x7f]*)", line)
        assert matched is not None, line
        name, value = matched.groups()
        if line == "BEGIN:VEVENT":
            events.append({})
        elif events and name not in ("BEGIN", "END"):
            assert name not in events[-1], "each of these properties occurs once"
            is_text = name in ("SUMMARY", "DESCRIPTION", "LOCATION", "UID")
            # In a text, a comma, a semicolon and a backslash are escaped.
            assert not is_text or re.fullmatch(r"(?:[^\\;,]|\\[\\;,n])*", value), value
            events[-1][name] = re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), value)
    for event in events:
        assert {"UID", "DTSTAMP", "SUMMARY", "STATUS", "SEQUENCE"} <= set(event)
        assert datetime.strptime(event["DTSTAMP"], "%Y%m%dT%H%M%SZ")
        assert event["STATUS"] in ("CONFIRMED", "TENTATIVE", "CANCELLED")
        assert ("DTSTART" in event) != ("DTSTART;VALUE=DATE" in event)
    assert len({event["UID"] for event in events}) == len(events)
    return events


def parse_atom(data: bytes) -> list[etree._Element]:
    """The entries of a feed, which has everything that the standard requires."""
    feed = etree.fromstring(data)
    assert feed.tag == f"{ATOM}feed" and feed.findtext(f"{ATOM}author/{ATOM}name")
    entries: list[etree._Element] = feed.findall(f"{ATOM}entry")
    for element in (feed, *entries):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{ATOM}{name}")) == 1
        assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", element.findtext(f"{ATOM}id"))
        assert datetime.strptime(element.findtext(f"{ATOM}updated"), "%Y-%m-%dT%H:%M:%SZ")
        kinds = [link.get("rel") for link in element.findall(f"{ATOM}link")]
        assert kinds.count("alternate") <= 1
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == len(entries)
    return entries


def test_a_calendar_has_every_meeting_as_the_standard_wants_it(
    town: App, home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "meetings.ics"
    feed = ("civic", "feed", "--kind", "ical", "-o", str(file))
    assert answer(home, *feed)["meetings"] == 5
    events = {event["UID"]: event for event in parse_calendar(file.read_bytes())}
    assert list(events) == [PAST, DROPPED, NEXT, MOVED, PACKET]
    coming = events[NEXT]
    assert (coming["DTSTART"], coming["STATUS"]) == ("20260428T233000Z", "CONFIRMED")
    # Two versions of its calendar entry were published.
    assert (coming["SEQUENCE"], coming["LAST-MODIFIED"]) == ("1", "20260401T000000Z")
    assert coming["LOCATION"] == "City Hall; Room 1, \\ north"
    assert EVIL in coming["DESCRIPTION"] and coming["CATEGORIES"] == "budget,transportation"
    assert events[DROPPED]["STATUS"] == "CANCELLED"
    assert events[DROPPED]["SUMMARY"] == "Cancelled: Parks Board (Springfield, OR)"
    assert events[MOVED]["DTSTART;VALUE=DATE"] == "20260505" and events[MOVED]["SEQUENCE"] == "1"

    before = file.read_bytes()
    call(home, *feed)
    assert file.read_bytes() == before
    assert answer(home, *feed, "--topic", "budget", "--city", CITY)["meetings"] == 1
    assert [event["UID"] for event in parse_calendar(file.read_bytes())] == [NEXT]


def test_a_feed_has_every_meeting_as_the_standard_wants_it(
    town: App, home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "meetings.atom"
    feed = ("civic", "feed", "--kind", "atom", "-o", str(file))
    assert answer(home, *feed, "--limit", "4")["meetings"] == 4
    before = file.read_bytes()
    entries = parse_atom(before)
    titles = [entry.findtext(f"{ATOM}title") for entry in entries]
    assert titles[0] == "Library Board, Wednesday, May 6, 2026, 9:00 AM (Springfield, OR)"
    assert titles[3].startswith("Cancelled: Parks Board")
    coming = entries[2]
    links = {link.get("rel"): link.get("href") for link in coming.findall(f"{ATOM}link")}
    assert links["alternate"] == "https://springfield.example.org/"
    content = coming.find(f"{ATOM}content")
    assert content is not None and content.get("type") == "html"
    assert "would cost $2 million" in content.text and EVIL not in content.text
    call(home, *feed, "--limit", "4")
    assert file.read_bytes() == before
    assert answer(home, *feed, "--since", "2027-01-01")["meetings"] == 0
    assert parse_atom(file.read_bytes()) == []


def test_odd_texts_do_not_break_a_feed(town: App) -> None:
    title = "Caf\u00e9 \U0001f3db\ufe0f " * 20 + "\x00\x1b,;\\\r\nBEGIN:VEVENT\u2028end"
    odd = build_meeting(f"{CITY}_odd", "2026-06-01T09:00", title=title, location="\n" * 100,
                        status=MeetingStatus.POSTPONED, page="javascript:alert(1)")  # fmt: skip
    store(town, odd)
    services = town.services
    dossiers = list(iterate_dossiers(services, choose_meetings(services, CITY, "2026-06-01")))
    (event,) = parse_calendar(render_calendar("A, B", dossiers, {}).encode())
    assert event["STATUS"] == "TENTATIVE" and "URL" not in event
    assert (
        event["SUMMARY"].startswith("Postponed: Caf\u00e9")
        and "\\\nBEGIN:VEVENT\nend" in event["SUMMARY"]
    )
    (entry,) = parse_atom(render_atom("A & B", "s", dossiers).encode())
    assert "BEGIN:VEVENT" in entry.findtext(f"{ATOM}title")
    assert entry.findall(f"{ATOM}link") == []
    store(town, odd.model_copy(update={"page": "https://a.example.org/\x00b\r\nc"}))
    dossiers = list(iterate_dossiers(services, choose_meetings(services, CITY, "2026-06-01")))
    (event,) = parse_calendar(render_calendar("A", dossiers, {}).encode())
    assert event["URL"] == "https://a.example.org/bc"
    assert len(parse_atom(render_atom("A", "s", dossiers).encode())) == 1
