"""Items on HTML pages: lists, tables, next pages, crawling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError, ContentBroken, ContentHostile, InvalidInput
from assay.sources.listing import (
    ListedItem,
    Listing,
    ListingOptions,
    ListingPart,
    check_options,
    read_listing,
)

BASE = "https://example.hr/list/index.html"
PAGE = """<html><head><meta charset="utf-8"></head><body>
<a href="#top">Top</a><a name="x">No link</a>
<a href="../zakon/č">Zakon</a><A HREF="/b?x=1&amp;y=2">B</A><a href="c">C</a>
<a href="mailto:a@example.hr">Mail</a><a href="javascript:go()">Go</a><a href="">None</a>
<!-- <a href="/hidden">hidden</a> --><script>"<a href='/script'>"</script></body></html>"""
CARDS = """<html><body><nav><a href="/home">Home</a></nav><main>
<div class="card"><h3> A  law </h3><a href="/1"><img alt="pdf"></a>
  <span class="d">4. ožujka 2026.</span></div>
<div class="card"><h3>B</h3><a href="/2.pdf">PDF</a><a href="/2.docx">Word</a>
  <time datetime="2026-03-05">x</time></div>
<div class="card"><h3>Soon</h3></div><a class="card" href="/3" data-file="/f/3">Third</a>
<button class="card" onclick="open('/4?x=1','w')">Fourth</button></main></body></html>"""
TABLE = """<html><body><table><tr><td>menu</td><td><a href="/menu">m</a></td></tr></table>
<table><thead><tr><th>Name</th><th colspan="2">Meeting&nbsp;Date</th><th>Agenda</th>
  <th>Minutes</th></tr></thead>
<tr class="r"><td>Council</td><td>9/8/2022</td><td>6 PM</td><td><a href="/a1">x</a></td>
  <td><a href="/m1">y</a></td></tr>
<tr class="r"><td>Board <table><tr><td><a href="/inner">i</a></td></tr></table></td>
  <td>10/8/2022</td><td></td><td><a href="//example.hr/a2"><img alt="Agenda"></a></td>
  <td>Not&nbsp;available</td></tr>
