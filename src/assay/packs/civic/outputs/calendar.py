"""Meetings as an iCalendar feed (RFC 5545), the same bytes for the same data."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from assay.packs.civic.dossiers import DocumentLink, MeetingDossier
from assay.packs.civic.outputs.digest import MeetingDigest, describe_meeting, format_city
from assay.packs.civic.portals.listed import MeetingStatus
from assay.packs.civic.records import Meeting
from assay.sdk.records import Evidence
from assay.sdk.services import Services

_OCTETS: Final = 75
"""The longest line; what is longer continues on the next."""
_NOT_IN_ADDRESS = re.compile(r"[\x00-\x20\x7f\x85\u2028\u2029]")
_STATUSES: Final = {
    MeetingStatus.CANCELLED: ("CANCELLED", "Cancelled: "),
    MeetingStatus.POSTPONED: ("TENTATIVE", "Postponed: "),
}


def render_calendar(
    title: str, dossiers: Iterable[MeetingDossier], versions: dict[str, int]
) -> str:
    """A calendar with one event for each meeting; `versions` is what `count_versions` returns."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Assay//Council meetings//EN",
        "CALSCALE:GREGORIAN",
        f"NAME:{_escape(title)}",
        f"X-WR-CALNAME:{_escape(title)}",
    ]
    for dossier in dossiers:
        lines += _render_event(dossier, versions.get(dossier.meeting.meeting_id, 1))
    lines.append("END:VCALENDAR")
    return "".join(f"{_fold(line)}\r\n" for line in lines)


def count_versions(services: Services, meetings: Sequence[Meeting]) -> dict[str, int]:
    """How many versions of each meeting's calendar entry were stored."""
    evidence = services.read_records(
        Evidence, evidence_id={meeting.evidence_id for meeting in meetings}
    )
    urls = {each.evidence_id: each.url for each in evidence}
    counts: dict[str, int] = {}
    for each in services.read_records(Evidence, url=set(urls.values())):
        counts[each.url] = counts.get(each.url, 0) + 1
    return {
        meeting.meeting_id: counts.get(urls.get(meeting.evidence_id, ""), 1) for meeting in meetings
    }


def _render_event(dossier: MeetingDossier, versions: int) -> Iterator[str]:
    meeting, described = dossier.meeting, describe_meeting(dossier)
    changed = _format_moment(datetime.fromtimestamp(dossier.changed_ms / 1000, UTC))
    status, prefix = _STATUSES.get(MeetingStatus(meeting.status), ("CONFIRMED", ""))
    yield "BEGIN:VEVENT"
    yield f"UID:{_escape(meeting.meeting_id)}"
    yield f"DTSTAMP:{changed}"
    yield f"LAST-MODIFIED:{changed}"
    # Each part only ever grows, so that the number does, too.
    revision = versions - 1 + len(meeting.earlier_starts) + (meeting.agenda_status is not None)
    yield f"SEQUENCE:{revision}"
    if meeting.starts_utc is not None:
        yield f"DTSTART:{_format_moment(datetime.fromisoformat(meeting.starts_utc))}"
    else:
        yield f"DTSTART;VALUE=DATE:{meeting.starts[:10].replace('-', '')}"
    yield f"SUMMARY:{_escape(f'{prefix}{described.heading} ({format_city(dossier.city)})')}"
    yield f"STATUS:{status}"
    if meeting.location:
        yield f"LOCATION:{_escape(meeting.location)}"
    if meeting.page and DocumentLink("", meeting.page).is_safe:
        # The type of this value is an address, which is not escaped.
        yield f"URL:{_NOT_IN_ADDRESS.sub('', meeting.page)}"
    topics = dossier.list_all_topics()
    if topics:
        yield f"CATEGORIES:{','.join(_escape(topic) for topic in topics)}"
    description = "\n".join(_describe(described))
    if description:
        yield f"DESCRIPTION:{_escape(description)}"
    yield "END:VEVENT"


def _describe(meeting: MeetingDigest) -> Iterator[str]:
    if meeting.change:
        yield meeting.change
    yield from (f"{name}: {value}" for name, value in meeting.attending)
    yield from (sentence.text for sentence in meeting.summary)
    for item in meeting.items:
        number = f"{item.number} " if item.number else ""
        yield f"{number}{item.title}"
        if item.outcome:
            yield f"  {item.outcome}"
    yield from (f"{link.name}: {link.url}" for link in meeting.documents)
    if meeting.video:
        yield f"Video: {meeting.video}"


def _format_moment(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _escape(text: str) -> str:
    """A text value: control characters are not allowed, and some others have a meaning."""
    lines = "\n".join(text.splitlines())
    kept = "".join(c for c in lines if c in "\n\t" or (c >= " " and c != "\x7f"))
    kept = kept.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return kept.replace("\n", "\\n")


def _fold(line: str) -> str:
    """Lines of at most 75 octets each; no character is divided."""
    folded: list[str] = []
    start, octets = 0, 0
    for place, character in enumerate(line):
        size = len(character.encode("utf-8", "replace"))
        if octets + size > _OCTETS:
            folded.append(line[start:place])
            # The space that begins the next line counts.
            start, octets = place, 1
        octets += size
    folded.append(line[start:])
    return "\r\n ".join(folded)
