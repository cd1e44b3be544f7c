"""Feeds of every kind, the broken ones too."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError, ContentBroken, ContentUnsupported
from assay.sources.listing import ListedItem, Listing, ListingOptions, ListingPart, read_listing

BASE = "https://example.hr/news/feed.xml"
RSS_2 = """<?xml version="1.0"?>
<rss version="2.0" xmlns:dc="d" xmlns:atom="a"><channel><title>Feed</title>
  <link>https://example.hr/</link><atom:link href="https://example.hr/feed" rel="self"/>
  <item><title>One &amp;amp; only</title><link>https://example.hr/1</link>
    <pubDate>Sun, 06 Sep 2009 16:20:00 +0200</pubDate></item>
  <item><title><![CDATA[<b>Two</b>]]></title><link><![CDATA[ https://example.hr/2 ]]></link>
    <dc:date>2026-01-02</dc:date></item>
  <item><guid>https://example.hr/3</guid></item>
  <item><guid isPermaLink="false">https://example.hr/no</guid><link>/4</link></item>
  <item><guid isPermaLink="false">tag:5</guid><title>No address</title></item>
  <item><atom:link href="https://example.hr/6"/><enclosure url="https://example.hr/6.mp3"/></item>
</channel></rss>"""
ATOM = """<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.hr/base/">
  <link href="https://example.hr/"/><link rel="self" href="/feed"/>
  <link rel="next" href="?page=2"/>
  <entry><title type="html">A &lt;i&gt;law&lt;/i&gt;</title>
    <link rel="self" href="1.atom"/><link href="1"/><id>urn:1</id>
    <published>2026-05-06T07:08:09Z</published><updated>2026-05-07T00:00:00Z</updated></entry>
  <entry xml:base="/deep/"><link rel="alternate" href="2"/>
    <link rel="enclosure" href="2.mp3"/><updated>2026-05-08</updated></entry>
  <entry><id>https://example.hr/by-id</id></entry>
  <entry><link rel="self" href="https://example.hr/only-self"/><id>urn:4</id></entry>
</feed>"""
RDF = """<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/" xmlns:dc="d">
  <channel rdf:about="https://example.hr/"><link>https://example.hr/</link>
    <items><rdf:Seq><rdf:li resource="https://example.hr/1"/></rdf:Seq></items></channel>
  <item rdf:about="https://example.hr/1"><title>One</title><link>https://example.hr/1</link>
    <dc:date>2026-01-02T03:04:05+01:00</dc:date></item>
  <item rdf:about="https://example.hr/2"/>
</rdf:RDF>"""


def read(text: str | bytes, **options: object) -> Listing:
    body = text if isinstance(text, bytes) else text.encode()
    return read_listing("RSS_FEED", body, BASE, ListingOptions.model_validate(options))


def urls(text: str | bytes) -> list[str]:
    return [item.url for item in read(text).items]


def test_rss_gives_the_links_of_its_items_and_not_its_own() -> None:
    listing = read(RSS_2)
    assert listing.items == (
        ListedItem("https://example.hr/1", "One & only", "2009-09-06T16:20:00+02:00"),
        ListedItem("https://example.hr/2", "Two", "2026-01-02"),
        ListedItem("https://example.hr/3"),
        ListedItem("https://example.hr/4"),
        ListedItem("https://example.hr/6"),
    )
    assert listing.warnings == ("1 address is missing from its entry",)
    assert listing.parts == ()


def test_old_rss_is_read_alike() -> None:
    for version in ("0.91", "0.92"):
        body = f'<rss version="{version}"><channel><item><link>/1</link></item></channel></rss>'
        assert urls(body) == ["https://example.hr/1"]
    listing = read(RDF)
    assert listing.items == (
        ListedItem("https://example.hr/1", "One", "2026-01-02T03:04:05+01:00"),
        ListedItem("https://example.hr/2"),
    )


def test_atom_gives_its_entries_from_the_bases_that_it_names() -> None:
    listing = read(ATOM)
    assert listing.items == (
        ListedItem("https://example.hr/base/1", "A law", "2026-05-06T07:08:09+00:00",
              "2026-05-07T00:00:00+00:00"),
        ListedItem("https://example.hr/deep/2", changed="2026-05-08"),
        ListedItem("https://example.hr/by-id"),
        ListedItem("https://example.hr/only-self"),
    )  # fmt: skip
    assert listing.parts == (ListingPart("https://example.hr/base/?page=2", number=2),)


def test_a_feed_is_not_followed_into_what_is_known() -> None:
    options = ListingOptions(max_pages=3)
    body = ATOM.encode()
    assert read_listing("RSS_FEED", body, BASE, options, number=2).parts[0].number == 3
    assert read_listing("RSS_FEED", body, BASE, options, number=3).parts == ()
    assert read_listing("RSS_FEED", body, BASE, options, known=lambda url: True).parts == ()


def test_json_feed_gives_its_items_and_its_next_page() -> None:
    body = {
        "version": "https://jsonfeed.org/version/1.1",
        "next_url": "https://example.hr/feed?p=2",
        "items": [
            {
                "id": "1",
                "url": "https://example.hr/1",
                "title": "0",
                "date_published": "2026-01-02",
            },
            {"id": "https://example.hr/2", "date_modified": "2026-01-03T00:00:00Z"},
            {"id": "3"},
            "odd",
        ],
    }
    listing = read(json.dumps(body))
    assert listing.items == (
        ListedItem("https://example.hr/1", "0", "2026-01-02"),
        ListedItem("https://example.hr/2", changed="2026-01-03T00:00:00+00:00"),
    )
    assert listing.parts == (ListingPart("https://example.hr/feed?p=2", number=2),)
    assert listing.warnings == ("2 addresses are missing from their entries",)


def test_other_json_is_no_feed() -> None:
    with pytest.raises(ContentBroken, match="A JSON object with the fields error came instead of"):
        read(' {"error": "no"}')


def test_an_empty_feed_is_empty_and_no_error() -> None:
    for body in ("<rss><channel/></rss>", '<feed xmlns="http://www.w3.org/2005/Atom"/>'):
        assert read(body) == Listing()


BROKEN = {
    "a bare ampersand": "<title>A & B</title><link>https://example.hr/1?a=1&b=2</link>",
    "names of HTML": "<title>A&nbsp;B &ndash; C</title><link>https://example.hr/1?a=1&amp;b=2</link>",
    "a tag that never closes": "<title>A<br></title><link>https://example.hr/1?a=1&amp;b=2</link>",
}


@pytest.mark.parametrize("inside", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("before", ["", "\n", "<?xml version='1.0' encoding='utf-8'?>"])
def test_a_broken_feed_gets_a_second_try_and_a_warning(before: str, inside: str) -> None:
    body = (
        f"{before}<rss><channel><item>{inside}</item><item><link>/2</link></item></channel></rss>"
    )
    listing = read(body)
    assert [item.url for item in listing.items] == [
        "https://example.hr/1?a=1&b=2", "https://example.hr/2",
    ]  # fmt: skip
    assert listing.items[0].title is not None and listing.items[0].title.startswith("A")
    assert listing.warnings[0].startswith("the feed is not well-formed (")


def test_what_html_names_becomes_its_character_and_data_stays_as_it_is() -> None:
    body = "<rss><item><title>a&nbsp;&ndash;&nbsp;b&unknown;</title><link>/1</link></item>" \
        "<item><title><![CDATA[x &nbsp y]]></title><link>/2</link></item></rss>"  # fmt: skip
    assert [item.title for item in read(body).items] == ["a – b&unknown;", "x y"]


def test_a_broken_entry_does_not_spoil_the_next() -> None:
    body = RSS_2.replace("<item><guid>", "<item><a><b></c><title>Odd</title></item><item><guid>")
    assert urls(body) == urls(RSS_2)
    assert urls(ATOM.replace("<id>urn:1</id>", "<id>urn & 1</id>")) == urls(ATOM)


def test_a_cut_feed_gives_what_came() -> None:
    cut = RSS_2[: RSS_2.index("<item><guid>")]
    assert urls(cut) == ["https://example.hr/1", "https://example.hr/2"]
    with pytest.raises(ContentBroken, match="no entry of it can be read"):
        read(RSS_2[: RSS_2.index("<item>")])


def test_a_broken_feed_in_another_encoding_keeps_its_letters() -> None:
    text = "<?xml version='1.0' encoding='windows-1250'?><rss><item><title>Č & Š</title>" \
        "<link>/1</link></item></rss>"  # fmt: skip
    assert [item.title for item in read(text.encode("cp1250")).items] == ["Č & Š"]


def test_a_packed_feed_is_unpacked() -> None:
    assert urls(gzip.compress(RSS_2.encode())) == urls(RSS_2)


@pytest.mark.parametrize("end", ["", "<oops>"])
def test_entities_are_refused_in_both_tries(end: str) -> None:
    body = f'<!DOCTYPE rss [<!ENTITY a "aaaa">]><rss><item><link>/1</link></item>{end}</rss>'
    with pytest.raises(ContentUnsupported, match="declares entities"):
        read(body)


def test_entries_that_all_have_no_address_are_an_error() -> None:
    with pytest.raises(ContentBroken, match="None of 2 entries of the feed"):
        read("<rss><item><title>a</title></item><item><title>b</title></item></rss>")


def test_a_sitemap_is_no_feed() -> None:
    with pytest.raises(ContentBroken, match="An XML document <urlset> came instead of a feed"):
        read("<urlset><url><loc>https://example.hr/1</loc></url></urlset>")


def test_a_feed_that_only_leads_away_is_an_error() -> None:
    body = "<rss><item><link>https://proxy.test/1</link></item></rss>"
    with pytest.raises(ContentUnsupported, match=r"another host \(proxy.test\)"):
        read(body)
    assert len(read(body, hosts=["proxy.test"]).items) == 1


@given(st.text(alphabet="<>/&;rssitemlnk \"='[]!?-CDATA:", max_size=120))
def test_no_feed_whatever_crashes_it(inside: str) -> None:
    try:
        read(f"<rss><channel>{inside}<item><link>/1</link></item></channel></rss>")
    except AssayError as error:
        assert error.what
