"""Sentinel over real HTTP: every kind of listing, and what a look leaves behind."""

import gzip
from typing import Any

from assay.store import tables as t
from tests.spine.sites import HOME, Watch, act, index, links, sitemap


def test_a_sitemap_index_is_read_with_all_its_children(watch: Watch) -> None:
    watch.endpoint()
    watch.show("/sitemap.xml", index("/one.xml", "/two.xml.gz", "/three.xml"))
    watch.show("/one.xml", sitemap("/a", "/b"))
    watch.show(
        "/two.xml.gz", gzip.compress(sitemap("/c")), headers={"Content-Type": "application/gzip"}
    )
    watch.show("/three.xml", sitemap("/a", "/d"))
    for number, path in enumerate("abcd"):
        watch.show(f"/{path}", act(number))
    run_id = watch.run()
    assert watch.items() == ["/a", "/b", "/c", "/d"]
    assert len(watch.rows(t.evidence)) == 4
    assert watch.notes("listing", run_id) == ["done"] * 3
    assert {path: part["item_count"] for path, part in watch.parts().items()} == {
        "/one.xml": 2, "/two.xml.gz": 1, "/three.xml": 2,
    }  # fmt: skip
    assert watch.dead() == []


def test_every_kind_of_listing_is_read(watch: Watch) -> None:
    feed = (
        '<rss version="2.0"><channel><title>t</title>'
        f"<item><title>Act</title><link>{HOME}/feed</link></item></channel></rss>"
    )
    table = (
        "<table><tr><th>Date</th><th>Act</th></tr>"
        '<tr><td>3.2.2026.</td><td><a href="/table">An act</a></td></tr></table>'
    )
    watch.endpoint("/rss", "RSS_FEED", "rss")
    watch.endpoint("/list", "HTML_LIST", "list", options={"item": "li"})
    watch.endpoint(
        "/tab", "HTML_TABLE", "tab",
        options={"columns": {"link": "Act", "date": "Date"}, "date_formats": ["%d.%m.%Y."]},
    )  # fmt: skip
    watch.endpoint("/api", "JSON_API", "api", options={"items": "acts", "url": "link"})
    watch.show("/rss", feed.encode())
    watch.show("/list", links("/list-1", "/list-2"))
    watch.show("/tab", table.encode())
    watch.show("/api", b'{"acts": [{"link": "/api-1"}], "next": "/api?page=2"}')
    watch.run()
    assert watch.dead() == []
    assert watch.items() == ["/api-1", "/feed", "/list-1", "/list-2", "/table"]
    (dated,) = [row for row in watch.rows(t.item) if row["published"]]
    assert (dated["url"], dated["published"]) == (f"{HOME}/table", "2026-02-03")
    assert "/api?page=2" in watch.asked()


def test_a_listing_that_is_asked_for_by_post_is_posted_to_for_all_its_pages(watch: Watch) -> None:
    watch.endpoint(
        "/search", "JSON_API",
        options={"items": "hits", "url": "link", "post_body": '{"kind": "act"}',
                 "page_param": "page", "page_size": 1},
    )  # fmt: skip
    watch.show("/search", b'{"hits": [{"link": "/a"}]}')
    watch.run()
    posted = watch.site.requests_for("/search")
    assert {(seen.method, seen.body) for seen in posted} == {("POST", b'{"kind": "act"}')}
    assert [seen.path for seen in posted][:2] == ["/search", "/search?page=2"]
    # The second page has nothing new, so that there is no third.
    assert len(posted) == 2


def test_pages_are_followed_until_one_has_nothing_new(watch: Watch) -> None:
    watch.endpoint("/p1", "PAGINATION", options={"item": "li"})
    for number in range(1, 5):
        watch.show(f"/p{number}", links(f"/act-{number}", following=f"/p{number + 1}"))
    watch.show("/p5", links("/act-5", following="/p1"))
    watch.run()
    assert [path for path in watch.asked() if path.startswith("/p")] == [
        "/p1", "/p2", "/p3", "/p4", "/p5",
    ]  # fmt: skip
    watch.run()
    assert [path for path in watch.asked() if path.startswith("/p")] == ["/p1"]
    watch.show("/p1", links("/act-0", following="/p2"))
    watch.show("/p2", links("/act-1", following="/p3"))
    watch.run()
    assert [path for path in watch.asked() if path.startswith("/p")] == ["/p1", "/p2"]
    assert watch.items() == [f"/act-{number}" for number in range(6)]


