"""BoardDocs for generated boards."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import parse_qs

from tests.packs.civic.portals.sites.model import SiteMeeting


class BoarddocsSite:
    """Boards by their path, such as `oh/elmford`; each body of a meeting is a committee."""

    def __init__(
        self, meetings: Mapping[str, Sequence[SiteMeeting]], *, can_print: bool = True
    ) -> None:
        self.meetings = meetings
        self.can_print = can_print

    def answer(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes,
        headers: Mapping[str, str],
    ) -> tuple[int, str, bytes]:
        board, _, agent = path.strip("/").partition("/Board.nsf/")
        ours = self.meetings[board]
        if method == "GET" and agent == "Public":
            return 200, "text/html", _show_public(ours).encode()
        if headers.get("X-Requested-With") != "XMLHttpRequest" or method != "POST":
            return 403, "text/html", b"<h1>Forbidden</h1>"
        asked = {key: value[0] for key, value in parse_qs(body.decode()).items()}
        bodies = _name_committees(ours)
        committee = bodies[asked["current_committee_id"]]
        if agent == "BD-GetMeetingsList":
            rows = [_show_listed(m) for m in ours if m.body == committee]
            return 200, "application/json", json.dumps([*rows, {}]).encode()
        meeting = next(m for m in ours if _make_id(m) == asked["id"] and m.body == committee)
        if agent == "PRINT-AgendaDetailed" and self.can_print:
            return 200, "text/html", _show_printed(board, meeting).encode()
        if agent == "BD-GetMeeting":
            return 200, "text/html", _show_top(meeting, "").encode()
        if agent == "BD-GetAgenda":
            return 200, "text/html", _show_outline(meeting).encode()
        return 404, "text/html", b"<h1>404</h1>"


def _make_id(meeting: SiteMeeting) -> str:
    return f"DQ3VPX{meeting.number:06d}"


def _name_committees(meetings: Sequence[SiteMeeting]) -> dict[str, str]:
    names = sorted({m.body for m in meetings})
    return {f"A4EP6J{place:06d}": name for place, name in enumerate(names, 1)}


def _show_public(meetings: Sequence[SiteMeeting]) -> str:
    links = "".join(
        f'<a class="dropdown-item committee-trigger" committeeid="{number}">{escape(name)}</a>'
        for number, name in _name_committees(meetings).items()
    )
    return f"<html><body><div id='committees'>{links}</div></body></html>"


def _show_listed(meeting: SiteMeeting) -> dict[str, str]:
    name = ("CANCELLED-" if meeting.cancelled else "") + meeting.title
    day = f"{meeting.starts:%Y%m%d}"
    return {"unique": _make_id(meeting), "name": name, "current": "0", "numberdate": day}


def _show_top(meeting: SiteMeeting, prefix: str) -> str:
    return (
        f'<div class="{prefix}meeting-name">{escape(meeting.title)}</div>'
        f'<div class="{prefix}meeting-date">{meeting.starts:%A, %B %d, %Y}</div>'
        f'<div class="{prefix}meeting-description">{meeting.starts:%I:%M %p}<br>'
        f"{meeting.location}</div>"
    )


def _show_printed(board: str, meeting: SiteMeeting) -> str:
    items = "".join(
        '<div class="container item agendaorder"><dl><dt>Subject</dt>'
        f"<dd>{item.number}. {escape(item.title)}</dd></dl>"
        "<dl><dt>Category</dt><dd>A. BUSINESS</dd></dl><dl><dt>Type</dt><dd>Action</dd></dl>"
        + "".join(
            f'<div class="public-file print-file"><a href="/{board}/Board.nsf/files/'
            f'{meeting.number}/$file/{name}">{name} (109 KB)</a></div>'
            for name in item.attachments
        )
        + "</div>"
        for item in meeting.items
    )
    return f"<html><body>{_show_top(meeting, 'print-')}{items}</body></html>"


def _show_outline(meeting: SiteMeeting) -> str:
    items = "".join(
        f'<li class="item agendaorder" unique="I{item.number}"><div class="actiontype">Action'
        f'<span class="comma">, </span></div><span class="order">{item.number} </span>'
        f'<span class="title">{escape(item.title)}</span></li>'
        for item in meeting.items
    )
    heading = '<dl class="wrap-category"><dt class="category">A. BUSINESS</dt></dl>'
    return f'<div id="agenda-numbering">2</div>{heading if items else ""}{items}'
