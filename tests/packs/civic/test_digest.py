"""Digests: everything that a reader wants to know, with its sources, and nothing that runs."""

import re
from itertools import pairwise

import pytest
from lxml import html  # type: ignore[import-untyped]

from assay.app import App
from assay.clock import TurnedClock
from assay.errors import InvalidInput, NotFound
from assay.packs.civic.outputs.digest import Digest, build_digest, format_start
from assay.packs.civic.outputs.digest_html import render_html
from assay.packs.civic.outputs.digest_markdown import render_markdown
from tests.packs.civic.town import BRIDGE, CITY, DOCUMENTS, DROPPED, EVIL, MOVED, NEXT, PACKET, PAST
from tests.packs.civic.town import town as town


def make_digest(app: App, topic: str | None = None, since: str = "2026-04-01") -> Digest:
    return build_digest(app.services, since, CITY, topic)


def test_a_digest_says_what_was_decided_what_comes_up_and_what_changed(town: App) -> None:
    (city,) = make_digest(town).cities
    assert [m.meeting_id for m in city.decided] == [PAST]
    assert [m.meeting_id for m in city.upcoming] == [NEXT, MOVED, PACKET]
    assert [(m.meeting_id, m.change) for m in city.changed] == [
        (DROPPED, "Cancelled"),
        (MOVED, "Moved from Thursday, April 30, 2026, 9:00 AM"),
    ]
    (zoning,) = city.decided[0].items
    assert zoning.outcome == "Adopted, 2-1 (moved by Ann Ray, seconded by Bo Li)"
    assert zoning.votes == (("yes", ("Ann Ray", "Bo Li")), ("no", ("Cy Day",)))
    assert zoning.motions[0].text == "Motion: adopt Ordinance 14. Passed, 2-1 (moved by Ray)"
    assert [source.name for source in zoning.motions[0].sources] == ["Minutes"]
    coming = city.upcoming[0]
    assert coming.items[0].summary[0].sources[0].url == f"{DOCUMENTS}/Staff%20report.pdf"
    assert coming.attending == (
        ("Online", "https://zoom.example.org/j/1"),
        ("Phone", "541-555-0100"),
        ("Comments until", "noon"),
    )
    assert coming.attending_source is not None and coming.attending_source.name == "Agenda"


def test_a_topic_and_a_day_narrow_a_digest(town: App) -> None:
    (city,) = make_digest(town, "budget").cities
    assert [item.item_id for meeting in city.upcoming for item in meeting.items] == [BRIDGE]
    assert city.decided == city.changed == []
    (city,) = make_digest(town, "parks").cities
    assert [meeting.meeting_id for meeting in city.upcoming] == [PACKET]
    assert make_digest(town, since="2026-05-06").cities[0].decided == []
    assert "No meetings." in render_html(make_digest(town, since="2027-01-01"))
    with pytest.raises(InvalidInput, match="not a valid date"):
        make_digest(town, since="2026-02-30")
    with pytest.raises(NotFound):
        build_digest(town.services, "2026-01-01", "elsewhereCA", None)


def test_a_meeting_that_is_over_waits_for_its_decisions(town: App) -> None:
    assert isinstance(town.clock, TurnedClock)
    town.clock.turn(days=30)
    digest = make_digest(town, "budget")
    found = [(m.meeting_id, m.has_results, m.attending) for m in digest.cities[0].decided]
    assert found == [(NEXT, False, ())]
    assert "No decisions published yet." in render_markdown(digest)
    assert "No decisions published yet." in render_html(digest)


def test_a_page_shows_everything_and_runs_nothing(town: App) -> None:
    digest = make_digest(town)
    page = render_html(digest)
    tree = html.document_fromstring(page.encode())
    assert page == render_html(make_digest(town))
    assert not tree.xpath("//script | //img | //link | //*[@onclick] | //iframe")
    addresses = tree.xpath("//a/@href")
    assert addresses and all(re.match(r"https?://", address) for address in addresses)
    assert EVIL in tree.text_content() and EVIL not in page
    headings = [int(element.tag[1]) for element in tree.xpath("//h1 | //h2 | //h3 | //h4 | //h5")]
    assert headings[0] == 1 and headings.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(headings))
    (sentence,) = tree.xpath("//p[contains(., 'would cost $2 million')]")
    assert sentence.xpath(".//a")[0].text == "Staff report"
    assert tree.xpath("/html/@lang") == ["en"] and tree.xpath("//meta[@name='viewport']")


def test_markdown_contains_the_same_and_escapes_what_would_be_markup(town: App) -> None:
    text = render_markdown(make_digest(town))
    lines = text.splitlines()
    assert lines[0] == "# Council meetings since April 1, 2026"
    assert [line for line in lines if line.startswith("###")] == [
        "### Decided", "#### City Council: Regular Meeting",
        "### Coming up", "#### City Council", "#### Work Session", "#### Library Board",
        "### Cancelled or moved", "#### Parks Board", "#### Work Session",
    ]  # fmt: skip
    assert (
        f"  - The repair would cost $2 million. ([Staff report](<{DOCUMENTS}/Staff%20report.pdf>))"
        in lines
    )
    assert "<script" not in text.replace("\\<", "") and "javascript:" not in text
    assert "  - Yes: Ann Ray, Bo Li" in lines and "- Phone: 541-555-0100" in lines


@pytest.mark.parametrize(
    ("starts", "text"),
    [
        ("2026-04-28T00:05", "Tuesday, April 28, 2026, 12:05 AM"),
        ("2026-04-28T12:00", "Tuesday, April 28, 2026, 12:00 PM"),
        ("2026-12-01", "Tuesday, December 1, 2026"),
    ],
)
def test_a_start_is_written_as_people_write_it(starts: str, text: str) -> None:
    assert format_start(starts) == text
