"""CSS selectors on pages, against an oracle where one is at hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import ContentHostile, InvalidInput
from assay.sources.listing.markup import Node, WorkBudget, parse_page
from assay.sources.listing.selectors import parse_selector

PAGE = b"""<html><body><div id="a" class="x y"><p id="b">one <b id="c">two</b></p>
<p id="d" lang="en-GB">three</p><span id="e" data-k="v w"></span></div>
<ul id="f"><li id="g">1</li><!-- no --><li id="h">2</li>
<li id="i" class="x">3<ul id="j"><li id="k">4</li></ul></li></ul></body></html>"""


def ids(rule: str, body: bytes = PAGE) -> str:
    root = parse_page(body)
    assert root is not None
    return "".join(node.get("id") or "-" for node in root.find_all(rule))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("p", "bd"), ("P", "bd"), ("#c", "c"), (".x", "ai"), ("div.x.y#a", "a"), ("li.x", "i"),
        ("div p", "bd"), ("div b", "c"), ("div > b", ""), ("div > p > b", "c"), ("body b", "c"),
        ("p + p", "d"), ("p + span", "e"), ("p ~ span", "e"), ("p + b", ""), ("li ~ li", "hi"),
        ("ul ul li", "k"), ("li li", "k"), ("ul > li", "ghik"), ("#f > li", "ghi"),
        ("b, span , #k", "cek"), ("p, p", "bd"), ("[lang]", "d"), ("[lang|=en]", "d"),
        ("[data-k~=w]", "e"), ("[data-k='v w']", "e"), ('[data-k^="v"]', "e"), ("[data-k$=w]", "e"),
        ("[data-k*=' ']", "e"), ("[data-k=v]", ""), ("[data-k^='']", ""), ("[id = c]", "c"),
        ("li:first-child", "gk"), ("li:last-child", "ik"), ("li:nth-child(2)", "h"),
        ("li:nth-child(odd)", "gik"), ("li:nth-child( -n+2 )", "ghk"), ("li:nth-child(2n)", "h"),
        ("li:not(.x)", "ghk"), ("li:not(.x, :first-child)", "h"), ("p:contains('one two')", "b"),
        ("html > body > div *", "bcde"), ("a b", ""), ("*.x", "ai"), ("p.q, li.x", "i"),
    ],
)  # fmt: skip
def test_a_selector_names_what_it_should(rule: str, expected: str) -> None:
    assert ids(rule) == expected


def test_a_selector_begins_at_the_entry_and_may_be_the_entry_itself() -> None:
    root = parse_page(PAGE)
    assert root is not None
    entry = root.find_first("#i")
    assert entry is not None
    assert [node.get("id") for node in entry.find_all("li")] == ["i", "k"]
    assert entry.find_all("ul#f li") == []


@pytest.mark.parametrize(
    "rule",
    ["", " ", "a[", "a]", "::", "a::before", "> a", "a >", "a > > b", "a,", ",a", "a{b}", ":hover",
     ":nth-child(x)", ":not(a b)", "a:has(b)", "#", ".", "a b" * 100, "a/b", "a@", ".x*", "[a]b"],
)  # fmt: skip
def test_what_is_not_known_is_refused(rule: str) -> None:
    with pytest.raises(InvalidInput, match="is not a valid CSS selector"):
        parse_selector(rule)


def test_an_element_has_its_own_markup() -> None:
    root = parse_page(b"<p>before <b class='x'>a &amp; b<br></b> after</p>")
    assert root is not None
    assert [node.markup for node in root.find_all("b")] == ['<b class="x">a &amp; b<br></b>']


def test_markup_is_part_of_the_work() -> None:
    root = parse_page(b"<p>" + b"x" * 1000 + b"</p>", work=WorkBudget(5))
    assert root is not None
    with pytest.raises(ContentHostile):
        _ = root.markup


def _slow(node: Node, names: list[str], above: list[str]) -> list[str]:
    """All elements whose path ends in the last name and has the others before it, in order."""
    path = [*above, node.tag]
    left = list(names)
    for tag in path[:-1]:
        if len(left) > 1 and tag == left[0]:
            left.pop(0)
    found = [node.get("id") or ""] if left == [path[-1]] else []
    for child in node.find_children("a", "b", "i", "body"):
        found += _slow(child, names, path)
    return found


@given(st.lists(st.sampled_from(["<b>", "<i>", "</b>", "</i>", "<b></b>"]), max_size=25),
       st.lists(st.sampled_from(["b", "i"]), min_size=1, max_size=4))  # fmt: skip
def test_descendants_are_found_as_one_would_by_hand(tags: list[str], names: list[str]) -> None:
    numbered = "".join(
        tag.replace(">", f" id={n}>", 1) if tag[1] != "/" else tag for n, tag in enumerate(tags)
    )
    root = parse_page(f"<body>{numbered}".encode())
    assert root is not None
    assert [node.get("id") for node in root.find_all(" ".join(names))] == _slow(root, names, [])


def test_nested_tables_cost_no_more_than_flat_ones() -> None:
    body = b"<html>" + b"<table><tr><td>" * 600 + b'<a href="/x">x</a>' * 2000
    root = parse_page(body)
    assert root is not None
    assert len(root.find_all("table table tr td a")) == 2000


def test_work_without_end_is_refused() -> None:
    root = parse_page(b"<html>" + b"<div>" * 500 + b"<i></i>" * 500, work=WorkBudget(50_000))
    assert root is not None
    with pytest.raises(ContentHostile, match="nested too deeply"):
        for node in root.find_all("div"):
            node.find_all("div b")


def test_an_element_can_be_read_as_its_own_html() -> None:
    page = parse_page(b"<div><p class=a>One<br>two &amp; <b>three</b></p> after</div>")
    assert page is not None
    found = page.find_first("p")
    assert found is not None
    assert found.markup == '<p class="a">One<br>two &amp; <b>three</b></p>'
