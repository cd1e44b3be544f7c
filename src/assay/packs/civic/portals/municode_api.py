"""The API of Municode Meetings: meetings whose fields and links differ from site to site."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from assay.packs.civic.portals.listed import ListedMeeting
from assay.packs.civic.portals.municode_links import GUID, MeetingLinks, NamedLink, sort_links
from assay.packs.civic.portals.municode_tables import MunicodeRow
from assay.packs.civic.portals.shared import clean, find_status, parse_moment
from assay.sdk.records import canonical_json, content_hash

_NO_YEAR: Final = 2099
"""From this year on, a date means that there is none yet."""
_IN_TITLE = re.compile(r"(?<!\d)(\d{1,2})[-/.](\d{1,2})[-/.](20\d{2})(?!\d)")
_DAYTIME: Final = (6 * 60, 21 * 60 + 30)
"""Meetings begin between 6:00 and 21:30, local time."""


def read_api_meetings(
    rows: Sequence[Any], base: str, timezone: str
) -> tuple[list[MunicodeRow], list[str]]:
    """The meetings of the API's list, and what is unusual about it."""
    known = [row for row in rows if isinstance(row, dict) and row.get("MeetingID") is not None]
    moments = [_find_moment(row.get("CalendarDate")) for row in known]
    is_utc = _is_utc([moment for moment in moments if moment])
    warnings = []
    if is_utc:
        zone = ZoneInfo(timezone)
        moments = [m.replace(tzinfo=UTC).astimezone(zone) if m else None for m in moments]
        warnings.append(f"{base} lists its meetings in UTC; they are converted to {timezone}.")
    found = [_read_meeting(row, moment, base) for row, moment in zip(known, moments, strict=True)]
    return [row for row in found if row is not None], warnings


def find_api_links(row: Any, base: str) -> MeetingLinks:
    """The links anywhere in a meeting, named by the field that holds them."""
    links = sort_links(_walk_links(row, ""), base)
    if links.guid:
        return links
    guid = next(_walk_guids(row), None)
    return MeetingLinks(links.papers, links.html, links.video, links.page, guid, links.code)


def _is_utc(moments: Sequence[datetime]) -> bool:
    """Whether most meetings would be at night. Midnight says nothing: it also means no time."""
    minutes = [m.hour * 60 + m.minute for m in moments if (m.hour, m.minute) != (0, 0)]
    nightly = [each for each in minutes if not _DAYTIME[0] <= each <= _DAYTIME[1]]
    return len(nightly) * 2 > len(minutes)


def _find_moment(value: Any) -> datetime | None:
    """A date as `[2026, 3, 18, 16, 0]`, `[{"FromDate": "2026-03-18 16:00:00"}]` or a text."""
    first = value[0] if isinstance(value, list) and value else value
    if isinstance(value, list) and len(value) >= 3 and all(isinstance(n, int) for n in value):
        numbers = [*value, 0, 0][:5]
    else:
        text = next(iter(_find_texts(first)), "")
        found = re.search(r"(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2}))?", text)
        if found is None:
            return None
        numbers = [int(group or 0) for group in found.groups()]
    try:
        moment = datetime(*numbers)
    except ValueError:
        return None
    return moment if 1970 < moment.year < _NO_YEAR else None


def _find_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        named = value.get("FromDate") or value.get("StartDate") or value.get("value")
        if isinstance(named, str):
            yield named


def _read_meeting(row: Mapping[str, Any], moment: datetime | None, base: str) -> MunicodeRow | None:
    body, title = clean(row.get("GroupName")), clean(row.get("Title"))
    title = title or body or "Meeting"
    starts = _format_moment(moment) if moment else _find_day_in(title)
    if starts is None:
        return None
    links = find_api_links(row, base)
    revision = row.get("RevisionID")
    meeting = ListedMeeting(
        vendor_id=str(row["MeetingID"]),
        title=title,
        body=body,
        starts=starts,
        location=clean(row.get("Location") or row.get("Venue")),
        status=find_status(title, clean(row.get("Status")), clean(row.get("MeetingStatus"))),
        papers=links.papers,
        video=links.video,
        page=links.page,
        notes=clean(row.get("BodySummary")),
        raw=json.dumps(row, ensure_ascii=False, sort_keys=True),
    )
    stamp = f"revision {revision}" if revision else content_hash(canonical_json(dict(row)))
    return MunicodeRow(meeting, links, stamp)


def _format_moment(moment: datetime) -> str:
    text = moment.strftime("%Y-%m-%dT%H:%M")
    return text[:10] if text.endswith("T00:00") else text


def _find_day_in(title: str) -> str | None:
    """The date in a title, for a meeting whose date is a placeholder."""
    found = _IN_TITLE.search(title)
    if found is None:
        return parse_moment(title)
    return parse_moment(f"{found[3]}-{int(found[1]):02d}-{int(found[2]):02d}")


def _walk_links(value: Any, field: str) -> Iterator[NamedLink]:
    if isinstance(value, dict):
        for name, inner in value.items():
            # `Links` holds `AgendaLinksURL`: the inner name says more.
            yield from _walk_links(inner, f"{field} {name}".lower())
    elif isinstance(value, list):
        for inner in value:
            yield from _walk_links(inner, field)
    elif isinstance(value, str) and re.match(r"(https?:)?//|/", value.strip()):
        yield NamedLink(value, field)


def _walk_guids(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, str) and name.lower().startswith("originmeeting"):
                if GUID.fullmatch(inner):
                    yield inner.replace("-", "").lower()
            else:
                yield from _walk_guids(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk_guids(inner)
