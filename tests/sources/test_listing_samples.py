"""Every listing among the real payloads is read, by the options that fit its portal.

The payloads are not part of the repository; the quirks they have are tested elsewhere on bodies
of our own.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from assay.sources.listing import Listing, ListingOptions, check_options, read_listing

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="there is no ../shared/samples here")


@dataclass(frozen=True, slots=True)
class Sample:
    """A payload, how to read it, and what must come out."""

    path: str
    strategy: str
    url: str
    items: int
    options: dict[str, Any] = field(default_factory=dict)
    parts: int = 0
    titled: int | None = None
    """Items with a title; all of them unless said."""
    dated: int | None = None
    first: str | None = None


def _legistar(path: str, client: str, items: int, *columns: str | int) -> Sample:
    return Sample(
        f"civic/{path}", "HTML_TABLE", f"https://{client}.legistar.com/Calendar.aspx", items,
        {"columns": {"title": "Name", "date": "Meeting Date", "link": columns},
         "date_formats": ["%m/%d/%Y"], "hosts": ["media.legistar.com"]}, dated=items,
    )  # fmt: skip


def _civicplus(path: str, host: str, items: int, date: str) -> Sample:
    return Sample(
        f"civic/{path}", "HTML_TABLE", f"https://{host}/AgendaCenter", items,
        {"item": "tr.catAgendaRow", "title": "p", "date": date,
         "include": ["/AgendaCenter/ViewFile/*"]}, dated=items,
    )  # fmt: skip


def _granicus(path: str, host: str, items: int, dated: int, **options: Any) -> Sample:
    return Sample(f"civic/{path}", "HTML_LIST", f"https://{host}/ViewPublisher.php", items,
                  {"link": "a[href*=AgendaViewer]", **options}, dated=dated)  # fmt: skip


_NN = "https://narodne-novine.nn.hr/sitemap_1_2018_42.xml"
_CLERK = (
    "https://a.api.civicclerk.com/v1/Meetings/GetMeetingFileStream(fileId={fileId},plainText=false)"
)
_NOVUS = {"item": "tr.rgRow, tr.rgAltRow", "columns": {"date": 1, "title": 2},
          "date_formats": ["%m/%d/%y"]}  # fmt: skip

LISTINGS = [
    Sample("regulatory/generic_sitemap.xml", "SITEMAP_XML", "https://www.sitemaps.org/s.xml", 84,
           titled=0, first="https://www.sitemaps.org/"),
    Sample("regulatory/generic_sitemap.xml.gz", "SITEMAP_XML", "https://www.sitemaps.org/s.xml",
           84, titled=0),
    Sample("regulatory/generic_sitemap_index.xml", "SITEMAP_XML", "http://www.example.com/s.xml",
           0, parts=2),
    Sample("regulatory/nn_sitemap_1_2018_42.xml", "SITEMAP_XML", _NN, 45, titled=0),
    Sample("regulatory/nn_sitemap_1_2018_42.xml", "SITEMAP_XML", _NN, 22, {"include": ["/eli/*"]},
           titled=0, first="https://narodne-novine.nn.hr/eli/sluzbeni/2018/42/805"),
    Sample("regulatory/generic_feed.rss", "RSS_FEED", "http://www.example.com/feed", 1, dated=1),
    Sample("regulatory/generic_feed.atom", "RSS_FEED", "http://example.org/feed", 2, dated=0),
    Sample("regulatory/generic_jsonfeed.json", "RSS_FEED", "https://feeds.npr.org/1019/feed.json",
           25, {"hosts": ["*.npr.org"]}, dated=25),
    Sample("regulatory/eu_cellar_sparql_results.json", "JSON_API",
           "http://publications.europa.eu/webapi/rdf/sparql", 4,
           {"items": "results.bindings", "url": "cellarURIs.value", "title": "format.value"}),
    Sample("regulatory/ecfr_search.json", "JSON_API", "https://www.ecfr.gov/api/search/v1/results",
           2, {"items": "results", "title": "headings.section", "date": "starts_on",
               "url_template": "/on/{starts_on}/title-{hierarchy.title}/{hierarchy.section}"},
           dated=2),
    Sample("regulatory/ecfr_versions_title15_744_3.json", "JSON_API", "https://www.ecfr.gov/api",
           4, {"items": "content_versions", "title": "name", "date": "amendment_date",
               "url_template": "/on/{date}/title-{title}/{identifier}"}, dated=4),
    Sample("regulatory/federalregister_search.json", "JSON_API",
           "https://www.federalregister.gov/api/v1/documents.json", 2,
           {"url": "html_url", "date": "publication_date"}, parts=1, dated=2),
    Sample("civic/legistar_api_events_mecklenburg_trimmed.json", "JSON_API",
           "https://webapi.legistar.com/v1/mecklenburg/Events", 2,
           {"url": "EventInSiteURL", "title": "EventBodyName", "date": "EventDate",
            "hosts": ["*.legistar.com"], "page_param": "$skip", "first_page": 0,
            "page_step": 1000, "page_size": 1000}, dated=2),
    Sample("civic/legistar_api_matterhistories_chicago.json", "JSON_API",
           "https://webapi.legistar.com/v1/chicago/matters/1/histories", 3,
           {"url_template": "/v1/chicago/histories/{MatterHistoryId}", "title":
            "MatterHistoryActionName", "date": "MatterHistoryActionDate"}, dated=3),
    Sample("civic/legistar_api_matterindexes_metro.json", "JSON_API",
           "https://webapi.legistar.com/v1/metro/matters/5036/indexes", 1,
           {"url_template": "/v1/metro/indexes/{MatterIndexIndexId}", "title": "MatterIndexName"}),
    Sample("civic/legistar_calendar_rows_chiparks.json", "JSON_API",
           "https://chicagoparkdistrict.legistar.com/Calendar.aspx", 19,
           {"url": "iCalendar.url", "title": "Name", "date": '["Meeting Date"]',
            "date_formats": ["%m/%d/%Y"]}, dated=19),
    Sample("civic/primegov_listarchived_claytoncountyga.json", "JSON_API",
           "https://claytoncountyga.primegov.com/api/v2/PublicPortal/ListArchivedMeetings", 53,
           {"items": "[*].documentList[*]", "title": "^.title", "date": "^.dateTime",
            "changed": "publishDate", "url_template": "/Public/CompiledDocument"
            "?meetingTemplateId={templateId}&compileOutputType={compileOutputType}"}, dated=53),
    Sample("civic/civicclerk_events_southfultonga.json", "JSON_API",
           "https://a.api.civicclerk.com/v1/Events", 2,
           {"items": "value[*].publishedFiles[*]", "title": "^.eventName",
            "date": "^.startDateTime", "url_template": _CLERK}, dated=2),
    Sample("civic/civicclerk_events_tulsa_trimmed.json", "JSON_API",
           "https://a.api.civicclerk.com/v1/Events", 6,
           {"items": "value[*].publishedFiles[*]", "title": "name", "date": "^.startDateTime",
            "url_template": _CLERK}, dated=6),
    Sample("civic/civicweb_meetings_lascruces.json", "JSON_API", "https://a.civicweb.net/Services",
           10, {"url_template": "/Portal/MeetingInformation.aspx?Id={Id}", "title": "Name",
                "date": "MeetingDateTime"}, dated=10),
    Sample("civic/civicweb_meetingdocuments_lascruces.json", "JSON_API", "https://a.civicweb.net/",
           3, {"url_template": "/document/{Id}", "title": "Name"}),
    Sample("civic/civicweb_videolink_lascruces.json", "JSON_API", "https://a.civicweb.net/api", 1,
           {"url_template": "/video/{YouTubeEventId}", "date": "MeetingDate"}, titled=0, dated=1),
    Sample("civic/boarddocs_meetinglist_cvsd.json", "JSON_API", "https://go.boarddocs.com/wa/cvsd",
           664, {"url_template": "/wa/cvsd/Board.nsf/goto?open&id={unique}", "title": "name",
                 "date": "numberdate", "date_formats": ["%Y%m%d"]}, dated=664),
    _granicus("granicus_viewpublisher_tulsa.html", "tulsa-ok.granicus.com", 17, 16,
              item="tr.listingRow", title="td[headers=Name]", date="td[headers^=Date]"),
    _granicus("granicus_viewpublisher_rta.html", "rtachicago.granicus.com", 116, 116,
              item="div.row", title="span.committee", date="div"),
    _granicus("granicus_viewpublisher_rta_upcoming.html", "rtachicago.granicus.com", 2, 2,
              item="#upcoming div.row", title="span.committee", date="div"),
    Sample("civic/iqm2_calendar_norcross.html", "HTML_LIST", "https://a.iqm2.com/Citizens/", 12,
           {"item": "div.MeetingRow", "link": ".RowLink a", "title": ".RowDetails",
            "date": ".RowLink a"}, dated=12),
    Sample("civic/novusagenda_list_dinuba.html", "HTML_TABLE", "https://a.novusagenda.com/x/", 6,
           {**_NOVUS, "link": "a[href*=DisplayAgendaPDF]"}, dated=6),
    Sample("civic/novusagenda_list_dinuba.html", "HTML_TABLE", "https://a.novusagenda.com/x/", 4,
           {**_NOVUS, "link": "a[onclick*=MeetingView]@onclick"}, dated=4),
    _civicplus("civicplus_agendacenter_chowchilla.html", "a.us", 45, "strong@aria-label"),
    _civicplus("civicplus_updatecategorylist_anthony.html", "a.us", 5, "strong@aria-label"),
    _civicplus("civicplus_search_results.html", "a.us", 88, "h4 strong"),
    Sample("civic/municode_publishpage_clovis.html", "HTML_TABLE",
           "https://meetings.municode.com/PublishPage/index", 28,
           {"columns": {"link": ["Agenda", "Packet", "Minutes"], "title": "Meeting",
                        "date": "Date"}, "date_formats": ["%m/%d/%Y"]}, dated=28),
    _legistar("legistar_calendar_charlotte_snippet.html", "charlottenc", 2, "Meeting Details",
              "Agenda"),
    # Not one of its meetings has a page or a paper yet, only an entry for the diary.
    _legistar("legistar_calendar_lametro.html", "metro", 0, "Meeting Details", "Agenda"),
    _legistar("legistar_calendar_lametro.html", "metro", 14, 3),
    _legistar("legistar_calendar_chicago.html", "chicago", 16, "Meeting Details", "Notice",
              "Agenda", "Summary"),
]  # fmt: skip


def read(sample: Sample) -> Listing:
    options = ListingOptions.model_validate(sample.options)
    check_options(sample.strategy, options)
    return read_listing(sample.strategy, (SAMPLES / sample.path).read_bytes(), sample.url, options)


@pytest.mark.parametrize("sample", LISTINGS, ids=lambda sample: sample.path)
def test_a_real_listing_is_read(sample: Sample) -> None:
    listing = read(sample)
    assert (len(listing.items), len(listing.parts)) == (sample.items, sample.parts)
    titled = sum(item.title is not None for item in listing.items)
    dated = sum(item.published is not None for item in listing.items)
    assert titled == (sample.items if sample.titled is None else sample.titled)
    assert dated == (sample.dated or 0)
    if sample.first is not None:
        assert listing.items[0].url == sample.first


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("search_page0_100", 100), ("search_start10_10", 10), ("id_empty", 0), ("id_partial", 1),
        ("id_oldstyle", 1), ("id_oldstyle_versioned", 1), ("title_zero", 1),
    ],
)  # fmt: skip
def test_a_real_atom_answer_is_read(name: str, count: int) -> None:
    answer = json.loads((SAMPLES / f"literature/arxiv_api_{name}.json").read_text("utf-8"))
    options = ListingOptions(hosts=("arxiv.org",))
    listing = read_listing("RSS_FEED", answer["body"].encode(), answer["url"], options)
    assert len(listing.items) == count
    assert all(item.title and item.published and item.changed for item in listing.items)
