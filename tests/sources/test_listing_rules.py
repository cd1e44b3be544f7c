"""The small rules of listings: dates, patterns, options, windows of days."""

import re
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from assay.errors import ContentUnsupported, InvalidInput
from assay.sources.listing import (
    STRATEGIES,
    ListingOptions,
    ListingPart,
    build_first_parts,
    check_options,
    read_listing,
)
from assay.sources.listing.builder import address_matches, matches_glob
from assay.sources.listing.dates import parse_date

TODAY = date(2026, 3, 2)


def build_first_addresses(
    strategy: str, endpoint_url: str, options: ListingOptions, today: date, since: date | None
) -> list[str]:
    return [part.url for part in build_first_parts(strategy, endpoint_url, options, today, since)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-02", "2026-01-02"),
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05+00:00"),
        ("2026-01-02T03:04:05.1+0130", "2026-01-02T03:04:05.100000+01:30"),
        ("2026-01-02 17:00", "2026-01-02T17:00:00"),
        ("2026-01", "2026-01"), ("2026", "2026"), ("in 2026", None), ("item 2026-1", None),
        ("2026-02-30", None), ("20260102", None), ("1/2/2026", None), ("02.03.2026.", None),
        ("Sun, 06 Sep 2009 16:20:00 +0000", "2009-09-06T16:20:00+00:00"),
        ("06 Sep 2009 16:20 GMT", "2009-09-06T16:20:00+00:00"),
        ("Sun, 06 Sep 2009 16:20:00 CET", "2009-09-06T16:20:00"),
        ("Sep 6, 2022 6:30 PM ", "2022-09-06T18:30:00"),
        ("November  7,\u00a02025 - 8:00\u00a0AM", "2025-11-07T08:00:00"),
        ("Agenda for August 23, 2022", "2022-08-23"), ("Dec. 13, 2018", "2018-12-13"),
        ("4. ožujka 2026.", "2026-03-04"), ("13. Dezember 2018", "2018-12-13"),
        ("18 Mar 2026", "2026-03-18"), ("30. veljače 2026.", None), ("May be 12, 2020", None),
        ("/Date(1767312000000)/", "2026-01-02T00:00:00+00:00"),
        ("0001-01-01T00:00:00Z", None), ("1900-01-01T00:00:00Z", None), ("", None), (None, None),
        ("Finance Committee 8:30 AM Dec 13, 2018", "2018-12-13"),
    ],
)  # fmt: skip
def test_a_date_is_taken_where_it_is_plain(text: str | None, expected: str | None) -> None:
    assert parse_date(text) == expected


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        ("9/8/2022", "%m/%d/%Y", "2022-09-08"), ("9/8/2022", "%d/%m/%Y", "2022-08-09"),
        ("09/27/22", "%m/%d/%y", "2022-09-27"), ("27/09/22", "%m/%d/%y", None),
        ("objavljeno 02.03.2026. u 10:15", "%d.%m.%Y", "2026-03-02"),
        ("02.03.2026. 10:15", "%d.%m.%Y. %H:%M", "2026-03-02T10:15:00"),
        ("20240122", "%Y%m%d", "2024-01-22"), ("3.2026", "%m.%Y", "2026-03"),
        ("12/1/2026 12:05 a.m.", "%m/%d/%Y %I:%M %p", "2026-12-01T00:05:00"),
        ("177489360003/30/26", "%s%m/%d/%y", "2026-03-30"),
        ("1767312000", "%s", "2026-01-02T00:00:00+00:00"),
        ("no date", "%d.%m.%Y", None), ("2026-01-02", "%d.%m.%Y", "2026-01-02"),
    ],
)  # fmt: skip
def test_a_format_says_what_figures_mean(text: str, wanted: str, expected: str | None) -> None:
    assert parse_date(text, [wanted]) == expected


@given(st.text(max_size=60), st.text(alphabet="%YmdBHMSps./- ", max_size=8))
def test_no_text_and_no_format_crash_it(text: str, wanted: str) -> None:
    try:
        parse_date(text, [wanted])
    except InvalidInput as error:
        assert "is not a date format" in error.what


