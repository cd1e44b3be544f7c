"""The pages of council meetings: what they say, where they lead, and that they only show."""

from datetime import date
from html import unescape
from itertools import pairwise

import pytest

from assay.app import App
from assay.app.principals import Role
from assay.packs.civic.month import MOST_LISTED, parse_month, read_month, shift_month
from assay.packs.civic.records import AgendaItem, City, Matter
from assay.packs.civic.watches import add_watch, report_news
from tests.console.conftest import open_console
from tests.packs.civic.town import (
    BRIDGE,
    CITY,
    DROPPED,
    EVIL,
    MOVED,
    NEXT,
    PAST,
    ZONING,
    build_item,
    build_meeting,
    store,
)
from tests.packs.civic.town import town as town


def read_page(app: App, path: str, status: int = 200, /, **query: str) -> str:
    """A page as a person with the fewest rights sees it; spaces are single."""
    answer = open_console(app, "ivo", Role.READER).get(path, params=query)
    assert answer.status_code == status, answer.text
    return " ".join(answer.text.split())


def test_the_calendar_shows_a_month_and_leads_to_those_around_it(town: App) -> None:
    page = read_page(town, "/civic/meetings")
    assert "<h2>April 2026</h2>" in page and "4 meetings" not in page
    assert f'<li class="off"><a href="/civic/meetings/{DROPPED}"' in page
    assert 'rel="prev" href="?month=2026-03"' in page and 'href="?month=2026-05"' in page
    assert f"/civic/meetings/{PAST}" in page and f"/civic/meetings/{MOVED}" not in page
    assert f"/civic/meetings/{MOVED}" in read_page(town, "/civic/meetings", month="2026-05")
    empty = read_page(town, "/civic/meetings", month="2020-02")
    assert "No meeting in February 2020." in empty and 'href="?month=2026-05"' in empty


def test_a_day_of_the_calendar_lists_its_own_meetings(town: App) -> None:
    page = read_page(town, "/civic/meetings", day="2026-04-28")
    listed = page.split('<section id="list">')[1]
    assert NEXT in listed and PAST not in listed and "2 items" in listed
    assert "No meeting on that day." in read_page(town, "/civic/meetings", day="2026-04-27")


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"month": "2026-13"}, 400),
        ({"month": "0000-01"}, 400),
        ({"day": "tomorrow"}, 400),
        ({"city": "nowhereCA"}, 404),
        ({"city": "x\x00y"}, 404),
    ],
)
def test_what_cannot_be_shown_is_explained(town: App, query: dict[str, str], status: int) -> None:
    read_page(town, "/civic/meetings/a%00b", 404)
    assert "Traceback" not in read_page(town, "/civic/meetings", status, **query)


def test_months_follow_each_other_until_the_calendar_ends() -> None:
    assert shift_month(date(2026, 12, 1), 1) == "2027-01"
    assert shift_month(date(2026, 1, 1), -1) == "2025-12"
    assert shift_month(date(9998, 12, 1), 1) is None
    assert parse_month(" ", date(2026, 4, 20)) == date(2026, 4, 1)


def test_a_full_month_shows_numbers_and_asks_for_a_day(town: App) -> None:
    crowd = [
        build_meeting(f"{CITY}_c{n}", f"2026-07-{1 + n % 4:02}T10:00") for n in range(MOST_LISTED)
    ]
    store(town, *crowd, build_meeting(f"{CITY}_last", "2026-07-04T23:59"))
    page = read_page(town, "/civic/meetings", month="2026-07")
    assert "Choose a day in the calendar" in page and f"/civic/meetings/{CITY}_c" not in page
    assert f'aria-label="{MOST_LISTED // 4 + 1} meetings on 2026-07-04"' in page
    month = read_month(town.services, date(2026, 7, 1), date(2026, 7, 1), date(2026, 7, 4), CITY)
    assert [m.meeting_id for m in month.days["2026-07-04"]][-1] == f"{CITY}_last"


def test_a_meeting_shows_decisions_with_the_words_that_say_so(town: App) -> None:
    page = read_page(town, f"/civic/meetings/{PAST}")
    assert "Adopted, 2-1 (moved by Ann Ray, seconded by Bo Li)" in page
    assert "<dt>Yes (2)</dt><dd>Ann Ray, Bo Li</dd>" in page and "<dd>Cy Day</dd>" in page
    assert f'href="/civic/matters/{CITY}_26-14"' in page
    assert "The mill district becomes a mixed-use zone." in page
    # The sentence leads to its place in the document, and the motion to the minutes.
    assert "/evidence/ev_ordinance-2026-14?quote=0-9" in page
    assert "/evidence/ev_minutes?quote=0-9" in page
    assert "set aside: roll call" in page


