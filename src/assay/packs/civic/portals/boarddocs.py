"""BoardDocs: committees on the public page, all meetings of one in a list, agendas to print.

Everything but the public page is asked for by POST. The list has only dates; the time and the
place are in the description at the top of the agenda.
"""

import json
import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import Field

from assay.packs.civic.filters import find_meeting_filter
from assay.packs.civic.portals.boarddocs_agenda import (
    read_details,
    read_outline,
    read_printed_agenda,
)
from assay.packs.civic.portals.listed import ListedMeeting, MeetingStatus
from assay.packs.civic.portals.shared import (
    ENTRIES,
    CivicTenant,
    broken_page_error,
    build_agenda_items,
    build_meeting_items,
    clean,
    find_status,
    parse_moment,
    refuse_garbage,
)
from assay.sdk.records import canonical_json, content_hash
from assay.sdk.sources import Portal, PortalPage, PortalRequest, parse_html, parse_json

_PUBLIC: Final = "a public page of BoardDocs"
_LIST: Final = "a list of BoardDocs meetings"
_ID = re.compile(r"[A-Z0-9]{8,16}")
_RECENT: Final = timedelta(days=21)
"""Until then the agenda of a meeting may still change, and votes are added to it."""


class BoarddocsTenant(CivicTenant):
    """A board at BoardDocs; `site` is the state and the board, such as `wa/cvsd`."""

    committees: dict[str, str] = Field(default_factory=dict)
    """The names of committees by their ids, if the public page does not list them."""

    @property
    def base(self) -> str:
        if "://" in self.site:
            parts = urlsplit(self.site)
            path = re.split(r"/[^/]+\.nsf", parts.path, flags=re.IGNORECASE)[0].strip("/")
            return f"{parts.scheme}://{parts.netloc}/{path}/Board.nsf"
        return f"https://go.boarddocs.com/{self.site.strip().strip('/').lower()}/Board.nsf"


def start(tenant: BoarddocsTenant, today: date, since: date | None) -> list[PortalRequest]:
    """The public page with its committees, or their lists of meetings if they are known."""
    first, last = tenant.find_window(today)
    context = {"from": first.isoformat(), "to": last.isoformat(), "today": today.isoformat()}
    if tenant.committees:
        return [_ask_list(tenant, each, name, context) for each, name in tenant.committees.items()]
    return [PortalRequest(url=f"{tenant.base}/Public", step="public", context=context)]


def recover(request: PortalRequest, status: int, tenant: BoarddocsTenant) -> PortalPage | None:
    """Other requests for the same: a list for search engines, and the parts of an agenda."""
    if status not in {400, 404, 405, 500}:
        # 403 means that there were too many requests, not that there is nothing.
        return None
    if request.step == "public":
        url = f"{tenant.base}/BD-GETMeetingsListForSEO?open"
        further = PortalRequest(url=url, step="meetings", context=dict(request.context))
        return PortalPage(requests=[further])
    if request.step == "agenda":
        return PortalPage(requests=[_post(tenant, "BD-GetMeeting?open", "detail", request.context)])
    return None


def read(data: bytes, request: PortalRequest, tenant: BoarddocsTenant) -> PortalPage:
    """The committees, the meetings of one, or the agenda of one meeting."""
    match request.step:
        case "public":
            return _read_public(data, request, tenant)
        case "detail":
            return _read_detail(data, request, tenant)
        case "agenda" | "outline":
            return _read_agenda(data, request, tenant)
        case _:
            return _read_list(data, request, tenant)


def _post(
    tenant: BoarddocsTenant,
    agent: str,
    step: str,
    context: Mapping[str, str],
    changed: str | None = None,
) -> PortalRequest:
    form = {"current_committee_id": context.get("committee", "")}
    if "meeting" in context:
        form = {"id": context["meeting"], **form}
    return PortalRequest(
        url=f"{tenant.base}/{agent}",
        step=step,
        form=form,
        headers={"Referer": f"{tenant.base}/Public", "X-Requested-With": "XMLHttpRequest"},
        changed=changed,
        context=dict(context),
    )


def _ask_list(
    tenant: BoarddocsTenant, committee: str, name: str, context: Mapping[str, str]
) -> PortalRequest:
    further = {**context, "committee": committee, "body": name}
    return _post(tenant, "BD-GetMeetingsList?open", "meetings", further)