@pytest.mark.parametrize(
    ("pattern", "url", "fits"),
    [
        ("/eli/*", "https://a.hr/eli/1?x=2", True), ("/eli/*", "https://a.hr/x/eli/1", False),
        ("*.pdf", "https://a.hr/1.pdf", True), ("*.pdf", "https://a.hr/1.pdf?x=1", False),
        ("/zakon/č?", "https://a.hr/zakon/%C4%8D1", True), ("/a", "https://a.hr/a", True),
        ("https://*.hr/*", "https://a.hr/", True), ("/search?*", "https://a.hr/search?q=1", True),
    ],
)  # fmt: skip
def test_a_pattern_fits_a_path_or_a_whole_address(pattern: str, url: str, fits: bool) -> None:
    assert address_matches(url, [pattern]) is fits


@given(st.text(alphabet="ab", max_size=12), st.text(alphabet="ab*?", max_size=8))
def test_a_pattern_fits_as_an_expression_would(text: str, pattern: str) -> None:
    parts = {"*": ".*", "?": "."}
    same = re.fullmatch("".join(parts.get(letter, letter) for letter in pattern), text)
    assert matches_glob(text, pattern) is (same is not None)


def test_a_pattern_of_many_stars_takes_no_time_to_speak_of() -> None:
    assert not matches_glob("a" * 4000, "*a" * 100 + "b")


def test_a_date_filtered_endpoint_gives_an_address_a_day() -> None:
    url = "https://example.hr/izdanja/{date}"
    options = ListingOptions(days_back=2, address_date="%d.%m.%Y")
    assert build_first_addresses("DATE_FILTERED", url, options, TODAY, None) == [
        "https://example.hr/izdanja/28.02.2026",
        "https://example.hr/izdanja/01.03.2026",
        "https://example.hr/izdanja/02.03.2026",
    ]


def test_months_and_years_are_asked_for_once() -> None:
    options = ListingOptions(days_back=35)
    found = build_first_addresses(
        "DATE_FILTERED", "https://a.hr/{year}/{month}", options, TODAY, None
    )
    assert found == ["https://a.hr/2026/01", "https://a.hr/2026/02", "https://a.hr/2026/03"]
    years = ListingOptions(days_back=100, days_ahead=400)
    found = build_first_addresses("DATE_FILTERED", "https://a.hr/{year}", years, TODAY, None)
    assert found == ["https://a.hr/2025", "https://a.hr/2026", "https://a.hr/2027"]


def test_spans_are_whole_or_in_slices_without_a_hole() -> None:
    url = "https://a.hr/?from={from}&to={to}"
    options = ListingOptions(days_back=9, days_ahead=1)
    assert build_first_addresses("DATE_FILTERED", url, options, TODAY, None) == [
        "https://a.hr/?from=2026-02-21&to=2026-03-03"
    ]
    sliced = options.model_copy(update={"slice_days": 5})
    assert build_first_addresses("DATE_FILTERED", url, sliced, TODAY, None) == [
        "https://a.hr/?from=2026-02-21&to=2026-02-25",
        "https://a.hr/?from=2026-02-26&to=2026-03-02",
        "https://a.hr/?from=2026-03-03&to=2026-03-03",
    ]


@given(
    st.integers(0, 200), st.integers(0, 60), st.integers(1, 90), st.dates(date(2025, 9, 1), TODAY)
)
def test_slices_cover_every_day_once(back: int, ahead: int, size: int, since: date) -> None:
    options = ListingOptions(days_back=back, days_ahead=ahead, slice_days=size, max_pages=10_000)
    days: list[int] = []
    for part in build_first_parts(
        "DATE_FILTERED", "https://a.hr/{from}/{to}", options, TODAY, since
    ):
        begin, end = part.url.removeprefix("https://a.hr/").split("/")
        days += range(
            date.fromisoformat(begin).toordinal(), date.fromisoformat(end).toordinal() + 1
        )
    assert days == list(range(days[0], TODAY.toordinal() + ahead + 1))
    assert days[0] == min(TODAY.toordinal() - back, since.toordinal())