<tr><td colspan="5">page 1 of 2 <a href="?page=2">next</a></td></tr></table></body></html>"""


def read(body: str, strategy: str = "HTML_LIST", number: int = 1, **options: object) -> Listing:
    chosen = ListingOptions.model_validate(options)
    check_options(strategy, chosen)
    return read_listing(strategy, body.encode(), BASE, chosen, number=number)


def urls(listing: Listing) -> list[str]:
    return [item.url.removeprefix("https://example.hr") for item in listing.items]


def test_a_page_gives_its_links_made_absolute_with_their_words() -> None:
    listing = read(PAGE)
    assert listing.items == (
        ListedItem("https://example.hr/zakon/%C4%8D", "Zakon"),
        ListedItem("https://example.hr/b?x=1&y=2", "B"),
        ListedItem("https://example.hr/list/c", "C"),
    )
    assert listing.warnings == ()


def test_the_encoding_of_a_page_is_the_one_that_it_names() -> None:
    body = '<meta charset="windows-1250"><a href="/č">Š</a>'.encode("cp1250")
    assert read_listing("HTML_LIST", body, BASE).items == (
        ListedItem("https://example.hr/%C4%8D", "Š"),
    )
    body = b'<meta charset="undefined"><a href="/a">a</a>'
    assert read_listing("HTML_LIST", body, BASE).items == (ListedItem("https://example.hr/a", "a"),)


def test_only_links_in_the_region_count() -> None:
    assert "/home" in urls(read(CARDS))
    assert urls(read(CARDS, within="main", link="a[href$='.pdf']")) == ["/2.pdf"]
    with pytest.raises(ContentBroken, match=r"Nothing is at '#list' in an HTML page"):
        read(CARDS, within="#list")


def test_an_entry_gives_its_title_and_date_to_each_of_its_links() -> None:
    listing = read(CARDS, item=".card", title="h3", date=".d")
    assert listing.items == (
        ListedItem("https://example.hr/1", "A law", "2026-03-04"),
        ListedItem("https://example.hr/2.pdf", "B"),
        ListedItem("https://example.hr/2.docx", "B"),
        ListedItem("https://example.hr/3"),
    )
    assert read(CARDS, item=".card").items[1].published == "2026-03-05"
    assert read(CARDS, item=".card").items[0].title == "pdf"


def test_an_attribute_may_hold_the_address() -> None:
    assert urls(read(CARDS, item=".card", link="@data-file")) == ["/f/3"]
    assert urls(read(CARDS, link="button@onclick")) == ["/4?x=1"]


def test_an_address_that_cannot_be_read_does_not_sink_the_others() -> None:
    for bad in ("http://[x/", "https://example.hr:99999/", "https://example.hr:x"):
        body = f'<a href="/a">a</a><a href="{bad}">bad</a><a href="/b">b</a>'
        listing = read(body)
        assert urls(listing) == ["/a", "/b"]
        assert listing.warnings == (f"1 address cannot be read ({bad!r})",)


def test_patterns_and_limits_say_what_they_left_out() -> None:
    body = "".join(f'<a href="{path}">x</a>' for path in ("/eli/1", "/eli/č", "/c/3", "/eli/4"))
    assert urls(read(body, include=["/eli/*"], exclude=["*/4"])) == ["/eli/1", "/eli/%C4%8D"]
    assert urls(read(body, include=["https://example.hr/eli/č"])) == ["/eli/%C4%8D"]
    listing = read(body, max_items=1, include=["/eli/*"])
    assert listing.warnings == (
        "2 addresses are more than max_items",
        "1 address is left out by the patterns",
    )


def test_a_table_gives_the_links_of_the_columns_it_is_asked_for() -> None:
    columns = {"title": "name", "date": "Meeting Date", "link": ["Agenda", "Minutes"]}
    listing = read(TABLE, "HTML_TABLE", columns=columns, date_formats=["%m/%d/%Y"])
    assert listing.items == (
        ListedItem("https://example.hr/a1", "Council", "2022-09-08"),
        ListedItem("https://example.hr/m1", "Council", "2022-09-08"),
        ListedItem("https://example.hr/a2", "Board i", "2022-10-08"),
    )
    by_number = {"title": 1, "date": 2, "link": [4, 5]}
    same = read(TABLE, "HTML_TABLE", within="table + table", columns=by_number,
                date_formats=["%m/%d/%Y"])  # fmt: skip
    assert same.items == listing.items


def test_a_date_of_figures_alone_is_not_guessed() -> None:
    columns = {"date": "Meeting Date", "link": "Agenda"}
    assert {item.published for item in read(TABLE, "HTML_TABLE", columns=columns).items} == {None}


def test_a_table_without_its_columns_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(
        ContentBroken, match=r"the columns Agenda, Video; the nearest one has name, "
    ):
        read(TABLE, "HTML_TABLE", columns={"link": "Agenda", "title": "Video"})
    with pytest.raises(ContentBroken, match="there is no table"):
        read(CARDS, "HTML_TABLE", columns={"link": "Agenda"})


def test_a_table_without_columns_gives_the_links_of_its_rows() -> None:
    everything = ["/menu", "/a1", "/m1", "/inner", "/a2", "/list/index.html?page=2"]
    assert urls(read(TABLE, "HTML_TABLE")) == everything
    assert urls(read(TABLE, "HTML_TABLE", item="tr.r", link="[href*=a]")) == ["/a1", "/a2"]


def test_an_empty_list_says_that_it_is_one() -> None:
    body = "<html><title>News</title><div class=list>Nema  rezultata.</div></html>"
    listing = read(body, within=".list", item="li")
    assert (listing.items, len(listing.warnings)) == ((), 1)
    assert "nothing is at 'li' in an HTML page titled 'News'" in listing.warnings[0]
    assert read(body, item="li", empty_text="nema rezultata") == Listing()
    with pytest.raises(ContentBroken, match="does not say 'no records'"):
        read(body, item="li", empty_text="no records")


NEXT = '<a class="item" href="/{}">x</a><a class="n" href="?page={}">next</a>'


def test_the_next_page_is_found_by_selector_by_relation_by_number_and_by_template() -> None:
    def part(body: str, number: int = 1, **options: object) -> tuple[ListingPart, ...]:
        return read(body, "PAGINATION", number, link="a.item", **options).parts

    two = (ListingPart("https://example.hr/list/index.html?page=2", number=2),)
    assert part(NEXT.format(1, 2), next="a.n") == two
    assert part(NEXT.format(1, 2).replace('class="n"', 'rel="nofollow next"')) == two
    assert part('<link rel="next" href="?page=2">' + NEXT.format(1, 2)) == two
    assert part(NEXT.format(1, 9), page_param="page") == two
    assert part(NEXT.format(1, 9)) == ()
    template = "https://example.hr/p/{page}"
    assert part(NEXT.format(1, 9), page_template=template, first_page=0) == (
        ListingPart("https://example.hr/p/1", number=2),
    )
    assert part(NEXT.format(1, 9), 3, page_param="from", first_page=0, page_step=20) == (
        ListingPart("https://example.hr/list/index.html?from=60", number=4),
    )


def test_a_page_parameter_leaves_the_rest_of_the_address_alone() -> None:
    url = "https://example.hr/l?z=1&$skip=0&a=b%20c"
    options = ListingOptions(page_param="$skip", first_page=0, page_step=50)
    parts = read_listing("PAGINATION", b'<a href="/1">x</a>', url, options).parts
    assert parts == (ListingPart("https://example.hr/l?z=1&$skip=50&a=b+c", number=2),)


def test_there_is_no_next_page_after_an_empty_a_known_a_short_or_the_last_one() -> None:
    def parts(body: str = NEXT.format(1, 2), number: int = 1, **options: object) -> Listing:
        return read(body, "PAGINATION", number, link="a.item", next="a.n", **options)

    assert parts().parts
    assert parts('<a class="n" href="?page=2">next</a>').parts == ()
    assert parts(page_size=2).parts == ()
    last = parts(number=5, max_pages=5)
    assert (last.parts, last.warnings) == ((), ("max_pages ends the look after 5 pages",))
    itself = parts(NEXT.format(1, 2).replace("?page=2", "index.html"))
    assert (itself.parts, itself.warnings) == ((), ("the next page is this page again",))
    scripted = parts(NEXT.format(1, 2).replace("?page=2", "javascript:__doPostBack()"))
    assert scripted.parts == () and "reached by a script" in scripted.warnings[1]
    away = parts(NEXT.format(1, 2).replace("?page=2", "https://other.test/2"))
    assert away.parts == () and away.warnings[0] == "the next page cannot be followed"
    options = ListingOptions(link="a.item", next="a.n")
    body = NEXT.format(1, 2).encode()
    assert read_listing("PAGINATION", body, BASE, options, known=lambda url: True).parts == ()
    always = options.model_copy(update={"until_known": False})
    assert read_listing("PAGINATION", body, BASE, always, known=lambda url: True).parts


def walked(bodies: dict[str, str], strategy: str, **options: object) -> tuple[list[str], int]:
    """A whole look: every page once, as long as there are new ones; and how many there were."""
    chosen = ListingOptions.model_validate(options)
    asked = {BASE: ListingPart(BASE, number=1)}
    found: dict[str, None] = {}
    for url in (waiting := [BASE]):
        listing = read_listing(strategy, bodies[url].encode(), url, chosen,
                         known=found.__contains__, number=asked[url].number)  # fmt: skip
        found.update(dict.fromkeys(item.url for item in listing.items))
        fresh = {part.url: part for part in listing.parts if part.url not in asked}
        asked |= fresh
        waiting += fresh
    return [url.removeprefix("https://example.hr") for url in found], len(asked)


def test_a_look_ends_where_pages_lead_in_a_circle() -> None:
    bodies = {
        BASE: NEXT.format(1, 2),
        f"{BASE}?page=2": NEXT.format(2, 3),
        f"{BASE}?page=3": NEXT.format(3, 2),
    }
    assert walked(bodies, "PAGINATION", link="a.item", next="a.n") == (["/1", "/2", "/3"], 3)


def test_a_look_ends_where_every_page_number_gives_the_same_page() -> None:
    bodies = {BASE: NEXT.format(1, 0), **{f"{BASE}?page={n}": NEXT.format(1, 0) for n in range(9)}}
    assert walked(bodies, "PAGINATION", link="a.item", page_param="page") == (["/1"], 2)


def test_entries_without_a_link_still_fill_a_page() -> None:
    body = '<li><a href="/1">x</a></li><li>soon</li><a rel="next" href="?page=2">n</a>'
    assert read(f"<html>{body}", "PAGINATION", item="li", page_size=2).parts
    assert read(f"<html>{body}", "PAGINATION", item="li", page_size=3).parts == ()


def test_a_crawl_follows_pages_to_its_depth_each_once_and_takes_what_fits() -> None:
    bodies = {
        BASE: '<a href="/a">a</a><a href="/b">b</a><a href="/x.pdf">x</a><a href="/admin/">n</a>',
        "https://example.hr/a": '<a href="/b">b</a><a href="/c">c</a><a href="/y.pdf">y</a>',
        "https://example.hr/b": '<a href="/a">a</a><a href="/z.PDF">z</a>',
    }
    options = {"include": ["*.pdf", "*.PDF"], "exclude": ["/admin/*"]}
    assert walked(bodies, "CRAWL", max_depth=2, **options) == (["/x.pdf", "/y.pdf", "/z.PDF"], 3)
    assert walked(bodies, "CRAWL", max_depth=1, **options) == (["/x.pdf"], 1)
    assert walked(bodies, "CRAWL", follow=["/a"], **options) == (["/x.pdf", "/y.pdf"], 2)


@pytest.mark.parametrize("tag", ["div", "b", "table"])
def test_a_million_nested_tags_end_in_a_clear_refusal(tag: str) -> None:
    with pytest.raises(ContentHostile, match="nested more than 2,000 deep"):
        read("<html>" + f"<{tag}>" * 1_000_000 + '<a href="/x">x</a>')


def test_many_tags_beside_each_other_are_read() -> None:
    assert urls(read("<html>" + "<li>" * 50_000 + '<a href="/x">x</a>')) == ["/x"]


def test_a_page_of_a_thousand_open_tags_is_still_read() -> None:
    body = "<html>" + "".join(f'<font><a href="/{n}">{n}</a>' for n in range(1000))
    assert len(read(body).items) == 1000


def test_a_rule_that_is_no_css_is_refused_before_anything_is_fetched() -> None:
    for rule in ("a[", "::", ""):
        with pytest.raises((InvalidInput, ValueError)):
            check_options("HTML_LIST", ListingOptions(item=rule))


@given(st.text(alphabet="<>/=\"' ahreftd-!\n\0č", max_size=200))
def test_no_page_whatever_crashes_it(inside: str) -> None:
    try:
        read(f"<html>{inside}", "HTML_TABLE", item="tr", title="td", date="td@x")
        read(f"<html>{inside}", "CRAWL")
    except AssayError as error:
        assert error.what
