"""Legistar's pages of meetings, actions and matters."""

import pytest

from assay.packs.civic.portals.legistar import LegistarTenant, read, recover
from assay.packs.civic.portals.legistar_calendar import request_calendar
from assay.sdk.errors import ContentBroken
from assay.sdk.sources import PortalPage, PortalRequest
from tests.packs.civic.portals.test_legistar import entries, papers
from tests.packs.civic.portals.test_legistar_calendar import (
    BASE,
    PAGER,
    TENANT,
    TODAY,
    draw_grid,
    draw_years,
    list_papers,
)

# Meetings


def detail_request(**context: str) -> PortalRequest:
    known = {"meeting": "web-7", "held": "2026-05-20T18:00", "papers": "", **context}
    return PortalRequest(url=f"{BASE}MeetingDetail.aspx?ID=7", step="detail", context=known)


def read_detail(data: bytes, tenant: LegistarTenant = TENANT, **context: str) -> PortalPage:
    return read(data, detail_request(**context), tenant)


def matter(number: int, file: str) -> str:
    return f'<a href="LegislationDetail.aspx?ID={number}&amp;GUID=G&amp;Options=">{file}</a>'


ACTION = (
    "<a href='#' onclick=\"radopen('HistoryDetail.aspx?ID=88&amp;GUID=H', 'HistoryDetail');"
    'return false;">Action&nbsp;details</a>'
)
COLUMNS = ["File #", "Ver.", "Agenda #", "Name", "Type", "Title", "Action", "Result",
           "Action Details", "Video"]  # fmt: skip


def test_items_of_a_meeting() -> None:
    data = draw_grid(COLUMNS, [
        ["<a>&nbsp;</a>", "1", "&nbsp;", "&nbsp;", "&nbsp;", "CONSENT AGENDA"] + ["&nbsp;"] * 4,
        [matter(21, "26-1"), "2", "1.", "Bridge", "Contract", "Repair of the bridge", "approved",
         "Pass", ACTION, "Not&nbsp;available"],
        ["<a>&nbsp;</a>", "1", "&nbsp;", "&nbsp;", "&nbsp;", "REGULAR AGENDA"] + ["&nbsp;"] * 4,
        [matter(22, "26-2"), "1", "2.", "&nbsp;", "Ordinance", "Zoning", "&nbsp;", "&nbsp;",
         "Action&nbsp;details", "Not&nbsp;available"],
        [matter(22, "26-2"), "1", "3.", "&nbsp;", "Ordinance", "Zoning, again", "tabled", "Fail",
         "Action&nbsp;details", "Not&nbsp;available"],
        [matter(23, "26-3"), "1", "4.", "&nbsp;", "Minutes", "Approval of the minutes"]
        + ["&nbsp;"] * 4,
    ])  # fmt: skip
    page = read_detail(data)
    (agenda,) = entries(list(page.items))
    assert (agenda["meeting"], agenda["part"]) == ("web-7", None)
    first, second, third, fourth = agenda["items"]
    assert [each["sequence"] for each in agenda["items"]] == [1, 2, 3, 4]
    assert [each["vendor_id"] for each in agenda["items"]] == [
        "web-21", "web-22", "web-22-2", "web-23",
    ]  # fmt: skip
    assert (first["number"], first["title"], first["text"]) == (
        "1.", "Repair of the bridge", "Bridge",
    )  # fmt: skip
    assert (first["matter_file"], first["matter_id"], first["matter_type"]) == (
        "26-1", "web-21", "Contract",
    )  # fmt: skip
    assert (first["action"], first["passed"], first["section"], first["consent"]) == (
        "approved", True, "CONSENT AGENDA", True,
    )  # fmt: skip
    assert (second["action"], second["passed"], second["section"], second["consent"]) == (
        None, None, "REGULAR AGENDA", False,
    )  # fmt: skip
    assert (third["action"], third["passed"]) == ("tabled", False)
    # The documents of procedural items are not asked for.
    assert fourth["title"] == "Approval of the minutes"
    assert [(request.step, request.url.partition("?")[0]) for request in page.requests] == [
        ("history", f"{BASE}HistoryDetail.aspx"),
        ("matter", f"{BASE}LegislationDetail.aspx"),
        ("matter", f"{BASE}LegislationDetail.aspx"),
    ]
    quiet = LegistarTenant(site="elmsford", votes=False, attachments=False)
    assert not read_detail(data, quiet).requests


def test_other_columns_and_groups() -> None:
    data = draw_grid(["Video", "Description", "Record Number"], [
        ["", "Repair of the bridge", matter(21, "26-1")],
        ["", "Welcome", ""],
    ]).decode()  # fmt: skip
    data = data.replace(
        '<tr class="rgRow">',
        '<tr class="rgGroupHeader"><td>Hearings</td></tr><tr class="rgRow">',
        1,
    )
    (agenda,) = entries(list(read_detail(data.encode()).items))
    assert [(each["title"], each["section"], each["matter_file"]) for each in agenda["items"]] == [
        ("Repair of the bridge", "Hearings", "26-1")
    ]


def test_comments_are_not_items() -> None:
    said = draw_grid(
        ["File #", "Date", "Name", "Opinion", "Comment", "Action"],
        [[matter(21, "26-1"), "5/19/2026", "Di Yew", "For", "I like it", "+3"]],
    ).decode()
    columns = ["File #", "Ver.", "Agenda #", "Title"]
    data = draw_grid(columns, [[matter(21, "26-1"), "1", "1.", "Bridge"]], said)
    (agenda,) = entries(list(read_detail(data).items))
    assert [each["title"] for each in agenda["items"]] == ["Bridge"]