def _read_public(data: bytes, request: PortalRequest, tenant: BoarddocsTenant) -> PortalPage:
    root = parse_html(data, request.url, _PUBLIC)
    names: dict[str, str] = {}
    for node in root.find_all("[committeeid], select[name*=committee] option, select option"):
        committee = (node.get("committeeid") or node.get("value") or "").strip()
        name = clean(node.read_text()) or clean(node.get("aria-label"))
        if _ID.fullmatch(committee) and name:
            names.setdefault(committee, name)
    if not names:
        raise broken_page_error(request.url, _PUBLIC + " with committees")
    asked = [_ask_list(tenant, each, name, request.context) for each, name in names.items()]
    return PortalPage(requests=asked)


def _read_list(data: bytes, request: PortalRequest, tenant: BoarddocsTenant) -> PortalPage:
    rows = refuse_garbage(parse_json(data, request.url, _LIST), list, request.url, _LIST)
    first, last = request.context["from"], request.context["to"]
    found = [(row, _read_meeting(row, request.context.get("body"), tenant.base)) for row in rows]
    if any(rows) and not any(meeting for _, meeting in found):
        raise broken_page_error(request.url, _LIST)
    meetings: list[ListedMeeting] = []
    further: list[PortalRequest] = []
    for row, meeting in found:
        if meeting is None or not first <= meeting.starts[:10] <= last:
            continue
        meetings.append(meeting)
        if _is_wanted(meeting):
            further.append(_ask_agenda(meeting, row, request.context, tenant))
    return PortalPage(items=build_meeting_items(tenant, tenant.base, meetings), requests=further)


def _is_wanted(meeting: ListedMeeting) -> bool:
    is_cancelled = meeting.status is MeetingStatus.CANCELLED
    return not is_cancelled and find_meeting_filter(meeting.title) is None


def _ask_agenda(
    meeting: ListedMeeting,
    row: Mapping[str, Any],
    context: Mapping[str, str],
    tenant: BoarddocsTenant,
) -> PortalRequest:
    """The agenda to print; the list does not say when it changed, so a recent one is asked for
    once a day."""
    stamp = content_hash(canonical_json(dict(row)))
    today = date.fromisoformat(context["today"])
    if date.fromisoformat(meeting.starts[:10]) > today - _RECENT:
        stamp = f"{stamp} {today}"
    asked = {"committee": context.get("committee", ""), "meeting": meeting.vendor_id}
    further = {**asked, "held": meeting.starts[:10]}
    return _post(tenant, "PRINT-AgendaDetailed?open", "agenda", further, stamp)


def _read_meeting(row: Any, body: str | None, base: str) -> ListedMeeting | None:
    """A meeting of a list; its last entry is empty."""
    if not isinstance(row, dict):
        return None
    fields = {str(name).lower(): value for name, value in row.items()}
    vendor_id, day = clean(fields.get("unique")), _find_day(fields)
    if vendor_id is None or day is None:
        return None
    title = clean(fields.get("name")) or "Meeting"
    return ListedMeeting(
        vendor_id=vendor_id,
        title=title,
        body=body or None,
        starts=day,
        status=find_status(title),
        page=f"{base}/goto?open&id={vendor_id}",
        notes=clean(fields.get("description")),
        raw=json.dumps(row, ensure_ascii=False, sort_keys=True),
    )


def _find_day(fields: Mapping[str, Any]) -> str | None:
    number = str(fields.get("numberdate") or "")
    if re.fullmatch(r"\d{8}", number):
        number = f"{number[:4]}-{number[4:6]}-{number[6:]}"
    found = parse_moment(number) or parse_moment(str(fields.get("date") or ""))
    return found[:10] if found else None


def _read_agenda(data: bytes, request: PortalRequest, tenant: BoarddocsTenant) -> PortalPage:
    reader = read_printed_agenda if request.step == "agenda" else read_outline
    agenda = reader(data, request, tenant.base)
    if agenda is None:
        raise broken_page_error(request.url, "a BoardDocs agenda")
    held = request.context["held"]
    return PortalPage(items=build_agenda_items(tenant, tenant.base, agenda, held))


def _read_detail(data: bytes, request: PortalRequest, tenant: BoarddocsTenant) -> PortalPage:
    """The time and place of a meeting, which its outline is stored together with."""
    root = parse_html(data, request.url, "a BoardDocs meeting")
    details = read_details(root)
    if details is None:
        raise broken_page_error(request.url, "a BoardDocs meeting")
    context = {
        **request.context,
        "starts": details.starts or "",
        "location": details.location or "",
    }
    return PortalPage(requests=[_post(tenant, "BD-GetAgenda?open", "outline", context)])


BOARDDOCS = Portal(
    name="boarddocs",
    settings=BoarddocsTenant,
    start=start,
    read=read,
    recover=recover,
    entries=ENTRIES,
)
