"""Sitemaps and indexes of sitemaps: whole, packed, broken, hostile, and as they come."""

import gzip
import random
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import (
    AssayError,
    ContentBroken,
    ContentHostile,
    ContentTooLarge,
    ContentUnsupported,
)
from assay.sources.listing import (
    ListedItem,
    ListingOptions,
    ListingPart,
    SitemapReader,
    read_listing,
)

BASE = "https://example.hr/list/sitemap.xml"
SITEMAP = b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc> https://example.hr/b </loc><lastmod>2026-01-01</lastmod></url>
  <url><loc>https://example.hr/a?y=2&amp;x=1</loc></url>
</urlset>"""
INDEX = b"""<sitemapindex>
  <sitemap><loc>https://example.hr/s1.xml</loc><lastmod>2026-01-02T03:04:05+01:00</lastmod></sitemap>
  <sitemap><loc><![CDATA[https://example.hr/s2.xml.gz]]></loc></sitemap>
</sitemapindex>"""


def sitemap(*locations: str) -> bytes:
    urls = "".join(f"<url><loc>{location}</loc></url>" for location in locations)
    return f"<urlset>{urls}</urlset>".encode()


def urls(body: bytes, **options: object) -> list[str]:
    listing = read_listing("SITEMAP_XML", body, BASE, ListingOptions.model_validate(options))
    return [item.url for item in listing.items]


def test_a_sitemap_gives_its_locations_in_order_and_normalised() -> None:
    listing = read_listing("SITEMAP_XML", SITEMAP, BASE)
    assert listing.items == (
        ListedItem("https://example.hr/b", changed="2026-01-01"),
        ListedItem("https://example.hr/a?x=1&y=2"),
    )
    assert (listing.parts, listing.warnings) == ((), ())


def test_an_index_gives_its_sitemaps_as_parts() -> None:
    assert read_listing("SITEMAP_XML", INDEX, BASE).parts == (
        ListingPart("https://example.hr/s1.xml", "2026-01-02T03:04:05+01:00"),
        ListingPart("https://example.hr/s2.xml.gz"),
    )


@pytest.mark.parametrize(
    "root",
    ['<s:urlset xmlns:s="u">', "<s:urlset>", '<s:urlset xmlns="http://wrong.test/0.84">'],
)
def test_any_name_space_will_do(root: str) -> None:
    body = f"{root}<s:url><s:loc>https://example.hr/a</s:loc></s:url></s:urlset>".encode()
    assert urls(body) == ["https://example.hr/a"]


@pytest.mark.parametrize(
    "before", [b"\n", b"  \r\n\t\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n", b"\n" * 5000]
)
def test_what_stands_before_the_declaration_is_forgiven(before: bytes) -> None:
    assert urls(before + SITEMAP) == urls(SITEMAP)


def test_a_sitemap_in_another_encoding_is_read() -> None:
    text = '<?xml version="1.0" encoding="{}"?><urlset><url><loc>https://example.hr/č</loc></url></urlset>'
    for encoding in ("utf-16", "iso-8859-2", "windows-1250"):
        assert urls(text.format(encoding).encode(encoding)) == ["https://example.hr/%C4%8D"]


def test_pictures_films_and_other_languages_are_no_documents() -> None:
    body = b"""<urlset xmlns:image="i" xmlns:video="v" xmlns:xhtml="x"><url>
      <image:image><image:loc>https://example.hr/a.png</image:loc></image:image>
      <video:video><video:content_loc>https://example.hr/a.mp4</video:content_loc></video:video>
      <xhtml:link rel="alternate" hreflang="de" href="https://example.hr/de/a"/>
      <loc>https://example.hr/a</loc></url></urlset>"""
    assert urls(body) == ["https://example.hr/a"]


def test_a_news_sitemap_tells_title_and_date() -> None:
    body = b"""<urlset xmlns:n="n"><url><loc>https://example.hr/a</loc><n:news>
      <n:publication><n:name>Gazette</n:name></n:publication>
      <n:publication_date>2026-03-04T05:06Z</n:publication_date><n:title>A &amp; B</n:title>
      </n:news></url></urlset>"""
    found = read_listing("SITEMAP_XML", body, BASE).items
    assert found == (ListedItem("https://example.hr/a", "A & B", "2026-03-04T05:06:00+00:00"),)


def test_a_plain_text_sitemap_is_read_line_by_line() -> None:
    body = b"\xef\xbb\xbfhttps://example.hr/a\r\n\r\nhttps://example.hr/b?x=1\nnot an address:\n"
    listing = read_listing("SITEMAP_XML", body + b"https://example.hr/c", BASE)
    assert [item.url for item in listing.items] == [
        "https://example.hr/a", "https://example.hr/b?x=1", "https://example.hr/c",
    ]  # fmt: skip
    assert listing.warnings == ("1 address cannot be read ('not an address:')",)


def test_one_slash_after_the_scheme_is_mended() -> None:
    listing = read_listing("SITEMAP_XML", sitemap("https:/example.hr/eli/1", "/eli/2"), BASE)
    assert [item.url for item in listing.items] == [
        "https://example.hr/eli/1", "https://example.hr/eli/2",
    ]  # fmt: skip
    assert listing.warnings == ("1 address had one slash after its scheme",)


def test_an_empty_sitemap_is_empty_and_no_error() -> None:
    assert read_listing("SITEMAP_XML", b"<urlset/>", BASE).items == ()
    assert read_listing("SITEMAP_XML", b"<sitemapindex></sitemapindex>", BASE).parts == ()


def test_an_address_is_given_once_however_it_is_spelt() -> None:
    body = sitemap(
        "https://example.hr/a?x=1&amp;y=2",
        "https://EXAMPLE.hr:443/a?y=2&amp;x=1#part",
        "https://example.hr/b",
        "https://www.example.hr/b",
    )
    assert urls(body) == [
        "https://example.hr/a?x=1&y=2", "https://example.hr/b", "https://www.example.hr/b",
    ]  # fmt: skip


def test_other_hosts_are_left_out_and_counted() -> None:
    body = sitemap("https://a.test/1", "https://sub.example.hr/b", "https://a.test/2", "/ours")
    listing = read_listing("SITEMAP_XML", body, BASE)
    assert [item.url for item in listing.items] == ["https://example.hr/ours"]
    assert listing.warnings == ("3 addresses are on another host (a.test, sub.example.hr)",)
    assert len(urls(body, hosts=["*.example.hr", "a.test"])) == 4


def test_a_sitemap_that_only_leads_away_is_an_error_and_not_empty() -> None:
    with pytest.raises(ContentUnsupported, match=r"All addresses .* another host \(cdn\.test\)"):
        urls(sitemap("https://cdn.test/1", "https://cdn.test/2"))


def test_entries_that_all_have_no_address_are_an_error() -> None:
    with pytest.raises(ContentBroken, match="None of 1 entries of the sitemap"):
        urls(b"<urlset><url><location>https://example.hr/1</location></url></urlset>")


def test_a_packed_sitemap_is_unpacked_also_in_several_members() -> None:
    assert urls(gzip.compress(SITEMAP)) == urls(SITEMAP)
    middle = len(SITEMAP) // 2
    members = gzip.compress(SITEMAP[:middle]) + gzip.compress(SITEMAP[middle:]) + b"\0" * 100
    assert urls(members) == urls(SITEMAP)


@pytest.mark.parametrize("body", [SITEMAP, gzip.compress(SITEMAP)], ids=["plain", "packed"])
def test_a_sitemap_that_comes_byte_by_byte_is_read(body: bytes) -> None:
    reader = SitemapReader(BASE)
    found = [entry for byte in body for entry in reader.feed(bytes([byte]))]
    assert [entry.url for entry in (*found, *reader.close())] == urls(SITEMAP)


def test_a_packed_bomb_is_stopped_at_the_limit() -> None:
    bomb = gzip.compress(b"<urlset>" + b" " * 30_000_000)
    reader = SitemapReader(BASE, max_bytes=1_000_000)
    with pytest.raises(ContentTooLarge, match="1,000,000 bytes"):
        reader.feed(bomb)


def test_a_damaged_pack_is_broken_and_a_cut_one_gives_what_it_has() -> None:
    numbers = random.Random(4)
    many = sitemap(*(f"https://example.hr/{numbers.getrandbits(64)}" for _ in range(2000)))
    packed = gzip.compress(many)
    listing = read_listing("SITEMAP_XML", packed[: len(packed) // 2], BASE)
    assert 100 < len(listing.items) < 2000
    assert listing.warnings == ("the sitemap is cut off; it may have contained more",)
    with pytest.raises(ContentBroken, match="damaged"):
        urls(packed[:2000] + b"\xff" * 500 + packed[2500:])


@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">',
        '<!ENTITY x SYSTEM "file:///etc/passwd">',
        '<!ENTITY % p "x">',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused_and_not_expanded(declaration: str, encoding: str) -> None:
    body = f"<!DOCTYPE urlset [{declaration}]><urlset/>".encode(encoding)
    with pytest.raises(ContentUnsupported, match="declares entities"):
        urls(body)


def test_depth_and_size_of_markup_are_bounded() -> None:
    with pytest.raises(ContentHostile, match="nested more than 100 deep"):
        urls(b"<urlset>" + b"<a>" * 1_000_000)
    with pytest.raises(ContentHostile, match="one piece of markup"):
        urls(b'<urlset><url x="' + b"y" * 6_000_000)
    long = sitemap("https://example.hr/" + "a" * 200_000, "https://example.hr/b")
    assert urls(long) == ["https://example.hr/b"]


BAD_ENTRIES = {
    "<url><loc>https://example.hr/m?a=1&b=2</loc></url>": "1 address was mended: it has a bare '&'",
    "<url><loc>https://example.hr/x</lok></url>":
        "1 address is in an entry that is not well-formed",
    "<url><loc>https://example.hr/<b></loc></url>":
        "1 address is in an entry that is not well-formed",
    "<url><lastmod>2026-01-01</lastmod></url>": "1 address is missing from its entry",
    "<url><loc>http://[x/</loc></url>": "1 address cannot be read ('http://[x/')",
    "<url><loc>https://example.hr:99999/</loc></url>":
        "1 address cannot be read ('https://example.hr:99999/')",
}  # fmt: skip


@pytest.mark.parametrize(("entry", "warning"), BAD_ENTRIES.items())
@pytest.mark.parametrize("piece", [1, 7, 100_000])
def test_a_bad_entry_never_hides_the_good_ones(entry: str, warning: str, piece: int) -> None:
    body = (
        "<urlset>\n<url><loc>https://example.hr/1</loc></url>\n"
        f"{entry}\n<url><loc>https://example.hr/2</loc></url>\n</urlset>"
    ).encode()
    reader = SitemapReader(BASE)
    found = [one for at in range(0, len(body), piece) for one in reader.feed(body[at : at + piece])]
    found += reader.close()
    expected = ["https://example.hr/1", "https://example.hr/2"]
    if "mended" in warning:
        expected.insert(1, "https://example.hr/m?a=1&b=2")
    assert [item.url for item in found] == expected
    assert reader.warnings == (warning,)


def test_junk_between_and_behind_the_entries_is_stepped_over() -> None:
    one, two = (
        "<url><loc>https://example.hr/1</loc></url>",
        "<url><loc>https://example.hr/2</loc></url>",
    )
    assert len(urls(f"<urlset>{one} & <br> {two}</urlset>".encode())) == 2
    assert len(urls(f"<urlset>{one}{two}</urlset><script>track()</script>".encode())) == 2


def test_too_many_repairs_are_given_up() -> None:
    with pytest.raises(ContentBroken, match="broken in more than 1000 places"):
        urls(b"<urlset>" + b"<url><loc>&</url>" * 2000)


@given(st.data())
def test_how_the_bytes_are_cut_does_not_matter(data: st.DataObject) -> None:
    pieces = [*BAD_ENTRIES, *(f"<url><loc>https://example.hr/{n}</loc></url>" for n in range(4))]
    body = "".join(data.draw(st.lists(st.sampled_from(pieces), max_size=12)))
    good = "<url><loc>https://example.hr/last</loc></url>"
    whole = f"\n<?xml version='1.0'?><urlset>{body}{good}</urlset>".encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    chunks = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    once, cut = SitemapReader(BASE), SitemapReader(BASE)
    expected = [*once.feed(whole), *once.close()]
    got = [one for chunk in chunks for one in cut.feed(chunk)]
    assert [*got, *cut.close()] == expected
    assert cut.warnings == once.warnings


@pytest.mark.parametrize("size", [1, 100, 10_000])
def test_entries_after_the_end_of_a_broken_sitemap_are_left_out(size: int) -> None:
    first = b"<urlset><url><loc>https://example.hr/1</loc></url> & </urlset>"
    body = first + b" " * 1200 + b"<url><loc>https://example.hr/2</loc></url></urlset>"
    reader = SitemapReader(BASE)
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    found = [each.url for piece in pieces for each in reader.feed(piece)]
    found += [each.url for each in reader.close()]
    assert found == ["https://example.hr/1"]


@given(st.binary(max_size=300), st.sampled_from([b"", b"<urlset>", b"\x1f\x8b\x08", b"https://"]))
def test_no_bytes_whatever_crash_it(tail: bytes, head: bytes) -> None:
    try:
        read_listing("SITEMAP_XML", head + tail, BASE)
    except AssayError as error:
        assert error.what


def pages(count: int, template: str) -> Iterator[bytes]:
    yield b"<urlset>" if "<url>" in template else b"<sitemapindex>"
    for number in range(0, count, 500):
        yield "".join(template.format(n) for n in range(number, min(count, number + 500))).encode()
    yield b"</urlset>" if "<url>" in template else b"</sitemapindex>"


def test_a_stream_keeps_nothing_but_the_entry_at_hand() -> None:
    reader = SitemapReader(BASE)
    most = total = 0
    for chunk in pages(20_000, "<url><loc>https://example.hr/{}</loc></url>"):
        found = reader.feed(chunk)
        total += len(found)
        most = max(most, len(reader._recent))
    assert (total, reader.close()) == (20_000, [])
    assert most < 200


def iter_sitemap(chunks: Iterable[bytes], base_url: str) -> Iterator[ListedItem | ListingPart]:
    reader = SitemapReader(base_url)
    for chunk in chunks:
        yield from reader.feed(chunk)
    yield from reader.close()


def test_a_stream_gives_items_and_parts_while_it_comes() -> None:
    template = "<sitemap><loc>https://example.hr/s{}.xml</loc></sitemap>"
    stream = iter_sitemap(pages(2000, template), BASE)
    assert next(stream) == ListingPart("https://example.hr/s0.xml")
    assert sum(1 for _ in stream) == 1999