def test_items_on_several_pages() -> None:
    rows = [[matter(n, f"26-{n}"), f"{n}.", f"Road {n}"] for n in (1, 2)]
    columns = ["File #", "Agenda #", "Title"]
    page = read_detail(draw_grid(columns, rows, draw_years("") + PAGER))
    further = page.requests[-1]
    assert (further.context["items"], further.context["number"]) == ("2", "2")
    assert further.form is not None
    rows = [[matter(3, "26-3"), "3.", "Road 3"]]
    page = read(draw_grid(columns, rows), further, TENANT)
    (agenda,) = entries(list(page.items))
    assert (agenda["part"], agenda["items"][0]["sequence"]) == ("page-2", 3)
    assert page.items[0].url.endswith("web-7/page-2")


def test_papers_that_only_the_page_of_the_meeting_names() -> None:
    links = "".join(
        f'<a href="View.ashx?M={code}&amp;ID=7">{name}</a>'
        for code, name in (("A", "Agenda"), ("IC", "iCal"), ("E2", "Speakers list"))
    )
    data = draw_grid(["File #", "Title"], [[matter(1, "26-1"), "Road"]], links)
    known = read_detail(data, papers=f"{BASE}View.ashx?M=A&ID=7")
    (agenda,) = entries(list(known.items))
    assert list_papers(agenda) == [("other", f"{BASE}View.ashx?M=E2&ID=7")]
    (agenda,) = entries(list(read_detail(data).items))
    assert list_papers(agenda)[0] == ("agenda", f"{BASE}View.ashx?M=A&ID=7")


def test_a_meeting_without_an_agenda() -> None:
    empty = draw_grid(["File #", "Title"], [])
    assert not read_detail(empty).items
    stub = b'<html><body><span id="ctl00_ContentPlaceHolder1_lblDate">x</span></body></html>'
    assert not read_detail(stub).items
    gone = b"<html><body>This record no longer exists.</body></html>"
    assert read_detail(gone).warnings == [f"{BASE}MeetingDetail.aspx?ID=7 was deleted"]
    with pytest.raises(ContentBroken, match="not the page of a meeting"):
        read_detail(b"<html><body>Welcome</body></html>")


def test_a_missing_page_of_a_meeting() -> None:
    page = recover(detail_request(), 404, TENANT)
    assert page is not None
    assert len(page.warnings) == 1
    assert recover(detail_request(), 500, TENANT) is None
    assert recover(request_calendar(TENANT, TODAY), 404, TENANT) is None


# Actions and matters


def test_votes_and_documents_of_an_item() -> None:
    data = draw_grid(
        COLUMNS,
        [[matter(21, "26-1"), "2", "1.", "", "Contract", "Bridge", "approved", "Pass", ACTION, ""]],
    )
    (history,) = read_detail(data).requests
    votes = draw_grid(["Person Name", "Vote"], [
        ['<a href="PersonDetail.aspx?ID=5&amp;GUID=P">Ada Moss</a>', "Aye"],
        ["Ben Oak", "Absent"],
        ["Cy Pine", "&nbsp;"],
    ], '<span id="ctl00_ContentPlaceHolder1_hypMover">Ada Moss</span>')  # fmt: skip
    (further,) = read(votes, history, TENANT).requests
    assert further.url == f"{BASE}LegislationDetail.aspx?ID=21&GUID=G&Options="
    data = b"""<html><body><span id="ctl00_ContentPlaceHolder1_lblType2">Contract</span>
    <span id="ctl00_ContentPlaceHolder1_lblSponsors2">Ada Moss, Ben Oak</span>
    <span id="ctl00_ContentPlaceHolder1_lblAttachments2">1.
    <a href="View.ashx?M=F&amp;ID=1&amp;GUID=A">Map</a>, 2.
    <a href="View.ashx?M=F&amp;ID=2&amp;GUID=B">Costs</a></span></body></html>"""
    page = read(data, further, TENANT)
    (agenda,) = entries(list(page.items))
    assert (agenda["meeting"], agenda["part"]) == ("web-7", "web-21")
    (item,) = agenda["items"]
    assert (item["mover"], item["sponsors"]) == ("Ada Moss", ["Ada Moss", "Ben Oak"])
    assert [(vote["member"], vote["vote"], vote["member_id"]) for vote in item["votes"]] == [
        ("Ada Moss", "yes", "web-5"),
        ("Ben Oak", "absent", None),
    ]
    assert [(paper["kind"], paper["name"]) for paper in item["attachments"]] == [
        ("attachment", "Map"),
        ("attachment", "Costs"),
    ]
    assert papers(list(page.items)) == [
        f"{BASE}View.ashx?M=F&ID=1&GUID=A",
        f"{BASE}View.ashx?M=F&ID=2&GUID=B",
    ]


@pytest.mark.parametrize("step", ["history", "matter"])
def test_other_pages_are_not_details(step: str) -> None:
    data = draw_grid(["File #", "Title"], [[matter(21, "26-1"), "Bridge"]])
    (asked,) = read_detail(data).requests
    request = PortalRequest(url=asked.url, step=step, context=asked.context)
    with pytest.raises(ContentBroken, match="is not the page of"):
        read(b"<html><body>Welcome</body></html>", request, TENANT)
    gone = read(b"<html><body>This record no longer exists.</body></html>", request, TENANT)
    assert (list(gone.items), len(gone.warnings)) == ([], 1)
