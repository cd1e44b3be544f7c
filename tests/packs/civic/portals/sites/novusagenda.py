"""A site like NovusAgenda: a grid of meetings in pages, agendas, and cover sheets."""

from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import parse_qs

from tests.packs.civic.portals.sites.generated_civic import find_city, show_document
from tests.packs.civic.portals.sites.model import SiteItem, SiteMeeting

_HTML = "text/html; charset=utf-8"
_HEADS = ("Meeting Date", "Time", "Meeting Type", "Meeting Location", "Online Agenda",
          "Download Agenda", "Legal Minutes")  # fmt: skip
_PAGE_SIZE = 4


class NovusAgendaSite:
    """The pages of generated cities."""

    def __init__(self, meetings: Mapping[str, Sequence[SiteMeeting]]) -> None:
        self._meetings = meetings

    def answer(
        self, method: str, path: str, query: Mapping[str, str], body: bytes,
        headers: Mapping[str, str],
    ) -> tuple[int, str, bytes]:  # fmt: skip
        if path in (
            "/agendapublic/DisplayAgendaPDF.ashx",
            "/agendapublic/AttachmentViewer.ashx",
        ):
            return show_document(path, query)
        meetings = find_city(self._meetings, headers["Host"])
        page = None if meetings is None else self._find_page(meetings, path, query, body)
        if page is None:
            return 404, _HTML, b"<h1>Not found</h1>"
        return 200, _HTML, f"<html><body>{page}</body></html>".encode()

    def _find_page(
        self,
        meetings: Sequence[SiteMeeting],
        path: str,
        query: Mapping[str, str],
        body: bytes,
    ) -> str | None:
        if path == "/agendapublic/":
            return _show_grid(meetings, _read_page_number(body))
        wanted = next((m for m in meetings if str(m.number) == query.get("MeetingID")), None)
        if wanted is None:
            return None
        if path == "/agendapublic/MeetingView.aspx":
            return _show_agenda(wanted)
        if path == "/agendapublic/CoverSheet.aspx":
            number = int(query["ItemID"]) % 100
            return _show_cover(wanted, wanted.items[number - 1])
        return None


def _read_page_number(body: bytes) -> int:
    form = parse_qs(body.decode())
    if "__EVENTTARGET" not in form:
        return 1
    assert form["__VIEWSTATE"] == ["state"], "the form's state was not sent"
    return int(form["__EVENTTARGET"][0].rpartition("$page")[2])


def _show_grid(meetings: Sequence[SiteMeeting], number: int) -> str:
    """One page of the grid, the newest meeting first."""
    ordered = sorted(meetings, key=lambda m: m.starts, reverse=True)
    shown = ordered[(number - 1) * _PAGE_SIZE : number * _PAGE_SIZE]
    heads = "".join(f"<th class='rgHeader'>{head}</th>" for head in _HEADS)
    rows = "".join(_show_row(m) for m in shown)
    has_next = number * _PAGE_SIZE < len(ordered)
    script = f"javascript:__doPostBack('grid$page{number + 1}','')"
    link = f'<a title="Next Page" href="{script}">&gt;</a>'
    return (
        "<form><input type='hidden' name='__VIEWSTATE' value='state'></form>"
        "<div id='SearchAgendasMeetings_radGridMeetings'><table class='rgMasterTable'><thead>"
        f"<tr>{heads}</tr><tr class='rgPager'><td colspan='7'>{link if has_next else ''}</td></tr>"
        f"</thead><tbody>{rows}</tbody></table></div>"
    )


def _show_row(meeting: SiteMeeting) -> str:
    number = meeting.number
    view = (
        "<a onClick=\"javascript:ViewHTML=window.open('MeetingView.aspx?MeetingID="
        f"{number}&amp;MinutesMeetingID=-1&amp;doctype=Agenda','ViewHTML','width=800');\">"
        "<img alt='View Agenda HTML'></a>"
    )
    file = f"<a href='DisplayAgendaPDF.ashx?MeetingID={number}'><img alt='Agenda PDF'></a>"
    minutes = f"<a href='DisplayAgendaPDF.ashx?MinutesMeetingID={number}'><img alt='PDF'></a>"
    name = f"{escape(meeting.title)}{' - CANCELLED' if meeting.cancelled else ''}"
    cells = (
        meeting.starts.strftime("%m/%d/%y"),
        meeting.starts.strftime("%I:%M %p"),
        name,
        escape(meeting.location),
        view if meeting.items else "",
        file if meeting.items else "",
        minutes if meeting.minutes else "",
    )
    return f"<tr class='rgRow'>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _show_agenda(meeting: SiteMeeting) -> str:
    rows = "".join(
        f"<tr><td id='column2'>{item.number}.</td><td id='column4'>"
        f"<a href='CoverSheet.aspx?ItemID={meeting.number}{int(item.number):02d}&amp;"
        f"MeetingID={meeting.number}'>{escape(item.title)}</a></td></tr>"
        for item in meeting.items
    )
    return f"<table><tr><td colspan='2'><b>NEW BUSINESS</b></td></tr>{rows}</table>"


def _show_cover(meeting: SiteMeeting, item: SiteItem) -> str:
    address = f"AttachmentViewer.ashx?AttachmentID={meeting.number}{item.number}"
    links = "".join(
        f"<a href='{address}{place}'>{name}</a>" for place, name in enumerate(item.attachments)
    )
    return f"<div id='ns-ContentArea'><p>About: {escape(item.title)}</p>{links}</div>"
