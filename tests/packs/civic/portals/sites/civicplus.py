"""A CivicPlus AgendaCenter for generated cities."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from html import escape
from urllib.parse import parse_qs

from tests.packs.civic.portals.sites.model import SiteMeeting


class CivicplusSite:
    """Shows one year of each board; a search narrows it to its dates unless `ignores_dates`."""

    def __init__(
        self,
        meetings: Mapping[str, Sequence[SiteMeeting]],
        *,
        ignores_dates: bool = False,
        has_search: bool = True,
    ) -> None:
        self.meetings = meetings
        self.ignores_dates = ignores_dates
        self.has_search = has_search

    def answer(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes,
        headers: Mapping[str, str],
    ) -> tuple[int, str, bytes]:
        city = self.meetings[headers["Host"].split(".")[0]]
        found: str | None = None
        if path == "/AgendaCenter":
            found = self._show_page(city)
        elif path == "/AgendaCenter/Search/" and self.has_search:
            found = self._show_page(city if self.ignores_dates else _narrow(city, query))
        elif path == "/AgendaCenter/UpdateCategoryList" and method == "POST":
            asked = parse_qs(body.decode())
            board = sorted({m.body for m in city})[int(asked["catID"][0]) - 1]
            found = _show_section(int(asked["catID"][0]), board, city, int(asked["year"][0]))
        elif path.startswith("/AgendaCenter/ViewFile/Agenda/") and query.get("html") == "true":
            number = int(path.rpartition("-")[2])
            found = _show_agenda(next(m for m in city if m.number == number))
        if found is None:
            return 404, "text/html", b"<h1>Page Not Found</h1>"
        return 200, "text/html; charset=utf-8", found.encode()

    def _show_page(self, meetings: Sequence[SiteMeeting]) -> str:
        sections = ""
        for number, board in enumerate(sorted({m.body for m in meetings}), 1):
            year = max(m.starts.year for m in meetings if m.body == board)
            section = _show_section(number, board, meetings, year)
            name = f"<h2><span>▼</span>{escape(board)}</h2>"
            sections += f'<div class="listing" id="cat{number}">{name}{section}</div>'
        return f'<html><body><div id="AgendaCenterContent">{sections}</div></body></html>'


def _narrow(meetings: Sequence[SiteMeeting], query: Mapping[str, str]) -> list[SiteMeeting]:
    first, last = (_parse_day(query[name]) for name in ("startDate", "endDate"))
    return [m for m in meetings if first <= m.starts.date() <= last]


def _parse_day(text: str) -> date:
    return datetime.strptime(text, "%m/%d/%Y").date()


def _show_section(number: int, board: str, meetings: Sequence[SiteMeeting], year: int) -> str:
    ours = [m for m in meetings if m.body == board]
    years = "".join(
        f"<li{' class=current' if each == year else ''}>"
        f'<a aria-label="{escape(board)} {each}" href="javascript:changeYear({each}, {number}, '
        f"'a0')\">{each}</a></li>"
        for each in sorted({m.starts.year for m in ours}, reverse=True)
    )
    rows = "".join(_show_row(m) for m in ours if m.starts.year == year)
    return (
        f'<span id="section{number}"><ul class="years">{years}</ul>'
        f"<table><tbody>{rows}</tbody></table></span>"
    )


def _show_row(meeting: SiteMeeting) -> str:
    key = f"_{meeting.starts:%m%d%Y}-{meeting.number}"
    link = f"/AgendaCenter/ViewFile/Agenda/{key}"
    html = f'<li><a class="html" href="{link}?html=true">HTML</a></li>' if meeting.items else ""
    minutes = f'<a href="/AgendaCenter/ViewFile/Minutes/{key}"><img></a>' if meeting.minutes else ""
    title = meeting.title + (" - CANCELLED" if meeting.cancelled else "")
    return (
        f'<tr id="row{meeting.number}abcdef01" class="catAgendaRow"><td><h3>'
        f'<a name="{key}"></a>'
        f'<strong aria-label="Agenda for {meeting.starts:%B %d, %Y}">x</strong></h3>'
        f'<p><a href="{link}">{escape(title)}</a></p></td><td class="minutes">{minutes}</td>'
        f'<td class="downloads"><ol>{html}<li><a href="{link}">PDF</a></li></ol></td></tr>'
    )


def _show_agenda(meeting: SiteMeeting) -> str:
    items = "".join(
        f'<div class="item level2"><span class="bullet"><span>{item.number}.</span></span>'
        f'<div class="title">{escape(item.title)}</div><div class="documents">'
        + "".join(
            f'<a class="file" href="/AgendaCenter/ViewFile/Item/{meeting.number}{place}">{name}</a>'
            for place, name in enumerate(item.attachments)
        )
        + "</div></div>"
        for item in meeting.items
    )
    heading = '<div class="item level1"><div class="title">BUSINESS</div></div>'
    return f'<html><body><div id="divItems">{heading}{items}</div></body></html>'
