"""Finding addresses in sitemaps, feeds and lists of links."""

import pytest

from assay.errors import ContentUnsupported, ErrorClass
from assay.sources.listing import STRATEGIES, addresses

BASE = "https://example.hr/list/index.html"
SITEMAP = b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc> https://example.hr/b </loc><lastmod>2026-01-01</lastmod></url>
  <url><loc>https://example.hr/a?y=2&amp;x=1</loc></url>
</urlset>"""
FEED = b"""<?xml version="1.0"?>
<rss version="2.0"><channel><link>https://example.hr/</link>
  <item><title>One</title><link>https://example.hr/1</link></item>
  <item><link><![CDATA[https://example.hr/2]]></link></item>
</channel></rss>"""
PAGE = """<html><head><meta charset="utf-8"></head><body>
<a href="#top">Top</a><a name="x">No link</a>
<a href="../zakon/č">Zakon</a><A HREF="/b?x=1&amp;y=2">B</A><a href="c">C</a>
<a href="mailto:a@example.hr">Mail</a><a href="javascript:go()">Go</a>
<!-- <a href="/hidden">hidden</a> --></body></html>""".encode()


def sitemap(*locations: str) -> bytes:
    urls = "".join(f"<url><loc>{location}</loc></url>" for location in locations)
    return f"<urlset>{urls}</urlset>".encode()


def test_a_sitemap_gives_its_locations_in_order_and_normalised() -> None:
    assert addresses("SITEMAP_XML", SITEMAP, BASE) == [
        "https://example.hr/b",
        "https://example.hr/a?x=1&y=2",
    ]


def test_a_sitemap_with_prefixed_names_is_read_alike() -> None:
    body = b'<s:urlset xmlns:s="u"><s:url><s:loc>https://example.hr/a</s:loc></s:url></s:urlset>'
    assert addresses("SITEMAP_XML", body, BASE) == ["https://example.hr/a"]


def test_a_feed_gives_the_links_of_its_items_and_not_its_own() -> None:
    assert addresses("RSS_FEED", FEED, BASE) == ["https://example.hr/1", "https://example.hr/2"]


def test_a_page_gives_its_links_made_absolute() -> None:
    assert addresses("HTML_LIST", PAGE, BASE) == [
        "https://example.hr/zakon/%C4%8D",
        "https://example.hr/b?x=1&y=2",
        "https://example.hr/list/c",
    ]


def test_the_encoding_of_a_page_is_the_one_that_it_names() -> None:
    body = '<meta charset="windows-1250"><a href="/č">x</a>'.encode("cp1250")
    assert addresses("HTML_LIST", body, BASE) == ["https://example.hr/%C4%8D"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_other_hosts_are_dropped(strategy: str) -> None:
    urls = ["https://other.hr/a", "https://sub.example.hr/b", "//example.hr.evil.test/c"]
    kept = "http://EXAMPLE.hr:8080/d"
    bodies = {
        "SITEMAP_XML": sitemap(*urls, kept),
        "RSS_FEED": "<rss>{}</rss>".format(
            "".join(f"<item><link>{url}</link></item>" for url in (*urls, kept))
        ).encode(),
        "HTML_LIST": "".join(f'<a href="{url}">x</a>' for url in (*urls, kept)).encode(),
    }
    assert addresses(strategy, bodies[strategy], BASE) == ["http://example.hr:8080/d"]


def test_an_address_is_given_once_however_it_is_spelt() -> None:
    body = sitemap(
        "https://example.hr/a?x=1&amp;y=2",
        "https://EXAMPLE.hr:443/a?y=2&amp;x=1#part",
        "https://example.hr/b",
        "https://example.hr/a?x=1&amp;y=2",
    )
    assert addresses("SITEMAP_XML", body, BASE) == [
        "https://example.hr/a?x=1&y=2",
        "https://example.hr/b",
    ]


@pytest.mark.parametrize("before", [b"\n", b"  \r\n\t\n"])
def test_a_blank_line_before_the_declaration_is_forgiven(before: bytes) -> None:
    assert addresses("SITEMAP_XML", before + SITEMAP, BASE) == addresses(
        "SITEMAP_XML", SITEMAP, BASE
    )
    assert len(addresses("RSS_FEED", before + FEED, BASE)) == 2


@pytest.mark.parametrize("strategy", ["SITEMAP_XML", "RSS_FEED"])
@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">',
        '<!ENTITY x SYSTEM "file:///etc/passwd">',
        '<!ENTITY % p "x">',
    ],
)
def test_entities_are_refused_and_not_expanded(strategy: str, declaration: str) -> None:
    body = f"<!DOCTYPE urlset [{declaration}]><urlset/>".encode()
    with pytest.raises(ContentUnsupported, match="declares entities"):
        addresses(strategy, body, BASE)


def test_what_is_not_well_formed_is_said_to_be_so() -> None:
    for body in (b"<urlset><url>", b"", b"not xml", b"<urlset>&nbsp;</urlset>"):
        with pytest.raises(ContentUnsupported, match="not well-formed") as caught:
            addresses("SITEMAP_XML", body, BASE)
        assert caught.value.error_class is ErrorClass.CONTENT


def test_an_unknown_strategy_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ContentUnsupported, match="SITEMAP_XML, RSS_FEED, HTML_LIST"):
        addresses("CRYSTAL_BALL", b"", BASE)


def test_an_empty_listing_is_empty_and_no_error() -> None:
    assert addresses("SITEMAP_XML", b"<urlset/>", BASE) == []
    assert addresses("HTML_LIST", b"", BASE) == []


@pytest.mark.parametrize("bad", ["http://[x/", "https://example.hr:99999/", "https://example.hr:x"])
def test_an_address_that_cannot_be_read_does_not_sink_the_others(bad: str) -> None:
    body = f'<a href="/a">a</a><a href="{bad}">bad</a><a href="/b">b</a>'.encode()
    assert addresses("HTML_LIST", body, BASE) == ["https://example.hr/a", "https://example.hr/b"]


def test_the_location_of_an_image_in_a_sitemap_is_no_document() -> None:
    body = (
        b'<urlset xmlns:image="i"><url><loc>https://example.hr/a</loc><image:image>'
        b"<image:loc>https://example.hr/a.png</image:loc></image:image></url></urlset>"
    )
    assert addresses("SITEMAP_XML", body, BASE) == ["https://example.hr/a"]


def test_a_page_that_names_no_real_encoding_is_read_as_utf_8() -> None:
    body = b'<meta charset="undefined"><a href="/a">a</a>'
    assert addresses("HTML_LIST", body, BASE) == ["https://example.hr/a"]


def test_an_atom_feed_gives_the_addresses_of_its_entries() -> None:
    feed = b"""<?xml version="1.0"?>
    <feed xmlns="http://www.w3.org/2005/Atom"><link href="http://a.test/"/>
      <entry><link rel="self" href="http://a.test/1.atom"/><link href="http://a.test/1"/></entry>
      <entry><link rel="alternate" href="/2"/><link rel="enclosure" href="/2.mp3"/></entry>
    </feed>"""
    found = addresses("RSS_FEED", feed, "http://a.test/feed")
    assert found == ["http://a.test/1", "http://a.test/2"]


def test_an_index_of_sitemaps_is_refused_and_not_taken_for_an_empty_site() -> None:
    index = b"<sitemapindex><sitemap><loc>http://a.test/s1.xml</loc></sitemap></sitemapindex>"
    with pytest.raises(ContentUnsupported, match="index of sitemaps"):
        addresses("SITEMAP_XML", index, "http://a.test/sitemap.xml")
