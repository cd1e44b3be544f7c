"""A local Legistar: the Web API in its dialects, and the pages of the cities."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from html import escape
from typing import Any
from urllib.parse import parse_qs

from tests.packs.civic.portals.sites.model import SiteItem, SiteMeeting

_CONTRACT = "http://schemas.datacontract.org/2004/07/LegistarWebAPI.Models.v1"
_NIL = "http://www.w3.org/2001/XMLSchema-instance"
_ATOM = (
    '<feed xmlns="http://www.w3.org/2005/Atom" '
    'xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" '
    'xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">'
)
_GRID = "ctl00$ContentPlaceHolder1$grid"
_YEARS = "ctl00$ContentPlaceHolder1$lstYears"
_COUNCIL = (("Ada Moss", "Affirmative"), ("Ben Oak", "Nay"), ("Cy Pine", None))

Answer = tuple[int, str, bytes]


class LegistarSite:
    """Cities at Legistar. `modes` says how a city's API behaves: `json`, `atom`, `contract`,
    `garbage` (lines of print instead of items), `unfiltered` (the filter is ignored), `off`."""

    def __init__(
        self,
        meetings: Mapping[str, Sequence[SiteMeeting]],
        *,
        modes: Mapping[str, str] | None = None,
        today: date = date(2026, 5, 15),
        page_size: int = 100,
        most_rows: int = 1000,
    ) -> None:
        self.meetings = meetings
        self.modes = modes or {}
        self.today = today
        self.page_size = page_size
        self.most_rows = most_rows

    def answer(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes,
        headers: Mapping[str, str],
    ) -> Answer:
        names = [name for name in path.split("/") if name]
        if names[:1] == ["v1"]:
            return self._answer_api(names[1], names[2:], query)
        city = headers.get("Host", "").split(".")[0]
        if names and names[0] in self.meetings:
            city, *names = names
        form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        return self._answer_page(city, names[-1] if names else "", query, form, method)

    # The API

    def _answer_api(self, city: str, names: list[str], query: Mapping[str, str]) -> Answer:
        mode = self.modes.get(city, "json")
        if city not in self.meetings or mode == "off":
            return 500, "application/json", b'{"Message":"An error has occurred."}'
        rows = self._find_rows(city, mode, names, query)
        if rows is None:
            return 404, "application/json", b'{"Message":"Not found."}'
        if mode == "contract":
            return 200, "application/xml", _write_contract(rows).encode()
        if mode == "atom":
            return 200, "application/atom+xml", _write_atom(rows).encode()
        return 200, "application/json", json.dumps(rows).encode()

    def _find_rows(
        self, city: str, mode: str, names: list[str], query: Mapping[str, str]
    ) -> list[dict[str, Any]] | None:
        by_number = {meeting.number: meeting for meeting in self.meetings[city]}
        match [name.lower() for name in names]:
            case ["events"]:
                return self._list_events(city, mode, query)
            case ["events", number, "eventitems"]:
                return _list_items(city, by_number[int(number)], mode)
            case ["eventitems", _, "votes"]:
                return [
                    {"VotePersonName": name, "VoteValueName": vote, "VotePersonId": 10 + place}
                    for place, (name, vote) in enumerate(_COUNCIL)
                ]
            case ["matters", _, "sponsors"]:
                return [{"MatterSponsorName": "Ada Moss", "MatterSponsorSequence": 0}]
        return None

    def _list_events(self, city: str, mode: str, query: Mapping[str, str]) -> list[dict[str, Any]]:
        days = re.findall(r"datetime'([\d-]+)'", query.get("$filter", ""))
        rows = [_write_event(city, meeting) for meeting in self.meetings[city]]
        rows.sort(key=lambda row: str(row["EventDate"]), reverse=True)
        if mode != "unfiltered" and len(days) == 2:
            rows = [row for row in rows if days[0] <= row["EventDate"][:10] < days[1]]
        skip = int(query.get("$skip", "0"))
        # A meeting is added while the pages are read: a row appears twice.
        return rows[max(0, skip - 1) if skip else 0 :][: self.most_rows]

    # The pages

    def _answer_page(
        self, city: str, name: str, query: Mapping[str, str], form: Mapping[str, str], method: str
    ) -> Answer:
        if city not in self.meetings or (method == "POST" and "__VIEWSTATE" not in form):
            return _write_page('<form action="./Error.aspx"></form>Something went wrong.')
        if name == "Calendar.aspx":
            return self._write_calendar(city, form)
        number = int(query.get("ID") or query.get("LEGID") or 0)
        if name == "MeetingDetail.aspx":
            known = [each for each in self.meetings[city] if each.number == number % 100_000]
            return _write_page(_write_detail(known[0]) if known else _GONE)
        if name == "LegislationDetail.aspx":
            return _write_page(_write_matter(self._find_item(city, query["GUID"])))
        if name == "HistoryDetail.aspx":
            return _write_page(_write_history())
        return 404, "text/html", b"<html><body>Not found</body></html>"

    def _find_item(self, city: str, file: str) -> SiteItem:
        items = (item for meeting in self.meetings[city] for item in meeting.items)
        return next(item for item in items if item.file == file)

    def _write_calendar(self, city: str, form: Mapping[str, str]) -> Answer:
        shown, page = "This Month", 1
        if form:
            shown, _, number = form["__VIEWSTATE"].partition("|")
            page = int(number)
        if form.get("__EVENTTARGET") == _YEARS:
            state = form[_YEARS.replace("$", "_") + "_ClientState"]
            shown, page = json.loads(state)["value"], 1
        elif form:
            page = int(form["__EVENTTARGET"].rpartition("$page")[2])
        listed = sorted(self.meetings[city], key=lambda each: each.starts, reverse=True)
        listed = [each for each in listed if self._is_shown(each, shown)]
        years = sorted({each.starts.year for each in self.meetings[city]}, reverse=True)
        start = (page - 1) * self.page_size
        rows = listed[start : start + self.page_size]
        return _write_page(
            f'<form action="./Calendar.aspx">{_write_state(f"{shown}|{page}")}'
            f'<input name="{_YEARS}" value="{shown}">'
            f'<input type="hidden" name="{_YEARS.replace("$", "_")}_ClientState">'
            f'<div id="lstYears_DropDown"><ul>'
            + "".join(f"<li>{year}</li>" for year in ("All Years", *years, "This Month"))
            + '</ul></div><div id="ctl00_ContentPlaceHolder1_MultiPageCalendar">'
            + _write_table(_COLUMNS, [_write_row(each) for each in rows])
            + _write_pager(page, -(-len(listed) // self.page_size))
            + "</div></form>"
        )

    def _is_shown(self, meeting: SiteMeeting, shown: str) -> bool:
        if shown == "This Month":
            return meeting.starts.strftime("%Y-%m") == self.today.strftime("%Y-%m")
        return shown == str(meeting.starts.year)


_GONE = "This record no longer exists. It might have been deleted."
_COLUMNS = (
    "Name", "Meeting Date&nbsp;", '<img alt="ics">', "Meeting Time", "Meeting Location",
    "Meeting Details", "Agenda", "Minutes", "Video",
)  # fmt: skip


def _find_status(meeting: SiteMeeting) -> str:
    return "Cancelled" if meeting.cancelled else "Final" if meeting.items else "Draft"


def _write_event(city: str, meeting: SiteMeeting) -> dict[str, Any]:
    base = f"https://{city}.legistar1.com/{city}/meetings/{meeting.number}"
    return {
        "EventId": meeting.number,
        "EventBodyName": meeting.body,
        "EventDate": meeting.starts.strftime("%Y-%m-%dT00:00:00"),
        "EventTime": meeting.starts.strftime("%I:%M %p").lstrip("0"),
        "EventLocation": meeting.location,
        "EventAgendaStatusName": _find_status(meeting),
        "EventMinutesStatusName": "Final" if meeting.minutes else "Draft",
        "EventAgendaFile": f"{base}_A.pdf" if meeting.items else None,
        "EventMinutesFile": f"{base}_M.pdf" if meeting.minutes else None,
        "EventAgendaLastPublishedUTC": "2026-04-01T08:00:00.1" if meeting.items else None,
        "EventMinutesLastPublishedUTC": None,
        "EventInSiteURL": f"https://{city}.legistar.com/MeetingDetail.aspx?LEGID={meeting.number}",
    }


def _list_items(city: str, meeting: SiteMeeting, mode: str) -> list[dict[str, Any]]:
    if mode == "garbage":
        lines = ("AGENDA", "page break", *(item.title for item in meeting.items), "page break")
        return [
            {"EventItemId": n, "EventItemTitle": line, "EventItemAgendaSequence": n}
            for n, line in enumerate(lines)
        ]
    rows = [{"EventItemId": meeting.number * 1000, "EventItemTitle": "REGULAR AGENDA"}]
    rows += [_write_item(city, meeting, n, item) for n, item in enumerate(meeting.items, 1)]
    return [{**row, "EventItemAgendaSequence": n} for n, row in enumerate(rows, 1)]


def _write_item(city: str, meeting: SiteMeeting, place: int, item: SiteItem) -> dict[str, Any]:
    number = meeting.number * 1000 + place
    return {
        "EventItemId": number,
        "EventItemTitle": item.title,
        "EventItemAgendaNumber": item.number,
        "EventItemMatterFile": item.file,
        "EventItemMatterId": number if item.file else None,
        "EventItemPassedFlag": 1 if meeting.minutes and item.file else None,
        "EventItemActionName": "approved" if meeting.minutes and item.file else None,
        "EventItemMatterAttachments": [
            {
                "MatterAttachmentName": name,
                "MatterAttachmentHyperlink": f"https://{city}.legistar1.com/{number}/{name}",
            }
            for name in item.attachments
        ],
    }


def _write_contract(rows: list[dict[str, Any]]) -> str:
    return (
        f'<ArrayOfGranicusRow xmlns="{_CONTRACT}" xmlns:i="{_NIL}">'
        + "".join(f"<GranicusRow>{_write_fields(row)}</GranicusRow>" for row in rows)
        + "</ArrayOfGranicusRow>"
    )


def _write_fields(row: Mapping[str, Any]) -> str:
    fields: list[str] = []
    for name, value in row.items():
        if value is None:
            fields.append(f'<{name} i:nil="true"/>')
        elif isinstance(value, list):
            inside = "".join(f"<GranicusRow>{_write_fields(each)}</GranicusRow>" for each in value)
            fields.append(f"<{name}>{inside}</{name}>")
        else:
            fields.append(f"<{name}>{escape(str(value))}</{name}>")
    return "".join(fields)


def _write_atom(rows: list[dict[str, Any]]) -> str:
    return _ATOM + "".join(map(_write_entry, rows)) + "</feed>"


def _write_entry(row: Mapping[str, Any]) -> str:
    fields = "".join(
        f'<d:{name} m:null="true"/>'
        if value is None
        else f"<d:{name}>{escape(str(value))}</d:{name}>"
        for name, value in row.items()
        if not isinstance(value, list)
    )
    links = "".join(
        f'<link title="{name}"><m:inline>{_write_atom(value)}</m:inline></link>'
        for name, value in row.items()
        if isinstance(value, list)
    )
    return f"<entry>{links}<content><m:properties>{fields}</m:properties></content></entry>"


def _write_page(body: str) -> Answer:
    return 200, "text/html; charset=utf-8", f"<html><body>{body}</body></html>".encode()


def _write_state(state: str) -> str:
    return f'<input type="hidden" name="__VIEWSTATE" value="{state}">'


def _write_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th class="rgHeader">{column}</th>' for column in columns)
    body = "".join(
        f'<tr class="{"rgAltRow" if n % 2 else "rgRow"}">'
        + "".join(f"<td>{cell}</td>" for cell in row)
        + "</tr>"
        for n, row in enumerate(rows)
    )
    empty = '<tr class="rgNoRecords"><td>No records to display.</td></tr>'
    return (
        f'<table class="rgMasterTable"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body or empty}</tbody></table>"
    )


def _write_pager(page: int, pages: int) -> str:
    if pages < 2:
        return ""
    links = "".join(
        f"""<a {'class="rgCurrentPage"' if n == page else ""}
            href="javascript:__doPostBack('{_GRID}Calendar$ctl00$page{n}','')">{n}</a>"""
        for n in range(1, pages + 1)
    )
    return f'<div class="rgWrap rgNumPart">{links}</div>'


def _write_row(meeting: SiteMeeting) -> list[str]:
    number = meeting.number + 100_000
    known = f"ID={number}&amp;GUID=G{number}"
    missing = "<a>Not&nbsp;available</a>"
    place = f"{escape(meeting.location)}<br><em>{'CANCELLED' if meeting.cancelled else ''}</em>"
    return [
        f'<a href="DepartmentDetail.aspx?ID=9">{escape(meeting.body)}</a>',
        f"{meeting.starts.month}/{meeting.starts.day}/{meeting.starts.year}",
        f'<a href="View.ashx?M=IC&amp;{known}"><img alt="Export"></a>',
        meeting.starts.strftime("%I:%M %p").lstrip("0"),
        place,
        f'<a href="MeetingDetail.aspx?{known}&amp;Options=info|">Meeting&nbsp;details</a>'
        if meeting.items
        else '<a class="meeting_NotViewable">Meeting&nbsp;details</a>',
        f'<a href="View.ashx?M=A&amp;{known}">Agenda</a>' if meeting.items else missing,
        f'<a href="View.ashx?M=M&amp;{known}">Minutes</a>' if meeting.minutes else missing,
        missing,
    ]


def _write_detail(meeting: SiteMeeting) -> str:
    rows = [["<a>&nbsp;</a>", "1", "&nbsp;", "&nbsp;", "REGULAR AGENDA", "&nbsp;", "&nbsp;", ""]]
    for place, item in enumerate(meeting.items, 1):
        number = meeting.number * 1000 + place
        link = f'<a href="LegislationDetail.aspx?ID={number}&amp;GUID={item.file}">{item.file}</a>'
        decided = meeting.minutes and item.file
        action = f"""<a href="#" onclick="radopen('HistoryDetail.aspx?ID=8{number}&amp;GUID=H',
            'HistoryDetail');return false;">Action&nbsp;details</a>"""
        rows.append([
            link if item.file else "<a>&nbsp;</a>", "1", item.number,
            "Ordinance" if item.file else "&nbsp;", escape(item.title),
            "approved" if decided else "&nbsp;", "Pass" if decided else "&nbsp;",
            action if decided else "Action&nbsp;details",
        ])  # fmt: skip
    columns = ("File #", "Ver.", "Agenda #", "Type", "Title", "Action", "Result", "Action Details")
    top = '<span id="ctl00_ContentPlaceHolder1_lblDate">5/1/2026</span>'
    return f'<div id="ctl00_ContentPlaceHolder1_pageTop1">{top}</div>' + _write_table(columns, rows)


def _write_matter(item: SiteItem) -> str:
    links = ", ".join(
        f'<a href="View.ashx?M=F&amp;ID={n}&amp;GUID={item.file}">{escape(name)}</a>'
        for n, name in enumerate(item.attachments, 1)
    )
    return (
        '<span id="ctl00_ContentPlaceHolder1_lblType2">Ordinance</span>'
        '<span id="ctl00_ContentPlaceHolder1_lblSponsors2"><a href="P">Ada Moss</a></span>'
        f'<span id="ctl00_ContentPlaceHolder1_lblAttachments2">{links}</span>'
    )


def _write_history() -> str:
    rows = [[f'<a href="PersonDetail.aspx?ID={n}">{name}</a>', vote or "&nbsp;"]
            for n, (name, vote) in enumerate(_COUNCIL)]  # fmt: skip
    return '<span id="ctl00_ContentPlaceHolder1_hypMover">Ada Moss</span>' + _write_table(
        ("Person Name", "Vote"), rows
    )