def test_a_meeting_says_what_is_missing(town: App) -> None:
    page = read_page(town, f"/civic/meetings/{NEXT}")
    assert "3 documents not fetched yet." in page
    assert "1 item without a summary" in page
    assert "minutes" not in page.split("What is missing")[1].split("</ul>")[0]
    assert "No agenda items are known yet." in read_page(town, f"/civic/meetings/{MOVED}")
    assert "https://zoom.example.org/j/1" in page


def test_hostile_titles_and_addresses_are_only_words(town: App) -> None:
    for path in (f"/civic/meetings/{NEXT}", "/civic/meetings", "/civic/digest"):
        page = read_page(town, path)
        assert EVIL not in page and "javascript:" not in page
    assert EVIL in unescape(read_page(town, f"/civic/meetings/{NEXT}"))
    strange = read_page(town, "/civic/matters", q=f"{EVIL} \x00 %_")
    assert EVIL not in strange and "No matter contains all of these words." in strange


def test_matters_are_found_by_words_and_by_file(town: App) -> None:
    def list_found(**query: str) -> list[str]:
        page = read_page(town, "/civic/matters", **query)
        return [m for m in (f"{CITY}_26-14", f"{CITY}_bridge") if f'/civic/matters/{m}"' in page]

    assert list_found() == [f"{CITY}_26-14", f"{CITY}_bridge"]
    assert list_found(q="STREET main") == [f"{CITY}_bridge"]
    assert list_found(q="26-1") == [f"{CITY}_26-14"]
    assert list_found(city=CITY, q="street mill") == []
    store(town, build_item(f"{NEXT}_9", "Repair of the town hall's roof"))
    page = read_page(town, "/civic/matters", q="roof")
    assert f"/civic/meetings/{NEXT}#item-{NEXT}_9" in page


def test_all_matters_are_listed_page_by_page(town: App) -> None:
    store(
        town,
        *(Matter(matter_id=f"{CITY}_m{n:03}", banana=CITY, title="Sewer") for n in range(120)),
    )
    seen: list[str] = []
    query = {"q": "sewer"}
    while query:
        page = read_page(town, "/civic/matters", **query)
        seen += [part.split('"')[0] for part in page.split('<td><a href="/civic/matters/')[1:]]
        after = page.split('rel="next" href="?after=')
        query = {"q": "sewer", "after": after[1].split("&")[0]} if len(after) > 1 else {}
    assert len(seen) == len({*seen}) == 120
    assert all(first > second for first, second in pairwise(seen))


def test_a_matter_shows_its_way_through_the_meetings(town: App) -> None:
    page = read_page(town, f"/civic/matters/{CITY}_26-14")
    assert f"/civic/meetings/{PAST}#item-{ZONING}" in page and "2-1" in page
    assert "Tuesday, April 7, 2026" in page and "Cy Day" in page
    coming = read_page(town, f"/civic/matters/{CITY}_bridge")
    assert '<li class="coming">' in coming and f"#item-{BRIDGE}" in coming
    read_page(town, "/civic/matters/none", 404)


def test_the_digest_shows_the_news_of_watches_and_reports_nothing_itself(town: App) -> None:
    page = read_page(town, "/civic/digest", since="2026-04-01")
    assert "Decided: Springfield, OR" in page and "Coming up: Springfield, OR" in page
    assert "No words or matters are watched." in page
    add_watch(town.services, ["bridge"], None, None, None)
    assert "Nothing was reported yet." in read_page(town, "/civic/digest")
    assert len(report_news(town.services, None)) == 1
    page = read_page(town, "/civic/digest")
    assert "on the agenda" in page and f"/civic/meetings/{NEXT}#item-{BRIDGE}" in page
    only = read_page(town, "/civic/digest", since="2026-04-01", topic="zoning")
    assert ZONING in only and f"#item-{BRIDGE}" not in only.split("Decided:")[1]


def test_pages_of_several_cities_choose_one(town: App) -> None:
    store(
        town,
        City(banana="elmOH", name="Elm", state="OH", vendor="primegov", site="elm", timezone="UTC"),
        AgendaItem(item_id="x_1", meeting_id="x", banana="elmOH", evidence_id="e", sequence=1,
                   title="Elm only"),
    )  # fmt: skip
    page = read_page(town, "/civic/meetings", city="elmOH")
    assert '<option value="elmOH" selected>' in page and PAST not in page
    assert "&city=elmOH" in unescape(page)