def test_no_more_pages_are_read_than_max_pages(watch: Watch) -> None:
    watch.endpoint("/p1", "PAGINATION", options={"item": "li", "max_pages": 3})
    for number in range(1, 6):
        watch.show(f"/p{number}", links(f"/act-{number}", following=f"/p{number + 1}"))
    watch.run()
    assert watch.items() == ["/act-1", "/act-2", "/act-3"]


WRONG: dict[str, dict[str, Any]] = {
    "'itmes' cannot be read": {"options": {"itmes": "a"}},
    "li[": {"strategy": "HTML_LIST", "options": {"item": "li["}},
    "Strategy MAGIC is not known here. Use SITEMAP_XML": {"strategy": "MAGIC"},
    "has no placeholder for one": {"strategy": "DATE_FILTERED"},
    "expected_yield cannot be read": {"expected_yield": {"min_itmes": 3}},
    "expected_yield has a value": {"expected_yield": {"min_items": "ten"}},
    "per_days must be 1 to 92": {"expected_yield": {"per_days": 0}},
    "is not JSON": {"strategy": "JSON_API", "options": {"items": "a", "post_body": "{"}},
}


def test_a_description_that_cannot_be_followed_is_an_error_that_names_its_endpoint(
    watch: Watch,
) -> None:
    for number, more in enumerate(WRONG.values()):
        watch.endpoint(f"/{number}", name=f"e{number}", **more)
    watch.run()
    letters = watch.dead()
    for number, told in enumerate(WRONG):
        (letter,) = [letter for letter in letters if letter.startswith(f"Endpoint e{number}: ")]
        assert told in letter
        state = watch.state(f"e{number}")
        assert (state["consecutive_errors"], state["last_scraped_ms"]) == (1, None)
    assert len(letters) == len(WRONG)
    assert watch.asked() == []


def test_a_wall_in_place_of_a_listing_is_an_error_and_not_an_empty_listing(watch: Watch) -> None:
    wall = b"<html><title>Just a moment...</title><a href='/x'>x</a></html>"
    for number, strategy in enumerate(("SITEMAP_XML", "HTML_LIST", "JSON_API", "RSS_FEED")):
        watch.endpoint(f"/l{number}", strategy, strategy)
        watch.show(f"/l{number}", wall)
    watch.run()
    assert watch.rows(t.item) == []
    assert [row["consecutive_errors"] for row in watch.rows(t.endpoint)] == [1, 1, 1, 1]
    assert len(watch.dead()) == 4
    # It will not pass within seconds, so that it is asked once.
    assert watch.asked() == ["/l0", "/l1", "/l2", "/l3"]


def test_a_listing_that_does_not_come_is_asked_for_once_and_counted(watch: Watch) -> None:
    statuses = (404, 403, 304, 204)
    for status in statuses:
        watch.endpoint(f"/{status}", name=str(status))
        watch.show(f"/{status}", b"", status=status)
    watch.run()
    assert watch.asked() == sorted(f"/{status}" for status in statuses)
    for status in statuses:
        state = watch.state(str(status))
        assert state["last_error"] == f"{HOME}/{status} answered {status}."
        assert state["consecutive_errors"] == 1


def test_five_errors_in_a_row_close_an_endpoint_and_a_success_before_that_counts_anew(
    watch: Watch,
) -> None:
    watch.endpoint()
    for shown in (None, None, sitemap("/a"), None, None, None, None, None):
        watch.show("/sitemap.xml", shown or b"no sitemap")
        watch.run()
    assert watch.state()["consecutive_errors"] == 5
    watch.asked()
    watch.show("/sitemap.xml", sitemap("/a"))
    watch.run()
    assert "/sitemap.xml" not in watch.asked()
    assert any("5 times in a row" in letter for letter in watch.dead())


def test_what_robots_or_the_user_refuse_is_nobodys_failure(
    watch: Watch,
) -> None:
    watch.show(
        "/robots.txt", b"User-agent: *\nDisallow: /closed", headers={"Content-Type": "text/plain"}
    )
    watch.endpoint("/closed/sitemap.xml")
    watch.endpoint("http://10.1.2.3/sitemap.xml", name="private")
    run_id = watch.run()
    assert watch.notes("sentinel", run_id) == ["refused", "refused"]
    assert watch.dead() == []
    assert watch.asked() == []
    for name, why in (("e", "robots.txt"), ("private", "10.1.2.3")):
        state = watch.state(name)
        assert state["consecutive_errors"] == 0
        assert why in state["last_error"]