def test_a_long_pause_is_made_up_for_and_the_first_look_may_go_further() -> None:
    url = "https://a.hr/{date}"
    options = ListingOptions(days_back=1, first_days_back=4)
    assert len(build_first_addresses("DATE_FILTERED", url, options, TODAY, None)) == 5
    assert len(build_first_addresses("DATE_FILTERED", url, options, TODAY, TODAY)) == 2
    assert len(build_first_addresses("DATE_FILTERED", url, options, TODAY, date(2026, 2, 20))) == 11


def test_too_many_days_are_refused_and_not_cut() -> None:
    options = ListingOptions(days_back=365, max_pages=100)
    with pytest.raises(InvalidInput, match="more than 100 addresses"):
        build_first_addresses("DATE_FILTERED", "https://a.hr/{date}", options, TODAY, None)
    with pytest.raises(InvalidInput, match="no placeholder for one"):
        build_first_addresses("DATE_FILTERED", "https://a.hr/", options, TODAY, None)


def test_other_endpoints_begin_at_their_own_address() -> None:
    for strategy in set(STRATEGIES) - {"DATE_FILTERED"}:
        found = build_first_addresses(strategy, "https://a.hr/x", ListingOptions(), TODAY, None)
        assert found == ["https://a.hr/x"]


def test_dates_may_go_into_what_is_posted() -> None:
    options = ListingOptions(post_body='{"from": "{from}", "to": "{to}"}', days_back=1)
    assert build_first_parts("DATE_FILTERED", "https://a.hr/api", options, TODAY, None) == [
        ListingPart("https://a.hr/api", number=1, body='{"from": "2026-03-01", "to": "2026-03-02"}')
    ]


@pytest.mark.parametrize(
    "given",
    [
        {"itm": "li"}, {"item": ""}, {"item": "x" * 301}, {"max_pages": 0}, {"first_page": -1},
        {"include": ["x"] * 101}, {"columns": {"links": 1}}, {"columns": {"link": 0}},
        {"shape": "CRAWL"}, {"days_back": 99_999}, {"max_depth": 21},
    ],
)  # fmt: skip
def test_options_that_make_no_sense_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ListingOptions.model_validate(given)


@pytest.mark.parametrize(
    ("strategy", "given"),
    [
        ("HTML_LIST", {"item": "li["}), ("HTML_LIST", {"items": "a[*]"}),
        ("HTML_LIST", {"url_template": "/{id}"}), ("HTML_LIST", {"shape": "HTML_TABLE"}),
        ("JSON_API", {"within": "main"}), ("JSON_API", {"items": "a..b"}),
        ("JSON_API", {"url_template": "/act/id"}), ("JSON_API", {"url_template": "/{a..b}"}),
        ("PAGINATION", {"page_template": "https://a.hr/2"}),
        ("DATE_FILTERED", {"date_formats": ["%Q"]}), ("RSS_FEED", {"date_formats": ["%d%d"]}),
    ],
)  # fmt: skip
def test_options_that_do_not_fit_the_strategy_are_refused(
    strategy: str, given: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput):
        check_options(strategy, ListingOptions.model_validate(given))


def test_options_survive_json() -> None:
    options = ListingOptions.model_validate(
        {"columns": {"link": ["Agenda", 3], "date": 1}, "include": ["/a*"], "next": "a.n"}
    )
    assert ListingOptions.model_validate_json(options.model_dump_json()) == options
    assert options.model_dump(exclude_defaults=True, mode="json")["include"] == ["/a*"]


def test_an_unknown_strategy_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ContentUnsupported, match="SITEMAP_XML, RSS_FEED, HTML_LIST, HTML_TABLE"):
        read_listing("CRYSTAL_BALL", b"", "https://a.hr/")


def test_a_date_filtered_page_is_read_in_the_shape_that_it_names() -> None:
    options = ListingOptions(shape="JSON_API", items="d", url="u")
    found = read_listing("DATE_FILTERED", b'{"d": [{"u": "/1"}]}', "https://a.hr/2026", options)
    assert [item.url for item in found.items] == ["https://a.hr/1"]
