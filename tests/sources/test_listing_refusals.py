"""What came instead of a listing is an error that says so, never an empty list."""

import pytest

from assay.errors import ContentBroken, ErrorClass
from assay.sources.listing import STRATEGIES, ListingOptions, read_listing

URL = "https://example.hr/list"
DENIED = (
    b"<!DOCTYPE html><html><head><title>Access\n Denied</title></head><body>Ref 18.x</body></html>"
)
LOGIN = b"""<html><head><title>Portal</title></head><body><form>
<input name=u><input type="password" name=p></form></body></html>"""
CHALLENGE = b"""<html><head><title></title></head><body><script src="/x.js"></script>
<script>window.awsWafCookieDomainList = []; window.gokuProps = {};</script></body></html>"""
INCAPSULA = (
    b'<html><head></head><body><iframe src="/_Incapsula_Resource?x=1"></iframe></body></html>'
)
MOMENT = b"<html><title>Just a moment...</title><a href='/cdn-cgi/help'>help</a></html>"
BODIES = {
    "a refusal": (DENIED, "n HTML page titled 'Access Denied'"),
    "a login": (LOGIN, " login page titled 'Portal'"),
    "a challenge": (CHALLENGE, "n HTML page without a title"),
    "a frame": (INCAPSULA, "n HTML page without a title"),
    "a moment": (MOMENT, "n HTML page titled 'Just a moment...'"),
    "nothing": (b"", "n empty answer"),
    "spaces": (b"\r\n  ", "n empty answer"),
    "a PDF": (b"%PDF-1.7 ...", " PDF file"),
    "a text": (b"Too many requests", "lain text that begins 'Too many requests'"),
}
READING = {
    "SITEMAP_XML": ("a sitemap", {}),
    "RSS_FEED": ("a feed", {}),
    "HTML_LIST": ("", {}),
    "HTML_TABLE": ("", {}),
    "PAGINATION": ("", {"item": "li"}),
    "DATE_FILTERED": ("", {}),
    "JSON_API": ("JSON", {}),
    "CRAWL": ("", {}),
}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(("body", "said"), BODIES.values(), ids=BODIES)
def test_it_is_said_what_came_instead(strategy: str, body: bytes, said: str) -> None:
    expected, options = READING[strategy]
    with pytest.raises(ContentBroken) as caught:
        read_listing(strategy, body, URL, ListingOptions.model_validate(options))
    assert f"{said} came instead of {expected}" in caught.value.what
    assert URL in caught.value.what
    assert caught.value.error_class is ErrorClass.CONTENT


@pytest.mark.parametrize(
    ("strategy", "body", "said"),
    [
        ("SITEMAP_XML", b'{"error": 1}', "A JSON object with the fields error came instead"),
        ("SITEMAP_XML", b"<rss/>", "An XML document <rss> came instead of a sitemap"),
        ("SITEMAP_XML", b"<Error><Code>AccessDenied</Code></Error>", "An XML document <Error>"),
        ("HTML_LIST", b"<?xml version='1.0'?><rss><a x=''/></rss>", "An XML document <rss> came"),
        ("HTML_LIST", b"[1, 2]", "A JSON list came instead of an HTML page"),
        ("RSS_FEED", b"<html><body>x &nbsp;<br></body></html>", "An HTML page without a title"),
    ],
)
def test_the_listing_of_another_strategy_is_named(strategy: str, body: bytes, said: str) -> None:
    with pytest.raises(ContentBroken) as caught:
        read_listing(strategy, body, URL)
    assert said in caught.value.what


def test_a_page_with_a_login_in_its_corner_is_still_a_listing() -> None:
    body = LOGIN.replace(b"</form>", b"</form><a href='/1'>One</a>")
    assert [item.url for item in read_listing("HTML_LIST", body, URL).items] == [
        "https://example.hr/1"
    ]


def test_a_page_that_speaks_of_refusals_is_still_a_listing() -> None:
    body = b"<html><title>Decisions: access denied</title><a href='/1'>One</a></html>"
    assert len(read_listing("HTML_LIST", body, URL).items) == 1


def test_a_page_without_a_link_is_empty_and_says_so() -> None:
    listing = read_listing("HTML_LIST", b"<html><title>News</title><p>Nothing yet.</html>", URL)
    assert listing.items == ()
    assert listing.warnings == ("there is no link in an HTML page titled 'News'",)


def test_a_sitemap_cut_before_its_first_address_is_broken_and_not_empty() -> None:
    for body in (b"<urlset><url><loc>https://exa", b"<urlset>", b"<?xml version='1.0'?><urlset"):
        with pytest.raises(ContentBroken, match=r"cut short|came instead of a sitemap"):
            read_listing("SITEMAP_XML", body, URL)
