"""How to read a listing is found out from the listing itself."""

import gzip
from typing import Any

import pytest

from assay.errors import ContentHostile, ContentUnsupported
from assay.sources.listing import ListingOptions
from assay.sources.proposals import ListingProposal, ListingTrial, recognize_listing, try_listing
from assay.sources.proposals.recognition import find_own_address
from tests.sources import listing_pages as pages

URL = "https://gazette.example/acts/"


def propose(body: bytes, url: str = URL) -> tuple[ListingProposal, ListingTrial]:
    proposal = recognize_listing(body, url)
    assert proposal.strategy is not None
    options = ListingOptions.model_validate(dict(proposal.options))
    return proposal, try_listing(proposal.strategy, body, url, options)


def entries(trial: ListingTrial) -> list[tuple[str | None, str | None, str]]:
    return [
        (item.published, item.title, item.url.removeprefix("https://gazette.example"))
        for item in trial.listing.items
    ]


def test_a_list_is_found_beside_menus_and_tags() -> None:
    proposal, trial = propose(pages.LIST)
    assert proposal.strategy == "HTML_LIST"
    assert dict(proposal.options) == {
        "within": "main", "item": "li.act", "link": "a:not(.tag)", "date": "span.when",
        "date_formats": ["%d.%m.%Y"], "page_param": "page", "first_page": 0,
    }  # fmt: skip
    assert entries(trial) == [
        ("2026-01-31", "Order on chimney sweeping", "/acts/12.html"),
        ("2026-02-05", "Order on market days", "/acts/13.html"),
        ("2026-02-06", "Order on fire brigades", "/acts/14.html"),
    ]
    assert [part.url for part in trial.listing.parts] == [f"{URL}?page=1"]
    assert trial.doubts == ()


def test_articles_are_found_with_the_way_to_older_ones() -> None:
    proposal, trial = propose(pages.ARTICLES)
    assert proposal.options["date"] == "time@datetime"
    assert proposal.options["next"] == "a.next"
    assert entries(trial) == [
        ("2026-03-01T08:00:00+01:00", "Ferries run again", "/2026/ferries"),
        ("2026-02-20", "New fees for berths", "/2026/fees"),
    ]
    assert [part.url for part in trial.listing.parts] == ["https://gazette.example/news/page/2/"]


def test_rows_of_a_table_have_their_titles_and_dates_in_cells() -> None:
    _, trial = propose(pages.TABLE)
    assert entries(trial) == [
        ("2026-01-14", "City council", "/d/1.pdf"),
        ("2026-01-09", "Harbour board", "/d/2.pdf"),
        ("2026-01-07", "Planning board", "/d/3.pdf"),
    ]


def test_an_entry_may_have_several_papers_but_no_recordings() -> None:
    proposal, trial = propose(pages.PAPERS)
    assert proposal.options["link"] == "a[href*=AgendaViewer], a[href*=MinutesViewer]"
    assert entries(trial) == [
        ("2026-03-03", "Finance Committee", "/AgendaViewer.php?clip=1"),
        ("2026-03-03", "Finance Committee", "/MinutesViewer.php?clip=1"),
        ("2026-03-01", "Board of Directors", "/AgendaViewer.php?clip=2"),
        ("2026-03-01", "Board of Directors", "/MinutesViewer.php?clip=2"),
    ]


def test_a_page_without_end_is_refused() -> None:
    with pytest.raises(ContentHostile):
        recognize_listing(b"<html><body>" + b"<div><a href=/x>y</a>" * 3000, URL)


def test_a_list_may_be_in_several_sections() -> None:
    _, trial = propose(pages.YEARS)
    assert [entry[0] for entry in entries(trial)] == [
        "2026-03-03", "2026-03-01", "2025-12-24", "2025-12-01"
    ]  # fmt: skip


def test_dates_that_can_be_read_in_two_ways_are_not_guessed() -> None:
    proposal, trial = propose(pages.UNCLEAR)
    assert [entry[0] for entry in entries(trial)] == [None, None]
    assert proposal.notes == (
        "The order of day and month in its dates is not clear; add date_formats.",
    )
    assert trial.doubts == ("No entry has a date.",)


def test_a_page_without_a_list_gets_no_proposal() -> None:
    assert recognize_listing(pages.PLAIN, URL).strategy is None


def test_what_a_page_links_to_is_named() -> None:
    found = recognize_listing(pages.page("<main></main>", head=pages.FEED_LINK), URL).links
    assert found.feeds == ("https://gazette.example/feed.xml",)
    site = pages.page('<a href="/sitemap_index.xml">Site map</a>')
    assert recognize_listing(site, URL).links.sitemaps == (
        "https://gazette.example/sitemap_index.xml",
    )


@pytest.mark.parametrize(
    ("body", "strategy", "count"),
    [
        (pages.FEED, "RSS_FEED", 1),
        (pages.SITEMAP, "SITEMAP_XML", 2),
        (gzip.compress(pages.SITEMAP), "SITEMAP_XML", 2),
        (b"https://gazette.example/a\nhttps://gazette.example/b\n", "SITEMAP_XML", 2),
    ],
)
def test_other_kinds_are_recognized(body: bytes, strategy: str, count: int) -> None:
    proposal, trial = propose(body)
    assert (proposal.strategy, len(trial.listing.items)) == (strategy, count)


def test_the_list_of_a_json_answer_is_found() -> None:
    proposal, trial = propose(pages.ANSWER)
    assert dict(proposal.options) == {
        "items": "results", "url": "meta.html_url", "title": "title", "date": "published_on",
    }  # fmt: skip
    first = ("2026-01-31", "Order on dogs", "https://www.gazette.example/acts/7")
    assert entries(trial)[0] == first


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"count": 2}', "no list of objects"),
        (b'[{"id": 1, "name": "x"}]', r"their fields: id, name"),
        (b"%PDF-1.7", "a PDF file"),
        (b"plain words", "plain text"),
    ],
)
def test_what_lists_nothing_is_refused_with_a_reason(body: bytes, words: str) -> None:
    with pytest.raises(ContentUnsupported, match=words):
        recognize_listing(body, URL)


@pytest.mark.parametrize(
    ("options", "empty"),
    [
        ({"item": "li.ac", "date": "time"}, [("item", 0, 1), ("date", 0, 0)]),
        ({"item": "li.act", "date": "time"}, [("item", 3, 1), ("date", 0, 3)]),
        ({"item": "li.act", "link": "a.tag"}, [("item", 3, 1), ("link", 3, 3)]),
    ],
)
def test_a_trial_counts_what_each_selector_matches(
    options: dict[str, Any], empty: list[tuple[str, int, int]]
) -> None:
    trial = try_listing("HTML_LIST", pages.LIST, URL, ListingOptions.model_validate(options))
    assert [(s.option, s.matches, s.within) for s in trial.selectors] == empty


def test_a_region_that_is_not_there_is_reported_with_its_selector() -> None:
    trial = try_listing("HTML_LIST", pages.LIST, URL, ListingOptions(within="#nowhere"))
    assert trial.error.startswith("Nothing is at '#nowhere'")
    assert [(s.option, s.matches) for s in trial.selectors] == [("within", 0)]


def test_links_of_a_menu_are_noticed() -> None:
    trial = try_listing("HTML_LIST", pages.LIST, URL, ListingOptions())
    assert "4 entries look like a menu: Home, Contact, Imprint and others." in trial.doubts


def test_a_saved_page_may_say_where_it_is_from() -> None:
    said = pages.page("", head='<link rel="canonical" href="https://gazette.example/acts/">')
    assert find_own_address(said) == URL
    assert find_own_address(pages.LIST) is None
