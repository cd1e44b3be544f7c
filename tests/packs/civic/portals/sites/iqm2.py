"""A site like IQM2: a calendar, a page for each meeting, and one for each matter."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from html import escape

from tests.packs.civic.portals.sites.generated_civic import find_city, show_document
from tests.packs.civic.portals.sites.model import SiteItem, SiteMeeting

_HTML = "text/html; charset=utf-8"
_HIDDEN = "<div>&nbsp;<a href='' class='HiddenDocumentLink' target=''>{name}</a>&nbsp;</div>"


class Iqm2Site:
    """The pages of generated cities. Items with a file have a matter's page for their documents,
    others name them in the outline."""

    def __init__(self, meetings: Mapping[str, Sequence[SiteMeeting]]) -> None:
        self._meetings = meetings

    def answer(
        self, method: str, path: str, query: Mapping[str, str], body: bytes,
        headers: Mapping[str, str],
    ) -> tuple[int, str, bytes]:  # fmt: skip
        if path in ("/Citizens/FileOpen.aspx",):
            return show_document(path, query)
        meetings = find_city(self._meetings, headers["Host"])
        page = None if meetings is None else self._find_page(meetings, path, query)
        if page is None:
            return 404, _HTML, b"<h1>Not found</h1>"
        return 200, _HTML, f"<html><body>{page}</body></html>".encode()

    def _find_page(
        self, meetings: Sequence[SiteMeeting], path: str, query: Mapping[str, str]
    ) -> str | None:
        if path == "/Citizens/Calendar.aspx":
            first, last = (_read_day(query[key]) for key in ("From", "To"))
            rows = [_show_row(m) for m in meetings if first <= m.starts.date() <= last]
            return f"<div id='MeetingListCalendar'>{''.join(rows)}</div>"
        number = int(query.get("ID") or 0)
        if path == "/Citizens/Detail_Meeting.aspx":
            return next((_show_outline(m) for m in meetings if m.number == number), None)
        if path == "/Citizens/Detail_LegiFile.aspx":
            matters = ((m, item) for m in meetings for item in m.items)
            found = (each for each in matters if _number_matter(*each) == number)
            return next((_show_matter(*each) for each in found), None)
        return None


def _read_day(text: str) -> date:
    return datetime.strptime(text, "%m/%d/%Y").date()


def _number_matter(meeting: SiteMeeting, item: SiteItem) -> int:
    return meeting.number * 100 + int(item.number)


def _show_link(name: str, address: str | None) -> str:
    if address is None:
        return _HIDDEN.format(name=name)
    return f"<div>&nbsp;<a href='{address}' class='' target='_blank'>{name}</a>&nbsp;</div>"


def _show_row(meeting: SiteMeeting) -> str:
    clock = meeting.starts.strftime("%I:%M %p").lstrip("0")
    status = "Cancelled" if meeting.cancelled else "Scheduled"
    tooltip = (
        f"{meeting.starts.strftime('%A, %B %d, %Y').upper()}  {clock}&#13;&#13;"
        f"Board:&#09;{escape(meeting.body)}&#13;Type:&#09;Regular&#13;Status:&#09;{status}"
        f"&#13;&#13;&#09;{escape(meeting.location)}"
    )
    number = meeting.number
    agenda = f"FileOpen.aspx?Type=14&ID={number}&Inline=True" if meeting.items else None
    minutes = f"FileOpen.aspx?Type=12&ID={number}&Inline=True" if meeting.minutes else None
    mark = "<span class='MeetingCancelled'>Cancelled</span>" if meeting.cancelled else ""
    return (
        "<div class='Row MeetingRow'><div class='RowTop'><div class='RowLink'>"
        f"<a href='/Citizens/Detail_Meeting.aspx?ID={number}' title=\"{tooltip}\">"
        f"{meeting.starts.strftime('%b %d, %Y')} {clock} </a></div>{mark}"
        f"<div class='RowRight MeetingLinks'>{_show_link('Agenda', agenda)}"
        f"{_show_link('Minutes', minutes)}</div></div>"
        f"<div class='RowBottom'><div class='RowDetails'>{escape(meeting.title)}</div></div></div>"
    )


def _show_outline(meeting: SiteMeeting) -> str:
    lines = "".join(_show_item(meeting, item) for item in meeting.items)
    return (
        "<span id='ContentPlaceholder1_lblOutline'><table id='MeetingDetail'>"
        "<tr><td class='Num'><strong></strong></td><td class='Title' colspan='10'>"
        f"<strong>New Business</strong></td></tr>{lines}</table></span>"
    )


def _show_item(meeting: SiteMeeting, item: SiteItem) -> str:
    matter = _number_matter(meeting, item)
    address = f"Detail_LegiFile.aspx?Frame=&MeetingID={meeting.number}&ID={matter}&CssClass="
    name = f"{item.file} : {escape(item.title)}" if item.file else escape(item.title)
    documents = "" if item.file else "".join(
        "<tr><td></td><td></td><td class='Num'>a. </td><td class='Title'>"
        f"<a href='FileOpen.aspx?Type=4&ID={matter}{place}&MeetingID={meeting.number}'>{each}</a>"
        "</td></tr>"
        for place, each in enumerate(item.attachments)
    )  # fmt: skip
    return (
        f"<tr><td></td><td class='Num'>{item.number}. </td><td class='Title' colspan='9'>"
        f"<a href='{address}'>{name}</a></td></tr>{documents}"
    )


def _show_matter(meeting: SiteMeeting, item: SiteItem) -> str:
    links = "".join(
        f"<a href='FileOpen.aspx?Type=4&ID={_number_matter(meeting, item)}{place}'>{name}</a>"
        for place, name in enumerate(item.attachments)
    )
    return (
        "<table id='tblLegiFileInfo'><tr><th>Category:</th><td>Contract</td></tr></table>"
        f"<div id='divAttachments'>{links}</div>"
    )
